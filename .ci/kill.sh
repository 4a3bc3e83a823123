#!/usr/bin/env bash
# Kill a build with SIGKILL at random moments, run it again each time, and
# compare the release with that of an undisturbed build, byte for byte.
#
#   .ci/kill.sh [KILLS] [CONFIG] [memforge build flags ...]
#
# SEED makes the moments repeatable. The moments are spread over the time the
# undisturbed build takes, so that they fall into all of its phases.
set -euo pipefail
cd "$(dirname "$0")/.."

kills=${1:-20}
config=${2:-pipeline.yaml}
shift $(($# < 2 ? $# : 2))
RANDOM=${SEED:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/memforge" .

build=("$work/memforge" build -f "$config" --log-format json "$@")
millis() { date +%s%3N; }

start=$(millis)
"${build[@]}" --out "$work/calm" >"$work/calm.log" 2>&1 || { cat "$work/calm.log" >&2; exit 1; }
took=$(($(millis) - start))
echo "undisturbed build: $took ms"

killed=0 ended=0
for ((i = 1; i <= kills; i++)); do
	"${build[@]}" --out "$work/rough" >"$work/rough.log" 2>&1 &
	pid=$!
	# Each run goes on where the last one was killed, so the moments add up to
	# about the time of one whole build and fall into all of its phases.
	wait_ms=$((took / kills / 2 + RANDOM % (took / kills + 1)))
	sleep "$(printf '%d.%03d' $((wait_ms / 1000)) $((wait_ms % 1000)))"
	if kill -9 $pid 2>/dev/null; then
		killed=$((killed + 1))
	else
		ended=$((ended + 1))
		rm -rf "$work/rough"
	fi
	wait $pid 2>/dev/null || true
done
"${build[@]}" --out "$work/rough" >"$work/rough.log" 2>&1 || { cat "$work/rough.log" >&2; exit 1; }
echo "killed $killed times; $ended builds had ended before their moment came"
[ "$killed" -gt 0 ] || { echo "no kill hit a running build" >&2; exit 1; }

"$work/memforge" store check -f "$config" --out "$work/rough"
diff -r "$work/calm/releases" "$work/rough/releases"
echo "releases are byte-identical"
