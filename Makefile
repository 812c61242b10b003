SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup install check test unit sim bench mutants format fresh clean doctor calibrate testbed image \
  test-netem bench-plane

ARCH := $(subst aarch64,arm64,$(subst x86_64,x64,$(shell uname -m)))
NODE := node_modules/node-linux-$(ARCH)/bin/node
VIRTUAL := $(NODE) node/host/virtual/main.ts

help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: install ## Brings the pinned Node, npm packages and Debian packages; make test does it itself.
	@.ci/packages

install: ## Brings the pinned Node and the npm packages only.
	@.ci/install

check: install ## Types, purity, layering, lint and format.
	@$(NODE) .ci/check.ts

test: install ## Everything that must hold. PART=check|unit|sim|system FILTER=election UPDATE=1.
	@.ci/packages || echo "setup: going on without; system tests may fail" >&2
	@PART="$(PART)" FILTER="$(FILTER)" UPDATE="$(UPDATE)" $(NODE) .ci/test.ts

unit: install ## The tests beside the code: FILTER=election, UPDATE=1 rewrites file snapshots.
	@PART=unit FILTER="$(FILTER)" UPDATE="$(UPDATE)" $(NODE) .ci/test.ts

sim: install ## The swarm in virtual time: SEEDS=2000 worlds, or the one world of SEED=42.
	@$(VIRTUAL) sim $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED))

bench: install ## The benchmarks: in virtual time, then Apache ZooKeeper and ours in turn (see ARGS="--help").
	@$(VIRTUAL) bench
	@$(NODE) orchestrator/bench/main.ts $(ARGS)

mutants: install ## Shows that the swarm bites: every mutant must die.
	@$(VIRTUAL) mutants $(if $(SEEDS),--seeds $(SEEDS)) $(if $(MUTANT),--mutant $(MUTANT)) $(if $(WRITE),--write)

format: install ## Rewrites the sources in the one format, or only those in IN=node/core.
	@$(NODE) .ci/format.ts $(IN)

fresh: ## Clones the last commit into an empty folder and runs make test there, as a newcomer would.
	@clone=$$(mktemp -d) && trap "rm -rf $$clone" EXIT && git clone -q . $$clone/polebench && \
	  $(MAKE) -C $$clone/polebench test

doctor: install ## Says what this machine can do, and what to install for the rest.
	@$(NODE) orchestrator/main.ts doctor

calibrate: install ## Measures the emulated network of TOPOLOGY=3dc and certifies it; ARGS="--help".
	@$(NODE) orchestrator/main.ts calibrate $(or $(TOPOLOGY),3dc) $(ARGS)

testbed: install ## Keeps the machines of TOPOLOGY=3dc up, to look into them from outside; ARGS="--help".
	@$(NODE) orchestrator/main.ts up $(or $(TOPOLOGY),3dc) $(ARGS)

image: install ## Builds the container image of the replica, and says on which base.
	@$(NODE) orchestrator/main.ts image

test-netem: install ## Tests the engine netem: on this kernel, or in User Mode Linux where it has none.
	@$(NODE) --test orchestrator/testbed/network/netem.system.test.ts

bench-plane: install ## Measures how exact and how fast the packet plane is, asked beside measured; ARGS="--help".
	@$(NODE) orchestrator/main.ts bench-plane $(ARGS)

clean: ## Removes everything that the other targets made, node_modules included.
	@test ! -x $(NODE) || $(NODE) orchestrator/main.ts clean
	rm -rf node_modules .cache .ci/.stamp-*
