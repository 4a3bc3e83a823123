#!/usr/bin/env bash
# Reads `go test -json` from standard input, shows failures, and fails when a
# test failed or one skipped that .ci/allowed-skips does not name.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
cat > "$log"
module=$(sed -n 's/^module //p' go.mod)

tests() { # tests ACTION: package and name of the tests that ended so
  { grep "\"Action\":\"$1\"" "$log" || true; } |
    sed -n 's/.*"Package":"\([^"]*\)".*"Test":"\([^"]*\)".*/\1 \2/p' |
    sed "s|^$module/||; s|^$module |. |" | sort -u
}

if grep -q '"Action":"\(fail\|build-fail\)"' "$log"; then
  echo "failed:" >&2
  tests fail >&2
  sed -n 's/.*"Action":"\(output\|build-output\)".*"Output":"\(.*\)"}$/\2/p' "$log" |
    sed 's/\\n$//; s/\\t/  /g; s/\\"/"/g; s/\\u003c/</g; s/\\u003e/>/g' |
    grep -v '^ok \|^=== \|^--- PASS\|^ *--- PASS\|no test files\|^PASS$' >&2 || true
  exit 1
fi
unlisted=$(comm -23 <(tests skip) <(grep -v '^\(#\|$\)' .ci/allowed-skips | sort -u))
if [[ -n $unlisted ]]; then
  echo "these tests skipped and are not in .ci/allowed-skips:" >&2
  echo "$unlisted" >&2
  exit 1
fi
echo "slowest packages, seconds:"
sed -n 's|.*"Action":"pass","Package":"\([^"]*\)","Elapsed":\([0-9.]*\)}.*|\2 \1|p' "$log" | sort -rn | head -8
echo "$(tests pass | wc -l) passed, 0 failed, $(tests skip | wc -l) skipped"
