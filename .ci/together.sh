#!/usr/bin/env bash
# Builds a configuration on a cluster of this machine (see servers.sh) and without it, and
# compares the releases; then again on the cluster, where nothing is left to do. It skips
# where a server cannot be had.
#   .ci/together.sh CONFIGURATION
set -euo pipefail
cd "$(dirname "$0")/.."
config=$1
if ! .ci/servers.sh program versitygw >/dev/null; then
  echo "versitygw cannot be had here, so nothing was tried on a cluster" >&2
  exit 0
fi
if ! .ci/servers.sh kept temporal >/dev/null; then export ENGINE=river; fi
work=$(mktemp -d "${TMPDIR:-/tmp}/together-XXXXXX")
finish() {
  make --silent cluster-down CLUSTER="$work/cluster"
  if [[ -f $work/cluster/env ]]; then rm -rf "$(. "$work/cluster/env" && echo "$postgres_dir")"; fi
  rm -rf "$work"
}
trap finish EXIT
make --silent cluster CLUSTER="$work/cluster" >/dev/null
build() { bin/memforge-cluster build --log-format text --file "$config" "$@"; }
build --out "$work/alone" >/dev/null
. "$work/cluster/env"
on=(--on "$CLUSTER_ON" --set run.store="$CLUSTER_STORE" --set run.ledger="$CLUSTER_LEDGER" --set run.out="$work/together")
build "${on[@]}" >/dev/null
diff -r "$work/alone/releases" "$work/together/releases"
build "${on[@]}" >"$work/again"
grep -q '^nothing to do' "$work/again"
diff -r "$work/alone/releases" "$work/together/releases"
echo "three workers gave the same release as this machine alone"
