# Every target makes what it needs: nothing has to be installed first but Python and make.
#
#   PYTHON=python3.13   the interpreter of the virtual environment; another one rebuilds it
#   VENV=.venv          where the environment is
#   ARGS=...            handed to pytest, the benchmarks or the demo

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=

BIN   := $(VENV)/bin
PY    := $(BIN)/python
SINCE := 3.11

PYTHON_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
# Named after the interpreter, so that another PYTHON is seen as an environment that is not there yet.
STAMP := $(VENV)/.installed-$(or $(PYTHON_VERSION),none)

LOCALE     := controller/locale
POT        := $(LOCALE)/pozo.pot
SOURCES_PO := $(wildcard $(LOCALE)/*/LC_MESSAGES/pozo.po)
CATALOGUES := $(SOURCES_PO:.po=.mo)

# Whoever runs a table may not be allowed to write bytecode beside the sources, and would compile them at each start.
BYTECODE := $(VENV)/.compiled
SOURCES  := $(shell find controller hal firmware -name '*.py')

READY := $(STAMP) $(CATALOGUES) $(BYTECODE)

# System packages are installed only without asking anybody: as root, or by a sudo that needs no password.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo -n)
APT  := $(SUDO) apt-get update -qq && $(SUDO) apt-get install --yes -qq --no-install-recommends

.DELETE_ON_ERROR:
.PHONY: help venv demo test check bench hil soak messages wiring install uninstall rollback clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(READY) ## The virtual environment with everything the other targets need

demo: $(READY) ## A table on simulated hardware, live in the terminal (Ctrl-C ends it)
	$(BIN)/pozo demo $(ARGS)

test: export HYPOTHESIS_PROFILE ?= ci
test: $(READY) ## All tests but the benchmarks, the same ones each time
	@command -v systemd-analyze >/dev/null || { command -v apt-get >/dev/null && $(APT) systemd; } || { \
		echo "the units cannot be examined without systemd-analyze (on Debian: sudo apt-get install systemd)" >&2; }
	$(PY) -m pytest $(ARGS)

# The cache of import-linter keeps what an import meant before the module it names was there.
check: $(READY) ## Style, format, types and import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(READY) ## Speed, as ratios to what the machine itself can do
	$(PY) -m tests.bench $(ARGS)

hil: $(READY) ## The installed table on a real kernel: hands, electricity, power cuts (docs/bench.md)
	$(PY) -m tests.hil $(ARGS)

soak: export HYPOTHESIS_PROFILE := soak
soak: $(READY) ## The property tests for hours, with new examples each time
	$(PY) -m pytest -m hypothesis $(ARGS)

messages: $(STAMP) ## Sentences of the source into the catalogues, to be translated there
	$(BIN)/pybabel -q extract --no-default-keywords -k msg --add-location=file --sort-output \
		--project=pozo --copyright-holder='The pozo authors' -o $(POT) controller
	$(BIN)/pybabel -q update --domain=pozo --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date \
		-i $(POT) -d $(LOCALE)

wiring: $(STAMP) ## Drawings, pin tables and example configurations, from wiring/*.toml
	@command -v dot >/dev/null || { command -v apt-get >/dev/null && $(APT) graphviz; } || { \
		echo "a harness that changed cannot be drawn without Graphviz (on Debian: sudo apt-get install graphviz)" >&2; }
	$(PY) -m wiring

install uninstall rollback: export PYTHON := $(PYTHON)
install: ## pozo on this machine, for systemd (as root); an upgrade copies all journals first
	@systemd/install.sh install

uninstall: ## Take it away again; configurations, journals and users stay
	@systemd/install.sh uninstall

rollback: ## Back to the version before, while it understands all journals
	@systemd/install.sh rollback

clean: ## Everything that make made
	rm -rf $(VENV) build dist *.egg-info $(POT) $(LOCALE)/*/LC_MESSAGES/*.mo
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find controller hal firmware tests wiring -name __pycache__ -prune -exec rm -rf {} +

$(STAMP): pyproject.toml setup.py constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < tuple(map(int, "$(SINCE)".split("."))))' 2>/dev/null || { \
		echo "pozo needs Python $(SINCE) or newer; $(PYTHON) is $(or $(PYTHON_VERSION),not there)." \
			"Try: make $(or $(MAKECMDGOALS),venv) PYTHON=python$(SINCE)" >&2; \
		exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "installing what $(PYTHON) lacks to make an environment: python$(PYTHON_VERSION)-venv"; \
		command -v apt-get >/dev/null && $(APT) python$(PYTHON_VERSION)-venv; } || { \
		echo "$(PYTHON) cannot make virtual environments. Install its 'venv' and 'ensurepip' modules" \
			"(on Debian: sudo apt-get install python$(PYTHON_VERSION)-venv), then try again." >&2; \
		exit 1; }
	@test -e $@ || $(PYTHON) -m venv --clear $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt setuptools babel
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-build-isolation -e '.[demo,display,gpio,plots,test,wiring]'
	@touch $@

$(BYTECODE): $(STAMP) $(SOURCES)
	$(PY) -m compileall -q controller hal firmware
	@touch $@

%.mo: %.po | $(STAMP)
	$(PY) setup.py --quiet compile_catalogues
