#!/usr/bin/env bash
# Reads every table of a release with DuckDB from npm, compares the row counts
# with the manifest's and joins questions to media: what users see must be what
# was written. The query is the one that the README shows; the audit and the
# comparison of frames those of docs/audit.md. None of them may pass over nothing.
set -euo pipefail
release=$(cd "$1" && pwd)
cd "$(dirname "$0")/../docs/duckdb"

if ! command -v npm >/dev/null; then
  echo "npm is needed for the DuckDB check; install Node 20 or later" >&2
  exit 1
fi
npm install --no-audit --no-fund --no-package-lock --loglevel=error
# What documents show as sql must run as well, and find what they say it does.
node shown.mjs "$release" ../audit.md ../formats.md
node query.mjs "$release"
# The default release has what the front page says.
[[ $(basename "$(dirname "$release")") != memforge-films ]] || node readme.mjs "$release"
node audit.mjs "$release"
./orders.sh "$release"

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
cp -r "$release/data" "$empty/data"
node --input-type=module -e "
import { DuckDBInstance } from '@duckdb/node-api';
const db = await (await DuckDBInstance.create(':memory:')).connect();
for (const table of ['questions', 'media']) {
  await db.run(\`COPY (SELECT * FROM read_parquet('$empty/data/\${table}/*.parquet') WHERE false) TO '$empty/\${table}'\`);
}"
for table in questions media; do
  rm "$empty/data/$table"/*
  mv "$empty/$table" "$empty/data/$table/none.parquet"
done
for check in "node audit.mjs" "./orders.sh"; do
  if $check "$empty" >/dev/null 2>&1; then
    echo "$check passes over a release without questions and videos" >&2
    exit 1
  fi
done
