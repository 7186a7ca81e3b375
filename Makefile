# Two commands do all the set-up: `make run` and `make test`.
.PHONY: run test smoke check bench shots setup setup-tests

AS_ROOT := $(shell test "$$(id -u)" = 0 || echo sudo)

# Ghostpad, the web chat, with its own tools; without a key the stand-in answers.
# Another address: make run ARGS="--listen 127.0.0.1:8080"
# The profile is that of the tests, so that nothing is built twice; PROFILE=release takes
# longer to build and runs faster.
PROFILE := dev
run: setup
	cargo run --profile $(PROFILE) --package cli --bin ghosthand -- serve --dir apps/pad/tools $(ARGS)

# Starts `make run` on a free port, says something over the API, sees a tool run, stops it.
smoke: setup
	cargo xtask smoke

# All tests. CI runs `make check` too.
test: setup-tests
	cargo nextest run --workspace --no-fail-fast

TYPOS := target/test-packages/typos/venv/bin/typos
check: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo xtask tidy
	@if command -v cargo-deny >/dev/null; then cargo deny --log-level error check; \
	else echo "cargo deny is not installed; advisories were not checked"; fi
	@if test -x $(TYPOS); then $(TYPOS); \
	else echo "typos is not installed; spelling was not checked (make setup-tests installs it)"; fi

# Speed and memory, beside something real in the same run.
bench: setup
	cargo run --release --quiet --package benches

# Pictures of the page for the documents. Look at them before you keep them.
shots: setup-tests
	cargo nextest run --package cli --test page --run-ignored only

setup:
	@command -v cargo >/dev/null || { echo "Rust is missing: install rustup, then run this again"; exit 1; }

# Tests start servers of their own: Debian's package must not create and start one.
NO_CLUSTER := $(AS_ROOT) apt-get install -qq -y --no-install-recommends postgresql-common && \
	$(AS_ROOT) sed -i 's/^\#* *create_main_cluster.*/create_main_cluster = false/' \
	  /etc/postgresql-common/createcluster.conf

# What only tests need: their runner, a browser, and the packages of others. Nothing is
# installed twice, and no test installs anything.
setup-tests: setup
	@command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest
	@missing=""; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v espeak-ng >/dev/null || missing="$$missing espeak-ng"; \
	command -v npm >/dev/null || missing="$$missing npm"; \
	command -v git >/dev/null || missing="$$missing git"; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$$missing postgresql"; \
	python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$$missing python3-venv"; \
	test -z "$$missing" || { \
	  echo "the tests need$$missing; installing from Debian's packages"; \
	  $(AS_ROOT) apt-get update -qq; \
	  case "$$missing" in *postgresql*) $(NO_CLUSTER) ;; esac; \
	  $(AS_ROOT) apt-get install -qq -y --no-install-recommends $$missing; }
	@tests/packages/install
