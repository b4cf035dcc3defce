.PHONY: demo test check docs format fuzz mutants

demo:  ## the whole chain in this terminal, on simulated GPUs; ARGS=--stay keeps it up
	@build/demo $(ARGS)

test:  ## every test, the formatter and the static checks
	@build/maven verify

check: ## formatter, Error Prone, NullAway and the house rules, without the other tests
	@build/maven verify -Dtest='HouseRulesTest' -Dsurefire.failIfNoSpecifiedTests=false

format: ## formats the sources
	@build/maven spotless:apply

docs:  ## writes the generated pages under docs/
	@build/docs

fuzz:  ## a million damaged requests, annotations and kubelet calls; RUNS=n SEED=n, or FUZZ=class RUN=n
	@RUNS="$(RUNS)" SEED="$(SEED)" FUZZ="$(FUZZ)" RUN="$(RUN)" build/fuzz

mutants: ## each kept mutant must be killed by the test that it names; MUTANTS="name ..." for some
	@build/mutants $(MUTANTS)
