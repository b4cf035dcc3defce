.PHONY: demo sim dist bench fuzz mutants test check docs format

demo:  ## the whole chain in this terminal, on simulated GPUs; ARGS=--stay keeps it up
	@build/demo $(ARGS)

sim:   ## worlds from seeds: SEEDS=10000 FIRST=0, or one again: FIRST=n MOVES=m
	@build/sim "$(SEEDS)" "$(FIRST)" "$(MOVES)"

test:  ## every test, the formatter and the static checks
	@build/maven verify

check: ## formatter, Error Prone, NullAway and the house rules, without the other tests
	@build/maven verify -Dtest='HouseRulesTest' -Dsurefire.failIfNoSpecifiedTests=false

format: ## formats the sources
	@build/maven spotless:apply

docs:  ## writes the generated pages under docs/
	@build/docs

dist:   ## both programs as they are shipped, under target/dist; ARGS=--no-aot without caches
	@build/dist $(ARGS)

bench:  ## measures what the README promises, some 15 minutes; ARGS="start verbs" only these parts
	@build/bench $(ARGS)

fuzz:  ## a million damaged requests, annotations and kubelet calls; RUNS=n SEED=n, or FUZZ=class RUN=n
	@RUNS="$(RUNS)" SEED="$(SEED)" FUZZ="$(FUZZ)" RUN="$(RUN)" build/fuzz

mutants: ## each kept mutant must be killed by the test that it names; MUTANTS="name ..." for some
	@build/mutants $(MUTANTS)
