#!/usr/bin/env bash
# Runs the tests of stores on a bucket of S3, with the drivers of clouds compiled in:
# a server, versitygw, is built by Go (78 CPU seconds) and kept for the next time. It
# needs PostgreSQL, see postgres.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}

if ! gateway=$(.ci/servers.sh program versitygw); then
  echo "versitygw cannot be had here, so nothing was tried on S3" >&2
  exit 0
fi
MEMFORGE_VERSITYGW=$gateway MEMFORGE_TESTS=all \
  "$go" test -vet=off -tags clouds -run '/s3|^TestBucketServerRestarts$|^TestBlobOfManyParts$' ./pipeline/store ./pipeline/store/shared
"$go" vet -tags clouds ./pipeline/store/...
