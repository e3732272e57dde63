# What people call: `make demo` and `make test`. Both set up what they need and ask nothing.
# Python 3.11 or newer is found by itself; `make PYTHON=/path/to/python3 ...` names another.

PORT ?= 8000
BIN := .venv/bin
MANAGE := $(BIN)/python manage.py

# A production environment that is complete, for the checks alone: nothing is served with this key.
CHECKED_AS_PRODUCTION := env FUNDSTELLE_ENV=production FUNDSTELLE_DEBUG=0 FUNDSTELLE_HOSTS=fundstelle.example \
	FUNDSTELLE_SECRET_KEY=only-for-the-checks-$$($(BIN)/python -c 'import secrets; print(secrets.token_hex(32))')

# The tests start hundreds of processes: without what Python compiled before, each would compile all of it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-postgres drill check bench messages lock format

demo: .venv/for-running  ## Serve demo documents on http://localhost:$(PORT)
	@exec $(MANAGE) demo --port $(PORT)

test: check  ## Everything: checks, unit tests, browser tests
	@CHROMIUM="$$(sh e2e/find-chromium)" && export CHROMIUM && exec $(BIN)/pytest -n 2 $(ARGS)

test-postgres: .venv/for-development  ## The unit and browser tests on a PostgreSQL server, found or installed, and started for them
	@CHROMIUM="$$(sh e2e/find-chromium)" && export CHROMIUM && exec e2e/with-postgres $(BIN)/pytest -n 2 $(ARGS)

drill: .venv/for-development  ## Faults, tried for real: kill -9, full disk, damaged index and others; some take root
	@env DJANGO_SETTINGS_MODULE=evidence.tests.settings $(BIN)/python -m drill $(ARGS)

check: .venv/for-development  ## Format, lint, types, import rules, templates, migrations, deployment
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	find templates -name '*.html' -exec $(BIN)/djade --check --target-version 5.2 {} +
	$(MANAGE) makemigrations --check --dry-run --verbosity 0
	$(CHECKED_AS_PRODUCTION) $(MANAGE) check --deploy --fail-level WARNING

bench: .venv/for-development  ## Measure; bench/README.md tells how to read it
	@$(BIN)/python -m bench.search
	@$(BIN)/python -m bench.product
	@$(BIN)/python -m bench.resolving
	@$(BIN)/python -m bench.pages

format: .venv/for-development
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .
	find templates -name '*.html' -exec $(BIN)/djade --target-version 5.2 {} +

messages: .venv/for-development  ## Collect and compile German messages (needs gettext)
	$(MANAGE) makemessages --locale de --no-obsolete --no-wrap --add-location file \
		--ignore .venv --ignore data --ignore staticfiles
	$(MANAGE) compilemessages --locale de --ignore .venv

lock:  ## Renew the locked dependencies (needs uv)
	uv pip compile pyproject.toml $(LOCK) --output-file requirements.txt
	uv pip compile pyproject.toml $(LOCK) --extra origins --constraint requirements.txt --output-file requirements-origins.txt
	uv pip compile pyproject.toml $(LOCK) --extra mcp --constraint requirements-origins.txt --output-file requirements-mcp.txt
	uv pip compile pyproject.toml $(LOCK) --extra origins --extra mcp --group dev --constraint requirements-mcp.txt \
		--output-file requirements-dev.txt
LOCK := --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links

# The virtual environment, made once and brought up to date when the locked dependencies change.

.venv/for-running: requirements.txt | .venv/bin/python
	@echo "Installing the dependencies (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

.venv/for-development: requirements-dev.txt | .venv/bin/python
	@echo "Installing the dependencies (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@ .venv/for-running

PYTHON ?=
.venv/bin/python:
	@for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
		if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			exec $$python -m venv .venv; \
		fi; \
	done; \
	echo "Fundstelle needs Python 3.11 or newer with its venv module." >&2; \
	echo "On Debian and Ubuntu: apt-get install python3-venv" >&2; \
	echo "Elsewhere name one: make PYTHON=/path/to/python3 ..." >&2; \
	exit 1
