# Every target sets up what it needs; nothing but Python 3.11 or newer and make has to be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
REPORT := build/certification
BUNDLED := plugin-path/file-source plugin-path/file-sink
EXACT := plugin-path/lake plugin-path/sql
CERTIFIED := certified-sources certified-sinks certified-exact-sources certified-exact-sinks

# Rewritten test modules are kept between runs and workers: without that, half of the time is parsing.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup browser mariadb certify certify-all $(CERTIFIED) lint test fast drills kill-matrix bench docs clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(firstword $(MAKEFILE_LIST)) | sed -E 's/:[^#]*##/\t/'

setup: $(READY) ## make the virtual environment

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $(PYTHON) is older than 3.11; name another one: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[all,dev]'
	-$(BIN)/plugwright prepare # Kafka and Spark work without it, at half the speed of their start
	touch $@

browser: ## install Chromium from Debian's packages, for the tests in a browser; as root
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null || { \
	  apt-get update --quiet=2 && \
	  apt-get install --quiet=2 --yes --no-install-recommends chromium; }

mariadb: ## install MariaDB from Debian's packages, for the tests of the SQL connectors; as root
	@command -v mariadbd > /dev/null || { \
	  apt-get update --quiet=2 && \
	  apt-get install --quiet=2 --yes --no-install-recommends mariadb-server; }

certify: setup ## certify the bundled plugins on Spark against a live Kafka
	$(BIN)/plugwright certify $(BUNDLED) --report $(REPORT)

certify-all: setup ## certify every connector of this repository, those of databases too
	$(MAKE) --jobs=4 --keep-going --output-sync=target $(CERTIFIED)

# Outages and restarts are waited for, so it takes four certifications at a time to keep two cores busy.
# The first connector of each serves the next one as the reference.
certified-sources: setup
	$(BIN)/plugwright certify plugin-path/file-source plugin-path/singer --type source --report $(REPORT)/sources

certified-sinks: setup
	$(BIN)/plugwright certify plugin-path/file-sink plugin-path/singer --type sink --report $(REPORT)/sinks

certified-exact-sources: setup
	$(BIN)/plugwright certify $(EXACT) --type source --report $(REPORT)/exact-sources

certified-exact-sinks: setup
	$(BIN)/plugwright certify $(EXACT) --type sink --report $(REPORT)/exact-sinks

lint: setup ## style, types, layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint ## everything but drills; what continuous integration runs
	$(BIN)/pytest -n auto --dist worksteal -m "not spark and not kafka and not drill"
	$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder -m "(spark or kafka) and not drill"

fast: setup ## the quick tests that need no JVM
	$(BIN)/pytest -n auto --dist each

drills: setup ## long crash drills; DRILL_MINUTES, DRILL_ROUNDS and DRILL_SEED say how long and which
	DRILL_MINUTES=$${DRILL_MINUTES:-60} $(BIN)/pytest -m drill

kill-matrix: setup ## run the checks on every broken connector
	$(BIN)/plugwright kill-matrix --live --output conformance/plugwright_conformance/kill_matrix.json

bench: setup ## benchmarks, each with its rival
	$(BIN)/python -m tests.benchmarks

docs: setup ## build the documentation site
	$(BIN)/sphinx-build -W -b html -d build/doctrees docs build/site

clean: ## remove what the targets made
	rm -rf build $(VENV)
