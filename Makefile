# Two commands do all the set-up: `make run` and `make test`.
.PHONY: run test check bench setup

# Ghostpad, the web chat, with its own tools; without a key the stand-in answers.
# Another address: make run ARGS="--listen 127.0.0.1:8080"
run: setup
	cargo run --release --package cli -- serve --dir apps/pad/tools $(ARGS)

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
