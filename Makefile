# Every target makes .venv and installs what it needs; nothing else has to be on the machine.
PYTHON ?= python3
BIN := .venv/bin
NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
# Files of tests in several processes; one browser each is enough for four.
PARALLEL := --numprocesses=logical --maxprocesses=4 --dist=loadfile --no-loadscope-reorder
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo studio test check browser bench docs viewer mannequin pictures clean

demo: .venv/installed
	$(BIN)/python examples/03_perform.py out

studio: .venv/installed-studio
	$(BIN)/kinesphere studio

test: browser .venv/installed-test tests/validators/node_modules
	$(BIN)/kinesphere doctor --warm
	$(BIN)/python hatch_build.py
	$(BIN)/python -m pytest -m 'not timing' $(PARALLEL)
	$(BIN)/python -m pytest -m timing

check: browser .venv/installed-dev tests/validators/node_modules web/node_modules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd web && $(NODE) npm run check && $(NODE) npm test
	$(MAKE) docs
	$(MAKE) test

# Before anything long: without a browser nothing can be tested. It is recorded in .venv.
browser: | .venv/bin/python
	@$(BIN)/python tools/browser.py

bench: .venv/installed-bench
	$(BIN)/kinesphere doctor --warm
	$(BIN)/python -m benchmarks.cold_start
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.performed
	$(BIN)/python -m benchmarks.listening
	$(BIN)/python -m benchmarks.live_speed
	$(BIN)/python -m benchmarks.training

# Pages and the reference from docstrings, as a site that opens from disk; warnings are errors.
docs: .venv/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo "$(CURDIR)/out/docs/index.html"

# The page's script, built with the Node that comes as a Python package.
viewer: .venv/installed-test
	$(BIN)/python hatch_build.py

# The default character's figure, stored in the package.
mannequin: .venv/installed
	$(BIN)/python -m tools.mannequin

pictures: .venv/installed-test
	$(BIN)/python docs/make_pictures.py docs/pictures
	$(BIN)/python -m docs.make_expression_pictures docs/pictures
	$(BIN)/python docs/make_performance_pictures.py docs/pictures
	$(BIN)/python docs/make_lexicon_pictures.py
	$(BIN)/python docs/make_listening_pictures.py docs/pictures
	$(BIN)/python docs/make_studio_pictures.py docs/pictures
	$(BIN)/kinesphere papers -o docs

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[voice,media]'
	touch $@

.venv/installed-studio: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[voice,media,studio]'
	touch $@

.venv/installed-test: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[test]'
	touch $@

.venv/installed-dev: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[dev]'
	touch $@ .venv/installed-test .venv/installed-docs

.venv/installed-docs: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[docs]'
	touch $@

.venv/installed-bench: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[test,bench]'
	touch $@

# The Khronos validator runs on the Node that comes as a Python package.
tests/validators/node_modules: tests/validators/package-lock.json | .venv/installed-test
	cd tests/validators && $(NODE) npm ci --no-audit --no-fund --loglevel=error
	touch $@

web/node_modules: web/package-lock.json | .venv/installed-test
	cd web && $(NODE) npm ci --no-audit --no-fund --loglevel=error
	touch $@

clean:
	rm -rf .venv out build dist tests/validators/node_modules web/node_modules
	rm -rf src/kinesphere/export/viewer .mypy_cache .ruff_cache .pytest_cache
