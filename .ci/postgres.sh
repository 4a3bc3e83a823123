#!/usr/bin/env bash
# Makes sure that PostgreSQL's server is there, for the tests of stores and ledgers
# that machines share. As root on a system with apt it installs it; otherwise it says
# what to install. It starts none: the tests start their own.
set -euo pipefail

missing() { ! command -v initdb >/dev/null && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }

missing || exit 0
if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
  echo "PostgreSQL is missing; installing it with apt-get" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # Without this the package makes and starts a server of its own.
  apt-get install -y -qq --no-install-recommends postgresql-common >/dev/null
  sed -i 's/^#\?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
  apt-get install -y -qq --no-install-recommends postgresql >/dev/null
  missing || exit 0
fi
cat >&2 <<'HELP'
The programs of PostgreSQL's server (initdb, postgres) are needed. Install them with
one of
  sudo apt-get install postgresql          (Debian, Ubuntu)
  sudo dnf install postgresql-server       (Fedora)
  brew install postgresql                  (macOS)
and run .ci/run again.
HELP
exit 1
