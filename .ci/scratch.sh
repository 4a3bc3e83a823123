#!/usr/bin/env bash
# Runs a command with a folder for temporary files that is removed afterwards:
#
#   .ci/scratch.sh COMMAND [ARGS ...]
#
# The folder lies in memory where there is plenty of it, since tests open, sync and
# throw away thousands of small databases and files, and link ninety programs. None
# of them outlives its test; what a power cut may take is tested on a disk that a test
# plays (pipeline/store).
# A TMPDIR that is set already is taken as it is.
set -euo pipefail

[[ -z ${TMPDIR:-} ]] || exec "$@"

# roomy FOLDER GIB: FOLDER is in memory, so much of it is free, and it may hold programs.
roomy() {
  local need=$(($2 * 1024 * 1024)) free limit script
  [[ $(df --output=fstype "$1" 2>/dev/null | tail -1) == tmpfs && -w $1 ]] || return 1
  free=$(df -k --output=avail "$1" | tail -1)
  ((free >= need)) || return 1
  free=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  ((${free:-0} >= 2 * need)) || return 1
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  [[ $limit == max ]] || ((limit / 1024 >= 2 * need)) || return 1
  script=$(mktemp "$1/memforge-XXXXXX")
  printf '#!/bin/sh\n' >"$script" && chmod +x "$script"
  "$script" 2>/dev/null || { rm -f "$script"; return 1; }
  rm -f "$script"
}

place=/tmp
if roomy /dev/shm 4; then place=/dev/shm; fi
TMPDIR=$(mktemp -d "$place/memforge-XXXXXX")
export TMPDIR
trap 'chmod -R u+w "$TMPDIR" 2>/dev/null; rm -rf "$TMPDIR"' EXIT
"$@"
