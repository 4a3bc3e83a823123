#!/usr/bin/env bash
# Tries the Python loader and runs its notebook on a release:
#
#   .ci/python.sh RELEASE
#
# The package duckdb is taken where Python has it. Elsewhere DuckDB's own library, which
# the npm package of .ci/duckdb.sh brings, is called through .ci/python/duckdb.py.
set -euo pipefail
release=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
here=$PWD
export PYTHONDONTWRITEBYTECODE=1 MEMFORGE_RELEASE=$release

if ! python3 -c 'import duckdb' 2>/dev/null; then
  LIBDUCKDB=$(find "$here/docs/duckdb/node_modules/@duckdb" -name 'libduckdb.*' 2>/dev/null | head -1)
  if [[ -z $LIBDUCKDB ]]; then
    echo "Python needs duckdb: pip install duckdb, or run .ci/duckdb.sh first" >&2
    exit 1
  fi
  export LIBDUCKDB PYTHONPATH=$here/.ci/python
  echo "DuckDB is called through .ci/python/duckdb.py"
fi
python3 docs/python/test_loader.py "$release"
python3 .ci/python/notebook.py docs/python/release.ipynb
