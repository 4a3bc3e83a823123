#!/usr/bin/env bash
# Runs every fuzz target of the module for the time or the number of inputs given (20s,
# 20000x), one a core: much of what a target takes is of one thread, before and after its
# inputs. The targets of a package share a binary.
#
# CI counts inputs: with a time, Go before 1.27 now and then calls the end of the
# time a failure ("context deadline exceeded", go.dev/issue/75804). With a number
# a slow machine only takes longer.
set -euo pipefail
cd "$(dirname "$0")/.."

amount=${1:-20s}
export go=${GO:-go}
export bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
module=$("$go" list -m)
cache=$("$go" env GOCACHE)/fuzz # where go test -fuzz keeps what it found

targets=$(git ls-files '*_test.go' | sed 's|^|./|' | xargs grep -o '^func Fuzz[A-Za-z0-9_]*' /dev/null |
  sed 's|/[^/]*:func | |' || true)
if [[ -z $targets ]]; then
  echo "no fuzz target found" >&2
  exit 1
fi
compile() { mkdir -p "$bin/$1" && "$go" test -c -fuzz=. -ldflags='-s -w' -o "$bin/$1/fuzz.test" "$1"; }
export -f compile
cut -d' ' -f1 <<<"$targets" | sort -u | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} bash -c 'compile {}'
fuzz() { # fuzz PACKAGE TARGET: with one worker; what it says in one piece
  local out status=0
  out=$(cd "$1" && "$bin/$1/fuzz.test" -test.run='^$' -test.fuzz="^$2\$" -test.parallel=1 \
    -test.fuzztime="$amount" -test.fuzzcachedir="$cache/$module/${1#./}" 2>&1) || status=$?
  printf '== %s %s for %s\n%s\n' "$1" "$2" "$amount" "$out"
  return "$status"
}
export -f fuzz
export amount cache module
xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 bash -c 'fuzz "$@"' fuzz <<<"$targets"
