#!/usr/bin/env bash
# Holds the frames of two concatenated videos against each other, which show the
# same sources in opposite orders: the first half of one is the second of the
# other. It fails where there is nothing to compare.
# Usage: orders.sh out/releases/NAME/VERSION
set -euo pipefail
release=${1:?usage: orders.sh RELEASE_DIR}
read -r ab ba < <(node "$(dirname "$0")/orders.mjs" "$release")
frames() { ffmpeg -v error -i "$release/$1" -map 0:v -f framemd5 - | grep -v '^#' | awk '{print $NF}'; }
one=$(frames "$ab")
other=$(frames "$ba")
half=$(($(wc -l <<<"$one") / 2))
if [[ $half -lt 1 || $(wc -l <<<"$other") -ne $((2 * half)) ]]; then
  echo "$ab and $ba have no frames to compare" >&2
  exit 1
fi
cmp <(head -n "$half" <<<"$one") <(tail -n "$half" <<<"$other")
echo "same: $half frames"
