#!/usr/bin/env bash
# Drives the pages of a release in Chromium: filters, an item, its film at a span, keys, gold,
# a static copy, and a round of review whose server is killed; then looks at every kind of
# page at two widths, light and dark, for sideways scrolling, errors in the console and, with
# axe-core from npm, barriers for people.
set -euo pipefail
cd "$(dirname "$0")/.."
MEMFORGE_RELEASE=$(cd "$1" && pwd)
MEMFORGE_BIN=$PWD/bin/memforge
export MEMFORGE_RELEASE MEMFORGE_BIN
cd .ci/pages

if ! command -v npm >/dev/null; then
  echo "npm is needed to try the pages; install Node 20 or later" >&2
  exit 1
fi
../program.sh chromium
npm install --no-audit --no-fund --no-package-lock --loglevel=error
"${GO:-go}" test -count=1 -timeout 5m ./...
