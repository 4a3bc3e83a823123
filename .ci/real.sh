#!/usr/bin/env bash
# Builds the configurations of docs/ that read real clips, where the clips are,
# and verifies the releases.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ! -d ../shared/fixtures/videos ]]; then
  echo "skipped: there is no ../shared/fixtures/videos"
  exit 0
fi
for config in docs/*.yaml; do
  echo "-- $config"
  bin/memforge build --file "$config"
  bin/memforge verify "$(bin/memforge release latest --file "$config")"
done
