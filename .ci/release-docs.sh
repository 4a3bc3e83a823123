#!/usr/bin/env bash
# Runs the commands that the documentation shows on the default release: every block
# fenced as "sh release", a page after another, from the root. make dataset comes before.
set -euo pipefail
cd "$(dirname "$0")/.."

for page in $(git ls-files '*.md' | xargs grep -l '^```sh release$'); do
  echo "-- $page"
  bash -euxo pipefail -c "$(sed -n '/^```sh release$/,/^```$/{/^```/!p}' "$page")"
done
