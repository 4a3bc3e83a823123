#!/usr/bin/env bash
# Runs the commands that the documentation shows: every block fenced as sh, in
# order, each document in a fresh copy of the tree and from its own folder
# (CONTRIBUTING.md and README.md from the root), and a document on each processor. Blocks
# that cannot run without a network or a reader's own data are fenced as text.
#
# bin/memforge is made in the first copy before any page ran, and lies in the others
# as if it had been made there: linking it for every page showed nothing more.
set -euo pipefail
cd "$(dirname "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
export copy
# Otherwise Go would compile everything anew in each copy.
GOFLAGS="$("${GO:-go}" env GOFLAGS) -trimpath"
export GOFLAGS

plant() { # plant TREE: a fresh copy
  mkdir -p "$1"
  git ls-files -co --exclude-standard -z | tar --null --ignore-failed-read -cT - 2>/dev/null | tar -x -C "$1"
}
page() { # page DOCUMENT: what its commands say in one piece
  local commands tree out status=0
  commands=$(sed -n '/^```sh$/,/^```$/{/^```/!p}' "$1")
  if [[ -z $commands ]]; then
    echo "$1 shows no command" >&2
    return 1
  fi
  tree=$(mktemp -d "$copy/XXXXXX")/memforge
  plant "$tree"
  cp -r "$copy/memforge/bin" "$tree/"
  out=$(cd "$tree/$(dirname "$1")" && bash -euxo pipefail -c "$commands" 2>&1) || status=$?
  printf -- '-- %s\n%s\n' "$1" "$out"
  rm -rf "$tree"
  return "$status"
}
export -f plant page
plant "$copy/memforge"
make -C "$copy/memforge" bin/memforge
printf '%s\n' "$@" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} bash -euo pipefail -c 'page {}'
