#!/usr/bin/env bash
# Runs the commands that the documentation shows: every block fenced as sh, in
# order, each document in a fresh copy of the tree and from its own folder
# (CONTRIBUTING.md and README.md from the root). Blocks that cannot run without
# a network or a reader's own data are fenced as text.
#
# bin/memforge is made in the first copy before any page ran, and lies in the others
# as if it had been made there: linking it for every page showed nothing more.
set -euo pipefail
cd "$(dirname "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

for doc in "$@"; do
  commands=$(sed -n '/^```sh$/,/^```$/{/^```/!p}' "$doc")
  if [[ -z $commands ]]; then
    echo "$doc shows no command" >&2
    exit 1
  fi
  # One path for all: Go caches what it compiles by folder.
  tree=$copy/memforge
  rm -rf "$tree"
  mkdir "$tree"
  git ls-files -co --exclude-standard -z | tar --null --ignore-failed-read -cT - 2>/dev/null | tar -x -C "$tree"
  if [[ ! -d $copy/bin ]]; then
    make -C "$tree" bin/memforge
    cp -r "$tree/bin" "$copy/bin"
  fi
  cp -r "$copy/bin" "$tree/"
  echo "-- $doc"
  (cd "$tree/$(dirname "$doc")" && bash -euxo pipefail -c "$commands")
done
