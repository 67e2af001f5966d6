# make demo: set up and show one plan worked from start to end.   make test: set up and run all tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
ADK := $(VENV)-adk
RECIPES := $(VENV)-recipes
ON_ADK := $(foreach name,google_adk strands,src/holdfast/adapters/$(name).py $(wildcard tests/adapters/*_$(name).py))
IN_RECIPES := $(foreach name,llama_index smolagents crewai temporal,$(wildcard tests/adapters/*_$(name).py tests/adapters/$(name)_*.py))
COUNTED := $(if $(COVERAGE),-m coverage run)
PYRIGHT := PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

.PHONY: demo test check mutation bench torture docs dist conformance e2e eval-docs format clean origins recipes

demo: $(VENV)/base
	@$(BIN)/python examples/demo.py

# COVERAGE=1 counts lines and branches in every process, and fails below the floor that pyproject.toml has.
test: $(VENV)/dev $(ADK)/dev
	@$(if $(COVERAGE),$(BIN)/python -m coverage erase)
	@$(BIN)/python $(COUNTED) -m pytest -n auto
	@$(ADK)/bin/python $(COUNTED) -m pytest tests/adapters
	@$(if $(COVERAGE),$(BIN)/python -m coverage combine --quiet)
	@$(if $(COVERAGE),$(BIN)/python -m coverage report)

# The frameworks of docs/recipes.md in the suite of the adapters, and Temporal: they are too heavy for `make test`.
recipes: $(VENV)/dev $(RECIPES)/dev
	$(BIN)/mypy --python-executable $(RECIPES)/bin/python --cache-dir .mypy_cache/recipes --follow-imports=silent $(IN_RECIPES)
	$(RECIPES)/bin/python -m pytest tests/adapters

check: $(VENV)/dev $(ADK)/dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tests/adapters/conftest.py
	$(BIN)/mypy tests/web/conftest.py
	$(BIN)/mypy --python-executable $(ADK)/bin/python --cache-dir .mypy_cache/adk --follow-imports=silent $(ON_ADK)
	$(PYRIGHT) --pythonpath $(BIN)/python
	$(PYRIGHT) --project requirements/pyright-adk.json --pythonpath $(ADK)/bin/python
	$(BIN)/python -m pytest -q tests/test_imports.py
	$(BIN)/python -m dev.release.audit

# Small faults put into the engine one by one: does a test notice? Some ten minutes.
mutation: $(VENV)/dev
	@$(BIN)/python -m dev.mutation

bench: $(VENV)/dev
	@$(BIN)/python -m dev.bench
	@$(BIN)/python -m dev.bench.report

docs: $(VENV)-docs/docs
	@NO_MKDOCS_2_WARNING=1 $(VENV)-docs/bin/mkdocs build --quiet

# QUICK=1 tries a little of each; ONLY="folders servers" runs those parts; LONGER=10 tries ten times as much.
torture: $(VENV)/torture
	@$(BIN)/python -m dev.torture $(if $(SEED),--seed $(SEED)) $(if $(LONGER),--longer $(LONGER)) $(if $(QUICK),--quick) $(ONLY)

# The real coding agents, from npm. SCRATCH=folder keeps them for the next time; CLIENTS="codex gemini" tries only those.
e2e: $(VENV)/dev
	@$(BIN)/python -m dev.e2e $(if $(SCRATCH),--scratch $(SCRATCH)) $(CLIENTS)

# URL=https://… is where the project lives, for the links of its page on an index.
dist: export PROJECT_URL = $(URL)
dist: $(VENV)/dev
	rm -rf dist
	$(BIN)/python -m hatchling build
	$(BIN)/python -m dev.release dist $(if $(QUICK),--quick) $(if $(ONLY),--only '$(ONLY)')

conformance: $(VENV)/dev
	@$(BIN)/python -m dev.e2e.conformance

# LangChain's and Hermes Agent's own tests of their todo tools on our dialects. HERMES=folder is a checkout of the second.
origins: $(VENV)/dev
	@$(BIN)/python -m dev.e2e.origins $(if $(HERMES),--hermes $(HERMES))

# Writes the tables and plots of docs/eval.md anew: what each is made of stands in its mark there.
eval-docs: $(VENV)/dev
	$(BIN)/python -m holdfast.evaluation.markdown docs/eval.md dev/bench/results

format: $(VENV)/dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(ADK) $(RECIPES) $(VENV)-docs site .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.*

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/base: requirements/base.txt requirements/build.txt pyproject.toml | $(BIN)/python
	$(PIP) install -r requirements/base.txt -r requirements/build.txt
	$(PIP) install --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/dev: $(wildcard requirements/*.txt) $(VENV)/base
	$(PIP) install -r requirements/dev.txt
	@touch $@

# google-adk and strands-agents do not go together with what the others are tested with.
$(ADK)/dev: requirements/adk.txt requirements/base.txt requirements/build.txt pyproject.toml
	$(PYTHON) -m venv $(ADK)
	$(ADK)/bin/python -m pip --quiet --disable-pip-version-check install -r requirements/adk.txt
	$(ADK)/bin/python -m pip --quiet --disable-pip-version-check install --no-build-isolation --no-deps -e .
	@touch $@

$(RECIPES)/dev: requirements/recipes.txt requirements/recipe-tests.txt requirements/build.txt pyproject.toml
	$(PYTHON) -m venv $(RECIPES)
	$(RECIPES)/bin/python -m pip --quiet --disable-pip-version-check install -r requirements/recipes.txt -r requirements/recipe-tests.txt
	$(RECIPES)/bin/python -m pip --quiet --disable-pip-version-check install --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)-docs/docs: requirements/docs.txt
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/python -m pip --quiet --disable-pip-version-check install -r requirements/docs.txt
	@touch $@

$(VENV)/torture: requirements/torture.txt $(VENV)/dev
	$(PIP) install -r requirements/torture.txt
	@touch $@
