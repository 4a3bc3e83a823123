#!/usr/bin/env bash
# Makes sure that Chromium is there, in which CI tries the pages. As root on a system
# with apt it installs it; otherwise it says what to install.
set -euo pipefail

missing() { ! command -v chromium >/dev/null; }

missing || exit 0
if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
  echo "Chromium is missing; installing it with apt-get" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium >/dev/null
  missing || exit 0
fi
cat >&2 <<'HELP'
Chromium is needed to try the pages, as the program chromium. Install it with one of
  sudo apt-get install chromium    (Debian)
  sudo dnf install chromium        (Fedora)
and run .ci/run again.
HELP
exit 1
