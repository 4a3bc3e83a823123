#!/usr/bin/env bash
# Reads every table of a release with DuckDB from npm, compares the row counts
# with the manifest's and joins questions to media: what users see must be what
# was written. The query is the one that the README shows; the audit that of
# docs/audit.md.
set -euo pipefail
release=$(cd "$1" && pwd)
cd "$(dirname "$0")/../docs/duckdb"

if ! command -v npm >/dev/null; then
  echo "npm is needed for the DuckDB check; install Node 20 or later" >&2
  exit 1
fi
npm install --no-audit --no-fund --no-package-lock --loglevel=error
node query.mjs "$release"
node audit.mjs "$release"
