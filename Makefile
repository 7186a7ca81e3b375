# Two commands do all the set-up: `make run` and `make test`.
.PHONY: run test check bench shots setup

# What holds the page to the rules of accessibility.
AXE := axe-core@4.14
AS_ROOT := $(shell test "$$(id -u)" = 0 || echo sudo)

# The sample tools, checked and built. (The web chat comes with `ghosthand serve`.)
run: setup
	cargo run --release --quiet --package cli -- build tools
	cargo run --release --quiet --package cli -- show registry

# Everything that must hold: the checks, then all tests.
test: check
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
shots: setup
	cargo nextest run --package cli --test page --run-ignored only

setup:
	@command -v cargo >/dev/null || { echo "Rust is missing: install rustup, then run this again"; exit 1; }
	@command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest
	@command -v chromium >/dev/null || { \
	  echo "chromium, for the tests of the page, is installed now"; \
	  $(AS_ROOT) apt-get update -qq && $(AS_ROOT) apt-get install -qq -y --no-install-recommends chromium; }
	@test -e target/axe/$(AXE) || { \
	  npm install --silent --no-audit --no-fund --prefix target/axe $(AXE) && touch target/axe/$(AXE); }
