SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup install check test unit sim bench mutants mutate format fresh clean
.PHONY: run compare members theory paper report agree predict placements noise package recipe
.PHONY: book diff history regress published
.PHONY: elections fuzz load torture doctor calibrate testbed image test-netem bench-plane

ARCH := $(subst aarch64,arm64,$(subst x86_64,x64,$(shell uname -m)))
NODE := node_modules/node-linux-$(ARCH)/bin/node
VIRTUAL := $(NODE) --max-semi-space-size=32 node/host/virtual/main.ts
WHOLE := $(NODE) --max-semi-space-size=32 node/testing/worlds/main.ts
# NAME=value for make is --name value for the program.
flag = $(if $($(1)),--$(2) '$($(1))')
TRIAL = $(call flag,TOPOLOGY,topology) $(call flag,SYSTEM,system) $(call flag,ELECTION,election) \
  $(call flag,RUNTIME,runtime) $(call flag,DURATION,duration) $(call flag,KILL_AT,kill-at) \
  $(call flag,FAULT,fault) $(call flag,RATE,rate) $(call flag,LOAD,load) $(call flag,CLIENT,client) \
  $(call flag,REPEAT,repeat) $(call flag,SEED,seed) $(call flag,THRESHOLD,threshold) \
  $(call flag,PREFERENCE,preference) $(if $(QUICK),--quick)
# WATCH=1, or a port.
WATCHED = $(if $(WATCH),--watch $(if $(filter-out 1,$(WATCH)),$(WATCH))) $(call flag,EVENTS,events)

help: ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

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

sim: install ## The swarm in virtual time: SEEDS=2000 worlds or the one of SEED=42, WORLDS=server.
ifeq ($(WORLDS),server)
	@$(WHOLE) sim $(call flag,SEEDS,seeds) $(call flag,FROM,from) $(call flag,SEED,seed) \
	  $(call flag,INCIDENTS,incidents) $(call flag,GUESTS,guests) $(call flag,MUTANT,mutant) $(ARGS)
else
	@$(VIRTUAL) sim $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED)) $(call flag,ELECTION,election)
endif

bench: install ## Ours beside ZooKeeper and etcd, in drawn order; resumes: QUICK=1, ARGS="--help".
	@$(VIRTUAL) bench
	@$(NODE) orchestrator/bench/main.ts $(if $(QUICK),--quick) $(ARGS)

mutants: install ## Shows that the swarm bites: every mutant must die; WORLDS=server|election.
ifeq ($(WORLDS),server)
	@$(WHOLE) mutants $(call flag,SEEDS,seeds) $(call flag,MUTANT,mutant) $(if $(WRITE),--write) $(ARGS)
else ifeq ($(WORLDS),election)
	@$(NODE) node/testing/election/mutants-main.ts $(if $(WRITE),--write)
else
	@$(VIRTUAL) mutants $(if $(SEEDS),--seeds $(SEEDS)) $(if $(MUTANT),--mutant $(MUTANT)) \
	  $(call flag,ELECTION,election) $(if $(WRITE),--write)
endif

mutate: install ## Shows what a room's quick tests do not see: IN=check SAMPLE=60|all SEED=1; resumes.
	@IN="$(IN)" $(if $(SAMPLE),SAMPLE="$(SAMPLE)") $(if $(SEED),SEED="$(SEED)") $(if $(JOBS),JOBS="$(JOBS)") \
	  $(NODE) .ci/mutate.ts

format: install ## Rewrites the sources in the one format, or only those in IN=node/core.
	@$(NODE) .ci/format.ts $(IN)

fuzz: install ## Feeds ports and files with what is almost right: MINUTES=3 SEED=1 TARGET=log RECORD=DIR.
	@$(NODE) orchestrator/fuzz/main.ts $(call flag,MINUTES,minutes) $(call flag,SEED,seed) \
	  $(call flag,TARGET,target) $(call flag,RECORD,record)

torture: install ## Real servers under faults, judged: MINUTES=3 SEED=1 TOPOLOGY=lan|3dc MUTANT=all.
	@$(NODE) orchestrator/torture/main.ts $(call flag,MINUTES,minutes) $(call flag,SEED,seed) \
	  $(call flag,TOPOLOGY,topology) $(call flag,SYSTEM,system) $(call flag,ELECTION,election) \
	  $(call flag,MUTANT,mutant) $(call flag,RECORD,record) $(ARGS)

load: install ## Many sessions, watches and znodes, then three times the capacity: ARGS="--part overload".
	@$(NODE) orchestrator/load/main.ts $(ARGS)

fresh: ## Clones the last commit into an empty folder and runs make test there, as a newcomer would.
	@clone=$$(mktemp -d) && trap "rm -rf $$clone" EXIT && git clone -q . $$clone/polebench && \
	  $(MAKE) -C $$clone/polebench test

run: install ## Runs a trial and reports: TOPOLOGY=3dc ORACLE=latency RUNTIME=sim QUICK=1 KILL_AT LOAD RATE.
	@$(NODE) orchestrator/main.ts run $(TRIAL) $(WATCHED) $(call flag,ORACLE,oracle) $(ARGS)

compare: install ## Runs oracles side by side: TOPOLOGY=3dc ORACLES=history,latency REPEAT=5; resumes.
	@$(NODE) orchestrator/main.ts compare $(TRIAL) $(WATCHED) $(call flag,ORACLES,oracles) $(ARGS)

.PHONY: peers
peers: install ## Oracles beside ZooKeeper and etcd: TOPOLOGIES=3dc,lan ARMS=latency,etcd REPEAT=3; resumes.
	@$(NODE) orchestrator/main.ts peers $(call flag,TOPOLOGIES,topologies) $(call flag,ARMS,arms) \
	  $(call flag,REPEAT,repeat) $(call flag,DURATION,duration) $(call flag,RATE,rate) \
	  $(call flag,SEED,seed) $(if $(QUICK),--quick) $(ARGS)

.PHONY: kills
kills: install ## The leader lost in several ways, ours beside others: KINDS=process,disk REPEAT=9; resumes.
	@$(NODE) orchestrator/main.ts kills $(call flag,KINDS,kinds) $(call flag,ARMS,arms) \
	  $(call flag,TOPOLOGY,topology) $(call flag,REPEAT,repeat) $(call flag,RATE,rate) \
	  $(call flag,RUNTIME,runtime) $(call flag,SEED,seed) $(ARGS)

elections: install ## Runs elections side by side: TOPOLOGY=3dc ELECTIONS=pole,lcr ORACLE=latency; resumes.
	@$(NODE) orchestrator/main.ts elections $(TRIAL) $(WATCHED) $(call flag,ELECTIONS,elections) \
	  $(call flag,ORACLE,oracle) $(ARGS)

members: install ## Members of a group elect, without a service: MEMBERS=50 ELECTION=le-s LOSS=10% SHARED=1.
	@$(NODE) orchestrator/main.ts members $(call flag,TOPOLOGY,topology) $(call flag,MEMBERS,members) \
	  $(call flag,N,members) $(call flag,ELECTION,election) $(call flag,ALGORITHM,election) \
	  $(call flag,LOSS,loss) $(if $(SHARED),--shared $(SHARED:1=)) \
	  $(call flag,RUNTIME,runtime) $(call flag,DURATION,duration) $(call flag,KILL_AT,kill-at) \
	  $(call flag,FAULT,fault) $(call flag,REPEAT,repeat) $(call flag,SEED,seed) \
	  $(call flag,THRESHOLD,threshold) $(WATCHED) $(ARGS)

theory: install ## The lectures' elections, counted beside what is said: ALGORITHM=lcr N=64 RING=3,37,19.
	@$(NODE) orchestrator/main.ts theory $(call flag,ALGORITHM,algorithm) $(call flag,N,n) \
	  $(call flag,RING,ring) $(call flag,INITIATORS,initiators) $(call flag,DEAD,dead) $(call flag,LATE,late) \
	  $(call flag,ORDER,order) $(call flag,SEED,seed) $(ARGS)

paper: install ## The POLE paper's experiments: FIG=3|4b|6|7a|7b|7c|8a|8b|all QUICK=1 RUNTIME=sim STATE=1,50.
	@$(NODE) orchestrator/main.ts paper $(call flag,FIG,figure) $(call flag,RUNTIME,runtime) \
	  $(call flag,REPEAT,repeat) $(call flag,SEED,seed) $(call flag,STATE,state) $(if $(QUICK),--quick) \
	  $(WATCHED) $(ARGS)

recipe: install ## Clients of a service elect: TOPOLOGY=3dc RECIPE=chain,kazoo FAULT=kill,hang MEMBERS=12.
	@$(NODE) orchestrator/main.ts recipe $(call flag,TOPOLOGY,topology) $(call flag,RECIPE,recipe) \
	  $(call flag,SYSTEM,system) $(call flag,MEMBERS,members) $(call flag,STRATEGY,strategy) \
	  $(call flag,FAULT,fault) $(call flag,REPEAT,repeat) $(call flag,SEED,seed) $(ARGS)

package: install ## Packs the recipes for other projects: JavaScript, declarations, the command line.
	@$(NODE) .ci/package.ts

report: install ## Makes charts and pages again: RUN= folder of a run, comparison or paper.
	@$(NODE) orchestrator/main.ts report $(or $(RUN),reports/run/latest) $(ARGS)

.PHONY: replay fork
replay: install ## Writes a run that is over as one page with a slider, to be watched offline: RUN=.
	@$(NODE) orchestrator/main.ts replay $(or $(RUN),reports/run/latest) $(ARGS)

fork: install ## Another future of a run in virtual time: RUN= AT=5s FAULT='link slac fnal 100ms' ORACLE=.
	@$(NODE) orchestrator/main.ts fork $(or $(RUN),reports/run/latest) $(call flag,AT,at) \
	  $(call flag,FAULT,fault) $(call flag,ORACLE,oracle) $(call flag,PREFERENCE,preference) $(ARGS)

agree: install ## Runs the plans of live runs in virtual time too, both side by side: RUN=reports/run/latest.
	@$(NODE) orchestrator/main.ts agree $(or $(RUN),reports/run/latest) $(ARGS)

predict: install ## Prints what physics allows, and whom each oracle would elect: TOPOLOGY=3dc LOAD=fnal:1.
	@$(NODE) orchestrator/main.ts predict $(call flag,TOPOLOGY,topology) $(call flag,LOAD,load) $(ARGS)

placements: install ## Random placements in virtual time, and what exceeds physics: SEEDS=1000 SEED=42.
	@$(NODE) orchestrator/main.ts placements $(call flag,SEEDS,seeds) $(call flag,SEED,seed) $(ARGS)

noise: install ## Compares an arm with itself, and counts how often that differs: COMPARISONS=100 RUNTIME=sim.
	@$(NODE) orchestrator/main.ts noise $(TRIAL) $(call flag,ORACLE,oracle) \
	  $(call flag,COMPARISONS,comparisons) $(ARGS)

published: install ## Makes the published page of what is kept; CHECK=1 says what follows from nothing.
	@$(NODE) orchestrator/main.ts published $(if $(CHECK),--check)

book: install ## Prints every run so far: BOOK=reports FORMAT=markdown|csv|json|junit.
	@$(NODE) orchestrator/main.ts book $(or $(BOOK),reports) $(call flag,FORMAT,format)

diff: install ## Sets two runs beside each other, number by number: A=reports/run/... B=reports/run/...
	@$(NODE) orchestrator/main.ts diff '$(A)' '$(B)' $(call flag,NUMBERS,numbers) $(ARGS)

history: install ## Follows a number over the commits that measured it: NUMBER=outage BOOK=reports.
	@$(NODE) orchestrator/main.ts history '$(or $(NUMBER),outage)' $(call flag,BOOK,book)

regress: install ## Holds the last runs against a baseline: BASELINE=FILE BOOK=reports WRITE=1 NUMBERS=outage.
	@$(NODE) orchestrator/main.ts regress '$(BASELINE)' $(call flag,BOOK,book) $(call flag,NUMBERS,numbers) \
	  $(if $(WRITE),--write)

doctor: install ## Says what this machine can do, and what to install for the rest.
	@$(NODE) orchestrator/main.ts doctor

calibrate: install ## Measures the emulated network of TOPOLOGY=3dc and certifies it; ARGS="--help".
	@$(NODE) orchestrator/main.ts calibrate $(or $(TOPOLOGY),3dc) $(ARGS)

testbed: install ## Keeps the machines of TOPOLOGY=3dc up, to look into them from outside; ARGS="--help".
	@$(NODE) orchestrator/main.ts up $(or $(TOPOLOGY),3dc) $(ARGS)

image: install ## Builds the replica's container image, or (SWEEP=1) that of a sweep's tasks on a swarm.
	@$(NODE) orchestrator/main.ts image $(if $(SWEEP),--sweep)

test-netem: install ## Tests the engine netem: on this kernel, or in User Mode Linux where it has none.
	@$(NODE) --test orchestrator/testbed/network/netem.system.test.ts

bench-plane: install ## Measures how exact and how fast the packet plane is, asked beside measured.
	@$(NODE) orchestrator/main.ts bench-plane $(ARGS)

.PHONY: advise
advise: install ## Where servers should be, and who leads best: RTT=matrix.csv SERVERS=5 GOAL=mean LOSE=site.
	@$(NODE) orchestrator/main.ts advise $(call flag,RTT,rtt) $(call flag,TOPOLOGY,topology) \
	  $(call flag,SERVERS,servers) $(call flag,LOAD,load) $(call flag,LOSE,lose) $(call flag,GOAL,goal) \
	  $(call flag,NOW,now) $(call flag,PLACES,places) $(ARGS)

.PHONY: sweep
sweep: install ## Thousands of trials in virtual time; resumes: PLACEMENTS=random:1000 SEEDS ENGINE=swarm.
	@$(NODE) orchestrator/main.ts sweep $(call flag,PLACEMENTS,placements) $(call flag,ORACLES,oracles) \
	  $(call flag,ELECTIONS,elections) $(call flag,SEEDS,seeds) $(call flag,SERVERS,servers) \
	  $(call flag,RATE,rate) $(call flag,DURATION,duration) $(call flag,WORKERS,workers) \
	  $(call flag,ENGINE,engine) $(call flag,AT,at) $(call flag,IMAGE,image) $(ARGS)

.PHONY: announce advise-timers
announce: install ## Announce-listen beside its formulas: FIG=5.6..5.13|text RUNTIME=sim|netns|docker QUICK=1.
	@$(NODE) orchestrator/main.ts announce $(call flag,FIG,figure) $(call flag,RUNTIME,runtime) \
	  $(if $(QUICK),--quick) $(ARGS)

advise-timers: install ## T_A, T_L, T_S, Byes for a group, and their cost: LOSS=5% N=20 DELAY=40ms SHARED=1.
	@$(NODE) orchestrator/main.ts advise-timers $(call flag,LOSS,loss) $(call flag,N,members) \
	  $(call flag,DELAY,delay) $(if $(SHARED),--shared) $(call flag,ANNOUNCE,announce) $(ARGS)

clean: ## Removes everything that the other targets made, node_modules included.
	@test ! -x $(NODE) || $(NODE) orchestrator/main.ts clean
	rm -rf node_modules .cache .ci/.stamp-*
