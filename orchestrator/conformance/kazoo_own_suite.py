"""Kazoo's own test suite, as Debian installs it, against any server that takes a zoo.cfg.

    kazoo_own_suite.py PORT COMMAND... -- NAMES...

The suite starts its servers itself, three of them, stops them and starts them again, always as `java ... zoo.cfg`:
here `java` is a script that runs COMMAND with that file. NAMES are modules, classes or tests below kazoo.tests; none
means all. Prints a line for each test that was skipped or failed, then "ran N, skipped N, failed N".
"""

import gc
import importlib
import logging
import os
import shlex
import shutil
import signal
import sys
import tempfile
import types
import unittest
import unittest.mock
from contextlib import contextmanager

import kazoo.tests

# Those that test no server: handlers, paths, and what needs other packages than kazoo.
MODULES = (
    "barrier build cache client connection counter election interrupt lease lock partitioner party queue watchers"
).split()


def stand_in_for_pytest():
    """All that the suite uses of pytest, mock and objgraph, which Debian's kazoo does not bring along."""
    pytest = types.ModuleType("pytest")

    class Raised:
        value = None

    @contextmanager
    def raises(errors):
        raised = Raised()
        try:
            yield raised
        except errors as error:
            raised.value = error
        else:
            raise AssertionError("%s was not raised" % (errors,))

    def raises_or_calls(errors, *call, **options):
        if not call:
            return raises(errors)
        with raises(errors) as raised:
            call[0](*call[1:], **options)
        return raised

    def skip(reason):
        raise unittest.SkipTest(reason)

    pytest.raises, pytest.skip = raises_or_calls, skip
    objgraph = types.ModuleType("objgraph")
    objgraph.count = lambda name: sum(type(each).__name__ == name for each in gc.get_objects())
    sys.modules.update({"pytest": pytest, "mock": unittest.mock, "objgraph": objgraph})


def become_java(command):
    folder = tempfile.mkdtemp(prefix="kazoo-own-suite-")
    java = os.path.join(folder, "java")
    words = " ".join(shlex.quote(word) for word in command)
    with open(java, "w") as script:
        script.write('#!/bin/sh\nfor file; do :; done\nexec %s "$file" >>"$(dirname "$file")/said" 2>&1\n' % words)
    os.chmod(java, 0o755)
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
    return folder


def chosen(names):
    loader = unittest.TestLoader()
    wanted = ["kazoo.tests.test_" + name for name in names or MODULES]
    for name in wanted:
        importlib.import_module(".".join(name.split(".")[:3]))
    return loader.loadTestsFromNames(wanted)


def leave(code, folder):
    """At once: clients that a failed test left behind must not keep the process, and no server may outlive it."""
    from kazoo.testing import harness

    if harness.CLUSTER is not None:
        harness.CLUSTER.terminate()
    shutil.rmtree(folder)
    sys.stdout.flush()
    os._exit(code)


def main():
    split = sys.argv.index("--")
    port, command, names = sys.argv[1], sys.argv[2:split], sys.argv[split + 1 :]
    os.environ.update(
        ZOOKEEPER_VERSION="3.8.0", ZOOKEEPER_CLASSPATH="none", ZOOKEEPER_PORT_OFFSET=port, ZOOKEEPER_CLUSTER_SIZE="3"
    )
    stand_in_for_pytest()
    folder = become_java(command)
    signal.signal(signal.SIGTERM, lambda *_: leave(2, folder))
    logging.disable(logging.CRITICAL)
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=2).run(chosen(names))
    for test, reason in result.skipped:
        print("skipped: %s: %s" % (test, reason))
    failures = result.failures + result.errors
    for test, trace in failures:
        print("failed: %s\n%s" % (test, trace))
    print("ran %d, skipped %d, failed %d" % (result.testsRun, len(result.skipped), len(failures)))
    leave(1 if failures else 0, folder)


main()
