#!/usr/bin/env bash
# Plans the configurations of docs/, and where the real clips are, builds from
# them what the pages of docs/ build from drawn ones, and verifies the releases.
set -euo pipefail
cd "$(dirname "$0")/.."

for config in docs/*.yaml; do
  bin/memforge plan --file "$config" > /dev/null
done
clips=$(realpath -m ../shared/fixtures/videos)
if [[ ! -d $clips ]]; then
  echo "skipped: there is no $clips"
  exit 0
fi

# build CONFIG KEY=VALUE...: builds with these settings and verifies.
build() {
  echo "-- $1 from $clips"
  bin/memforge build --file "$1" --out out/real "${@:2}"
  bin/memforge verify "$(bin/memforge release latest --file "$1" --out out/real)"
}
build docs/real-videos.yaml --set "sources.clips.with.path=$clips/intel" --set 'sources.clips.with.include=["asl_*.mkv"]' \
  --set sources.clips.with.labels_file=real-videos-signs.csv --set sources.clips.with.license=CC-BY-4.0
build docs/described-videos.yaml --set "sources.table.with.path=$clips/sam2" --set sources.table.with.license=Apache-2.0 \
  --set "sources.fixed.with.path=$clips/intel" --set 'sources.fixed.with.include=["*-detection.mp4"]' --set sources.fixed.with.license=CC-BY-4.0
