# Every target makes .venv and installs what it needs; nothing else has to be on the machine.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test check bench pictures clean

demo: .venv/installed
	$(BIN)/python examples/01_wave.py out

test: .venv/installed-test tests/validators/node_modules
	$(BIN)/kinesphere doctor --warm
	$(BIN)/python -m pytest

check: .venv/installed-dev tests/validators/node_modules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

bench: .venv/installed-bench
	$(BIN)/kinesphere doctor --warm
	$(BIN)/python benchmarks/run.py

pictures: .venv/installed
	$(BIN)/python docs/make_pictures.py docs/pictures

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(PIP) --editable .
	touch $@

.venv/installed-test: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[test]'
	touch $@

.venv/installed-dev: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[dev]'
	touch $@ .venv/installed-test

.venv/installed-bench: pyproject.toml | .venv/bin/python
	$(PIP) --editable '.[test,bench]'
	touch $@

# The Khronos validator runs on the Node that comes as a Python package.
tests/validators/node_modules: tests/validators/package-lock.json | .venv/installed-test
	cd tests/validators && ../../$(BIN)/npm ci --no-audit --no-fund --loglevel=error
	touch $@

clean:
	rm -rf .venv out build dist tests/validators/node_modules .mypy_cache .ruff_cache .pytest_cache
