# Two commands do all the set-up: `make run` and `make test`.
.PHONY: run test check bench setup

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

setup:
	@command -v cargo >/dev/null || { echo "Rust is missing: install rustup, then run this again"; exit 1; }
	@command -v cargo-nextest >/dev/null || cargo install --locked cargo-nextest
