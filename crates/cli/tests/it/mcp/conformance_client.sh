#!/bin/sh
# Ghosthand as the client that the conformance suite tests: it imports what the server at the
# address has, and calls each tool. GHOSTHAND is the program; the address is the last argument.
set -eu
for url; do :; done
project=$(mktemp -d)
trap 'rm -rf "$project"' EXIT
cd "$project"
mkdir tools
printf '[mcp.far]\nurl = "%s"\nask = "never"\n' "$url" > ghosthand.toml
"$GHOSTHAND" mcp import far --yes >&2
for tool in $("$GHOSTHAND" mcp list | sed -n 's/^  \(far\.[a-z0-9_]*\).*/\1/p'); do
  case $tool in
    far.add_numbers) arguments='{"a": 5, "b": 3}' ;;
    *) arguments='{}' ;;
  esac
  # A call that the server refuses is the suite's business.
  "$GHOSTHAND" call "$tool" "$arguments" >&2 || true
done
