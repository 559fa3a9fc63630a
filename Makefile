# Everything a person types. Set-up comes first in each target and costs a moment when it has been done.
SHELL := /bin/sh
PYTEST := .venv/bin/pytest
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup run test lint types sim soak bench-rules bench-reader hil hil-emulated docs clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

setup: ## bring what is needed onto this machine (done by the others too)
	@sh tools/setup.sh

run: setup ## a whole table on this machine: twin, firmware, broker, daemon, page (SPINS=N ends after N spins, READER=camera|tags|both)
	@.venv/bin/tumbler demo $(if $(SPINS),--spins $(SPINS)) $(if $(SEED),--seed $(SEED)) $(if $(BOOK),--book $(BOOK)) $(if $(PACE),--pace $(PACE)) $(if $(READER),--reader $(READER)) $(if $(LISTEN),--listen $(LISTEN))

test: setup lint types ## the whole test suite, after every fault in virtual time on fixed and fresh seeds
	.venv/bin/tumbler sim
	$(PYTEST) -n $(JOBS) --dist loadgroup

hil: setup ## the hardware suite on the twin, with its report in reports/hil (RIG=serial:PORT KEY=FILE for a real table)
	$(PYTEST) hil_tests --rig $(or $(RIG),twin) $(if $(KEY),--key $(KEY)) $(if $(RIG),,-n $(JOBS) --dist loadgroup) --hil-report reports/hil

hil-emulated: setup ## the same firmware on an emulated RP2040, with its report in reports/hil-emulated (needs a UF2, docs/hil.md)
	$(PYTEST) hil_tests/test_emulated*.py --rig emulated -n $(JOBS) --dist loadgroup --hil-report reports/hil-emulated

lint: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: setup
	.venv/bin/mypy
	.venv/bin/python tools/typecheck_firmware.py

sim: setup ## every fault by the thousand in virtual time: fixed seeds and fresh ones (SEED=S, STEPS=N, RUNS=N)
	@.venv/bin/tumbler sim $(if $(SEED),--seed $(SEED)) $(if $(STEPS),--steps $(STEPS)) $(if $(RUNS),--runs $(RUNS))

soak: setup ## the real processes with every fault: 500 kills, 500 power cuts, ... (FACTOR=0.01 in one minute)
	@.venv/bin/tumbler soak $(if $(FACTOR),--factor $(FACTOR)) $(if $(KILLS),--kills $(KILLS)) $(if $(CUTS),--cuts $(CUTS)) $(if $(OUTAGES),--outages $(OUTAGES)) $(if $(UNPLUGS),--unplugs $(UNPLUGS)) $(if $(SEED),--seed $(SEED))

bench-rules: setup ## settlement and simulation beside crapssim, in one run
	@.venv/bin/tumbler bench rules simulate

bench-reader: setup ## the camera reader on real photographs and on the twin's frames, report in reports/reader (THROWS=N SEED=S)
	@.venv/bin/python -m tumbler.eye.bench $(if $(THROWS),--throws $(THROWS)) $(if $(SEED),--seed $(SEED))

docs: setup ## make the generated references in docs/ again
	.venv/bin/python tools/references.py

clean: ## remove what set-up and runs have made
	rm -rf .venv .tools run reports .pytest_cache .mypy_cache .ruff_cache .hypothesis
