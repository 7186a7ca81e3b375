# Two commands do all the set-up: `make run` and `make test`.
.PHONY: run test check bench shots setup neighbours

# What holds the page to the rules of accessibility.
AXE := axe-core@4.14
AS_ROOT := $(shell test "$$(id -u)" = 0 || echo sudo)

# Ghostpad, the web chat, with its own tools; without a key the stand-in answers.
# Another address: make run ARGS="--listen 127.0.0.1:8080"
run: setup
	cargo run --release --package cli --bin ghosthand -- serve --dir apps/pad/tools $(ARGS)

# Everything that must hold: the checks, then all tests.
test: check neighbours
	cargo nextest run --workspace --no-fail-fast

check: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo xtask tidy
	@if command -v cargo-deny >/dev/null; then cargo deny --log-level error check; \
	else echo "cargo deny is not installed; licences and advisories were not checked"; fi

# Speed and memory, beside something real in the same run.
bench: setup
	cargo run --release --quiet --package benches

# Pictures of the page for the documents. Look at them before you keep them.
shots: setup neighbours
	cargo nextest run --package cli --test page --run-ignored only

setup:
	@command -v cargo >/dev/null || { echo "Rust is missing: install rustup, then run this again"; exit 1; }
	@command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest

# What only tests need: a browser, Node's packages, Python.
neighbours:
	@missing=""; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v npm >/dev/null || missing="$$missing npm"; \
	python3 -m venv --help >/dev/null 2>&1 || missing="$$missing python3-venv"; \
	test -z "$$missing" || { \
	  echo "the tests need$$missing; installing from Debian's packages"; \
	  $(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y --no-install-recommends $$missing; }
	@test -e target/axe/$(AXE) || { \
	  npm install --silent --no-audit --no-fund --prefix target/axe $(AXE) && touch target/axe/$(AXE); }
