# Everything runs in the project's own .venv, made from Python 3.11 or newer. Nothing is installed outside of it.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test check lint types layers docs clients clients-old node clean

$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "sesh needs Python 3.11 or newer on PATH."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sesh needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . --group dev
	@touch $(STAMP)

demo: $(STAMP)  ## a bundled session goes over to the other client and back, in a temporary home
	$(BIN)/sesh demo

test: $(STAMP)  ## the whole test suite; what needs a real client, Postgres or a browser skips where it is absent
	$(BIN)/python -m pytest -n auto $(PYTEST)

check: lint types layers docs  ## what CI asks besides the tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/deptry src

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

docs: $(STAMP)
	$(BIN)/python -m tests.generate --check

clients:  ## the pinned real clients, for the tests that resume in them (about 760 MB, outside of git)
	cd tests/clients && npm install --ignore-scripts --no-package-lock --no-audit --no-fund

node:  ## ajv and the TypeScript compiler, for the tests of the schema (30 MB, outside of git)
	cd schema/check && npm install --ignore-scripts --no-package-lock --no-audit --no-fund

clients-old: $(STAMP)  ## spot checks in older clients, installed first (530 MB, outside of git)
	cd tests/clients/old && npm install --ignore-scripts --no-package-lock --no-audit --no-fund
	SESH_REQUIRE_OLD_CLIENTS=1 $(BIN)/python -m pytest tests/e2e/test_old_clients.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
