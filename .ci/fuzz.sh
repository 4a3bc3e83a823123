#!/usr/bin/env bash
# Runs every fuzz target of the module for the time given, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:-20s}
go=${GO:-go}
found=0
while IFS=: read -r file target; do
  found=$((found + 1))
  package=./$(dirname "$file")
  echo "== $package $target for $time"
  "$go" test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "$time"
done < <(git ls-files '*_test.go' | xargs grep -o '^func Fuzz[A-Za-z0-9_]*' /dev/null | sed 's/func //')
if [[ $found -eq 0 ]]; then
  echo "no fuzz target found" >&2
  exit 1
fi
