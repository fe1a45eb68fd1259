# The four words to know: demo, test, bench, clean.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test bench format lint types layers unit clean

demo: .venv/.installed
	@$(BIN)/dragoman demo

test: lint types layers unit

bench: .venv/.installed
	@$(BIN)/python -m bench.run

format: .venv/.dev-installed
	$(BIN)/ruff format src tests bench
	$(BIN)/ruff check --fix src tests bench

lint: .venv/.dev-installed
	$(BIN)/ruff format --check src tests bench
	$(BIN)/ruff check src tests bench
	$(BIN)/deptry src

types: .venv/.dev-installed
	$(BIN)/mypy

layers: .venv/.dev-installed
	$(BIN)/lint-imports

unit: .venv/.dev-installed
	$(BIN)/pytest -n auto --dist loadfile

.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("dragoman needs Python 3.11 or newer: make PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --editable ".[voice]"
	@touch $@

.venv/.dev-installed: .venv/.installed
	@$(BIN)/python -m pip install --quiet --group dev
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
