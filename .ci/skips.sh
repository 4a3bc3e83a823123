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

# What the tests printed that did not end well, the last lines of each, and the
# names of all of them last of all, where nobody overlooks them.
failures() {
  awk -v lines=80 '
    function field(name,  at) {
      at = match($0, "\"" name "\":\"([^\"\\\\]|\\\\.)*\"")
      return at ? substr($0, at + length(name) + 4, RLENGTH - length(name) - 5) : ""
    }
    {
      package = field("Package"); if (package == "") package = field("ImportPath")
      key = package " " field("Test")
      action = field("Action")
      if (action == "pass" || action == "skip") { well[key] = 1; next }
      if (action !~ /output$/ || well[key]) next
      if (!(key in count)) order[++keys] = key
      text[key, ++count[key] % lines] = field("Output")
    }
    END {
      for (k = 1; k <= keys; k++) {
        key = order[k]; if (well[key]) continue
        from = count[key] > lines ? count[key] - lines + 1 : 1
        print "== " key
        for (i = from; i <= count[key]; i++) print text[key, i % lines]
      }
    }' "$log" |
    sed 's/\\n$//; s/\\t/  /g; s/\\"/"/g; s/\\u003c/</g; s/\\u003e/>/g; s/\\u0026/\&/g' |
    grep -v '^=== \|^$' || true
}

if grep -q '"Action":"\(fail\|build-fail\)"' "$log"; then
  failures >&2
  echo "failed:" >&2
  tests fail >&2
  grep '"Action":"\(fail\|build-fail\)"' "$log" | grep -v '"Test":' |
    sed -n 's/.*"\(Package\|ImportPath\)":"\([^"]*\)".*/package \2/p' | sort -u >&2
  exit 1
fi
unlisted=$(comm -23 <(tests skip) <(grep -v '^\(#\|$\)' .ci/allowed-skips | sort -u))
if [[ -n $unlisted ]]; then
  echo "these tests skipped and are not in .ci/allowed-skips:" >&2
  echo "$unlisted" >&2
  exit 1
fi
echo "slowest packages, seconds:"
sed -n 's|.*"Action":"pass","Package":"\([^"]*\)","Elapsed":\([0-9.]*\)}.*|\2 \1|p' "$log" | sort -rn |
  awk 'NR <= 8' # head would end before sort has written all, and pipefail counts that
echo "$(tests pass | wc -l) passed, 0 failed, $(tests skip | wc -l) skipped"
