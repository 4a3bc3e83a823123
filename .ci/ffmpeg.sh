#!/usr/bin/env bash
# Makes sure that ffmpeg and ffprobe are there. As root on a system with apt it
# installs them; otherwise it says what to install.
set -euo pipefail

missing() { ! command -v ffmpeg >/dev/null || ! command -v ffprobe >/dev/null; }

missing || exit 0
if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
  echo "ffmpeg is missing; installing it with apt-get" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends ffmpeg >/dev/null
  missing || exit 0
fi
cat >&2 <<'HELP'
ffmpeg and ffprobe are needed and not on PATH. Install them with one of
  sudo apt-get install ffmpeg     (Debian, Ubuntu)
  sudo dnf install ffmpeg-free    (Fedora)
  brew install ffmpeg             (macOS)
and run make again.
HELP
exit 1
