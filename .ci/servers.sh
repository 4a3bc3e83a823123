#!/usr/bin/env bash
# Runs a whole cluster on this machine, without containers: PostgreSQL, a bucket server
# (versitygw), Temporal's development server and three workers.
#   .ci/servers.sh program NAME   builds temporal or versitygw, keeps it, prints its path
#   .ci/servers.sh kept NAME      prints its path if it was built before
#   .ci/servers.sh up [DIR]       starts what does not run; all of it lies in DIR (out/cluster)
#   .ci/servers.sh down [DIR]     ends what up started, and keeps what it stored
# With ENGINE=river no Temporal is started: PostgreSQL is the engine, too. Everything
# listens on 127.0.0.1, on ports that were free at first and are kept in DIR/env.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
workers=3
engine=${ENGINE:-temporal}

# program NAME prints where a server is. Building temporal takes nine CPU minutes, once.
program() {
  local package version kept
  case $1 in
    temporal) package=github.com/temporalio/cli/cmd/temporal version=v1.5.1 ;;
    versitygw) package=github.com/versity/versitygw/cmd/versitygw version=v1.8.0 ;;
    *) echo "there are the programs temporal and versitygw, not $1" >&2; return 2 ;;
  esac
  kept=${XDG_CACHE_HOME:-$HOME/.cache}/memforge/$1-$version
  if [[ ! -x $kept/$1 ]]; then
    if [[ $go == false ]]; then return 1; fi
    echo "building $1 $version, which takes minutes, once" >&2
    mkdir -p "$kept"
    GOFLAGS='' GOBIN="$kept" "$go" install -trimpath -ldflags="-s -w" "$package@$version" >&2
  fi
  echo "$kept/$1"
}

kept() { go=false program "$1" 2>/dev/null; }

# begun PID prints when a process began: another one may have its number by now.
begun() {
  if [[ -r /proc/self/stat ]]; then
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20
  else
    ps -o lstart= -p "$1" 2>/dev/null || true
  fi
}

alive() { # alive NAME: whether what was started under a name still runs
  local pid since
  [[ -s $dir/run/$1 ]] && { read -r pid; read -r since; } <"$dir/run/$1" && [[ -n $since && $(begun "$pid") == "$since" ]]
}

start() { # start NAME COMMAND...: unless it runs
  local name=$1
  shift
  if alive "$name"; then return; fi
  nohup "$@" >>"$dir/log/$name" 2>&1 </dev/null &
  printf '%s\n%s\n' $! "$(begun $!)" >"$dir/run/$name"
}

await() { # await NAME COMMAND...: until it succeeds
  local name=$1 n
  shift
  for ((n = 0; n < 300; n++)); do
    if "$@" >/dev/null 2>&1; then return; fi
    if ! alive "$name"; then break; fi
    sleep 0.1
  done
  echo "$name does not answer; its log $dir/log/$name ends with:" >&2
  tail -n 5 "$dir/log/$name" >&2
  return 1
}

finish() { # finish NAME SIGNAL: ends what was started under a name
  local pid n
  if alive "$1"; then
    read -r pid <"$dir/run/$1"
    kill -"$2" "$pid"
    for ((n = 0; n < 300; n++)); do
      if ! alive "$1"; then break; fi
      sleep 0.1
    done
    if alive "$1"; then kill -KILL "$pid"; fi
  fi
  rm -f "$dir/run/$1"
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

port() { # a port that nobody listens on, below those that systems hand out
  local p
  for ((;;)); do
    p=$((20000 + RANDOM % 10000))
    if ! listens "$p"; then echo "$p"; return; fi
  done
}

secret() { head -c 18 /dev/urandom | base64 | tr '+/' 'ab'; }

# settle chooses ports, secrets and the folder of PostgreSQL, once.
settle() {
  local pg=$dir/postgres s3 db frontend on
  if [[ $(id -u) -eq 0 ]]; then
    mkdir -p "$pg"
    chown postgres "$pg"
    # The server refuses root, and the user postgres cannot look into root's folders.
    if ! as_postgres test -w "$pg"; then
      rmdir "$pg"
      pg=$(mktemp -d /tmp/memforge-postgres-XXXXXX)
      chown postgres "$pg"
    fi
  fi
  db=$(port) s3=$(port) frontend=$(port)
  on=temporal://127.0.0.1:$frontend/default
  if [[ $engine == river ]]; then on=river://memforge@127.0.0.1:$db/memforge; fi
  (umask 077 && cat >"$dir/env.new") <<ENV
export PGPASSWORD=$(secret)
export AWS_ACCESS_KEY_ID=memforge
export AWS_SECRET_ACCESS_KEY=$(secret)
export CLUSTER_ON=$on
export CLUSTER_LEDGER=postgres://memforge@127.0.0.1:$db/memforge
export CLUSTER_STORE='postgres://memforge@127.0.0.1:$db/memforge?bucket=s3://memforge?endpoint=http%253A%252F%252F127.0.0.1%253A$s3%26use_path_style=true%26region=us-east-1'
postgres_dir=$pg
postgres_port=$db
s3_port=$s3
temporal_port=$frontend
temporal_http_port=$(port)
ENV
  mv "$dir/env.new" "$dir/env"
}

as_postgres() {
  if [[ $(id -u) -eq 0 ]]; then setpriv --reuid=postgres --regid=postgres --init-groups "$@"; else "$@"; fi
}

postgres_program() { # where Debian keeps those of the server, or on the path
  local found
  found=$(compgen -G "/usr/lib/postgresql/*/bin/$1" | tail -n 1 || true)
  echo "${found:-$(command -v "$1")}"
}

up_postgres() {
  local data=$postgres_dir/data run=()
  if [[ ! -f $data/PG_VERSION ]]; then
    as_postgres sh -c 'umask 077; cat >"$1"' - "$postgres_dir/password" <<<"$PGPASSWORD"
    (cd / && as_postgres "$(postgres_program initdb)" -D "$data" -U memforge -A scram-sha-256 --pwfile="$postgres_dir/password" --locale=C.UTF-8) >>"$dir/log/postgres"
    as_postgres rm "$postgres_dir/password"
  fi
  if [[ $(id -u) -eq 0 ]]; then run=(setpriv --reuid=postgres --regid=postgres --init-groups); fi
  start postgres "${run[@]}" "$(postgres_program postgres)" -D "$data" -p "$postgres_port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200
  await postgres "$(postgres_program pg_isready)" -q -h 127.0.0.1 -p "$postgres_port" -U memforge -d postgres
  local psql=("$(postgres_program psql)" -h 127.0.0.1 -p "$postgres_port" -U memforge -d postgres -tAq)
  if [[ $("${psql[@]}" -c "SELECT 1 FROM pg_database WHERE datname = 'memforge'") != 1 ]]; then
    "${psql[@]}" -c 'CREATE DATABASE memforge'
  fi
}

up_temporal() {
  start temporal "$temporal" server start-dev --headless --ip 127.0.0.1 --port "$temporal_port" --http-port "$temporal_http_port" \
    --db-filename "$dir/temporal.db" --sqlite-pragma journal_mode=WAL --sqlite-pragma synchronous=NORMAL --log-level warn
  await temporal "$temporal" operator namespace describe --address "127.0.0.1:$temporal_port" -n default
}

up() {
  local temporal versitygw n
  .ci/program.sh postgres
  if [[ $engine == temporal ]]; then temporal=$(program temporal); fi
  versitygw=$(program versitygw)
  mkdir -p "$dir/run" "$dir/log" "$dir/bucket/memforge" "$dir/sidecar"
  if [[ ! -f $dir/env ]]; then settle; fi
  . "$dir/env"
  up_postgres
  ROOT_ACCESS_KEY=$AWS_ACCESS_KEY_ID ROOT_SECRET_KEY=$AWS_SECRET_ACCESS_KEY \
    start versitygw "$versitygw" --quiet --port "127.0.0.1:$s3_port" posix --sidecar "$dir/sidecar" "$dir/bucket"
  if [[ $engine == temporal ]]; then up_temporal; fi
  await versitygw listens "$s3_port"
  # Each has its share of the processors, and a cache of its own as on a machine of its own.
  local share=$((($(getconf _NPROCESSORS_ONLN) + workers - 1) / workers))
  for ((n = 1; n <= workers; n++)); do
    # Builds are of one program: workers of the one before would not serve them.
    if [[ $program -nt $dir/run/worker-$n ]]; then finish "worker-$n" TERM; fi
    start "worker-$n" "$program" worker --on "$CLUSTER_ON" --store "$CLUSTER_STORE&cache=$dir/cache-$n" --ledger "$CLUSTER_LEDGER" \
      --queues cpu,ffmpeg,model,network,driver --slots "cpu=$share,ffmpeg=$share"
  done
  sleep 1
  for ((n = 1; n <= workers; n++)); do
    if ! alive "worker-$n"; then
      echo "worker $n ended; its log $dir/log/worker-$n ends with:" >&2
      tail -n 5 "$dir/log/worker-$n" >&2
      return 1
    fi
  done
  cat <<HELP
PostgreSQL, versitygw and $workers workers run, with $engine as the engine; their logs are in $dir/log.
Build with them:
  . $dir/env
  bin/memforge-cluster build --on "\$CLUSTER_ON" --set run.store="\$CLUSTER_STORE" --set run.ledger="\$CLUSTER_LEDGER"
HELP
}

down() {
  local n
  for ((n = 1; n <= workers; n++)); do finish "worker-$n" TERM; done
  finish temporal TERM
  finish versitygw TERM
  finish postgres INT # does not wait for clients
}

case ${1:-} in
  program) program "${2:-}" ;;
  kept) kept "${2:-}" ;;
  up | down)
    dir=$(realpath -m "${2:-out/cluster}")
    program=${MEMFORGE:-$PWD/bin/memforge-cluster}
    "$1"
    ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
