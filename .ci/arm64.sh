#!/usr/bin/env bash
# Draws a scene of each scenario as arm64 does, and compares the pixels with those
# pinned for every machine: the compiler may fuse a*b+c there, which integers do not
# notice. Needs qemu-user (Debian: qemu-user-static); without it this says so and ends.
set -euo pipefail
cd "$(dirname "$0")/.."
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if [[ -z $qemu ]]; then
  echo "skipped TestPixelsArePinned on arm64: there is no qemu-aarch64"
  exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
CGO_ENABLED=0 GOARCH=arm64 "${GO:-go}" test -c -o "$out/paint.test" ./stages/visual/paint
"$qemu" "$out/paint.test" -test.run '^TestPixelsArePinned$' -test.v
