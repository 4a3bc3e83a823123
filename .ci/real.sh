#!/usr/bin/env bash
# Plans the configurations of docs/, and where the real clips are that they
# read, builds those that ask no server and verifies the releases.
set -euo pipefail
cd "$(dirname "$0")/.."

for config in docs/*.yaml; do
  bin/memforge plan --file "$config" > /dev/null
done
if [[ ! -d ../shared/fixtures/videos ]]; then
  echo "skipped: there is no ../shared/fixtures/videos"
  exit 0
fi
for config in $(grep -l shared/fixtures docs/*.yaml); do
  if grep -q '^models:' "$config"; then
    echo "-- $config asks a server; TestDescribedByAModel builds it"
    continue
  fi
  echo "-- $config"
  bin/memforge build --file "$config"
  bin/memforge verify "$(bin/memforge release latest --file "$config")"
done
