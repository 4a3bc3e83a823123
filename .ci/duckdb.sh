#!/usr/bin/env bash
# Reads every table of a release with DuckDB and compares the row counts with
# the manifest's: what users see must be what was written.
set -euo pipefail
release=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)

if ! command -v npm >/dev/null; then
  echo "npm is needed for the DuckDB check; install Node 20 or later" >&2
  exit 1
fi
version=1.5.6-r.1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/memforge-ci/duckdb-$version
mkdir -p "$cache"
if [[ ! -d $cache/node_modules/@duckdb/node-api ]]; then
  npm install --prefix "$cache" --no-audit --no-fund --loglevel=error "@duckdb/node-api@$version"
fi
NODE_PATH=$cache/node_modules node "$here/duckdb.cjs" "$release"
