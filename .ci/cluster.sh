#!/usr/bin/env bash
# Runs what needs drivers that the plain program has not: the tests of stores on a bucket
# of S3, and beside them, for they mostly wait, those of a cluster whose parts are killed.
# The servers, versitygw and Temporal, are built by Go and kept for the next time. It
# needs PostgreSQL, see program.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
export MEMFORGE_TESTS=all

log=$(mktemp)
trap 'rm -f "$log"' EXIT
engines=river
if temporal=$(.ci/servers.sh kept temporal); then
  export MEMFORGE_TEMPORAL=$temporal
  engines=temporal,river
else
  echo "temporal was not built here (make cluster does, in some minutes): River alone is tried" >&2
fi
"$go" test -vet=off -tags "$engines" -run '^TestCluster' ./pipeline/cli >"$log" 2>&1 &
tests=$!
"$go" test -vet=off -tags clouds ./pipeline/store/bucket
if gateway=$(.ci/servers.sh program versitygw); then
  MEMFORGE_VERSITYGW=$gateway "$go" test -vet=off -tags clouds -run '/s3|^TestBucketServerRestarts$|^TestBlobOfManyParts$|^TestBucketBehindABadProxy$' ./pipeline/store ./pipeline/store/sharedstore
  MEMFORGE_VERSITYGW=$gateway "$go" test -vet=off -tags clouds -run '^TestBucketServer' ./pipeline/release/publish
else
  echo "versitygw cannot be had here, so nothing was tried on S3" >&2
fi
"$go" vet -tags temporal,river,clouds ./pipeline/store/... ./pipeline/cli
failed=0
wait "$tests" || failed=1
cat "$log"
exit "$failed"
