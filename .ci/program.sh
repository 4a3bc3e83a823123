#!/usr/bin/env bash
# Makes sure that what the project needs beside Go is there. As root on a system with apt
# it installs it; otherwise it says what to install.
#
#   .ci/program.sh ffmpeg|postgres|chromium
#
# No PostgreSQL is started: the tests start their own.
set -euo pipefail

case $1 in
  ffmpeg) name=ffmpeg why="ffmpeg and ffprobe are" packages=ffmpeg others="dnf install ffmpeg-free|brew install ffmpeg" again=make ;;
  postgres) name=PostgreSQL why="The programs of PostgreSQL's server (initdb, postgres) are" packages="postgresql-common postgresql" others="dnf install postgresql-server|brew install postgresql" again=.ci/run ;;
  chromium) name=Chromium why="Chromium, as the program chromium, is" packages=chromium others="dnf install chromium" again=.ci/run ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

present() {
  case $1 in
    ffmpeg) command -v ffmpeg && command -v ffprobe ;;
    postgres) command -v initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' ;;
    chromium) command -v chromium ;;
  esac >/dev/null
}

present "$1" && exit 0
if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
  echo "$name is missing; installing it with apt-get" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  for package in $packages; do
    apt-get install -y -qq --no-install-recommends "$package" >/dev/null
    # Otherwise PostgreSQL's package would make and start a server of its own.
    if [[ $package == postgresql-common ]]; then
      sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
    fi
  done
  present "$1" && exit 0
fi
{
  echo "$why needed. Install with one of"
  printf '  %s\n' "apt-get install ${packages##* }    (Debian, Ubuntu)" "${others//|/$'\n'  }"
  echo "and run $again again."
} >&2
exit 1
