#!/usr/bin/env bash
# Draws a flame graph of the profiler under load. target is the load, one profiler takes samples of it 10,000 times a
# second, and perf or another profiler samples that profiler. Run as root in the workspace, after building target and
# profiler.
#
#   bash profiler/profile-the-profiler.sh perf|self FILE.svg [OPTION of the sampling profiler]
#
# Also writes FILE.folded next to FILE.svg. With perf it needs inferno's commands (cargo install inferno).
set -euo pipefail

if [[ $# -lt 2 || ! $1 =~ ^(perf|self)$ || $2 != *.svg ]]; then
    echo "usage: $0 perf|self FILE.svg [OPTION]" >&2
    exit 2
fi
with=$1 svg=$2
shift 2
folded=${svg%.svg}.folded
built=${CARGO_TARGET_DIR:-target}/release
seconds=${SECONDS_OF_CPU_TIME:-10}

folder=$(mktemp -d)
load='' profiler=''
trap 'kill $load $profiler 2>/dev/null || true; wait; rm -rf "$folder"' EXIT

# Waits for a text in a file that a process writes, and fails if that process ends first.
wait_for() {
    until grep -q "$1" "$2" 2>/dev/null; do
        kill -0 "$3" || { cat "$2" >&2; exit 1; }
        sleep 0.1
    done
}

mkfifo "$folder/begin"
"$built/examples/target" hot "$seconds" <"$folder/begin" >"$folder/target" &
load=$!
exec 3>"$folder/begin"
wait_for '[0-9]' "$folder/target" "$load"

# It ends when its target does. Its log is part of the load.
"$built/profiler" "$load" --frequency 10000 >"$folder/summary" 2>"$folder/log" &
profiler=$!
wait_for 'taking samples' "$folder/log" "$profiler"

if [[ $with == self ]]; then
    "$built/profiler" "$profiler" --folded "$folded" --flamegraph "$svg" "$@" >"$folder/own" 2>"$folder/own-log" &
    own=$!
    wait_for 'taking samples' "$folder/own-log" "$own"
    echo >&3
    wait "$own" || { cat "$folder/own-log" >&2; exit 1; }
    echo "the profiler, looked at:  $(cat "$folder/own")"
else
    perf record --freq 997 --event cpu-clock --call-graph fp --pid "$profiler" --output "$folder/perf.data" 2>"$folder/perf-log" &
    perf=$!
    echo >&3
    wait "$perf" || { cat "$folder/perf-log" >&2; exit 1; }
    perf script --input "$folder/perf.data" 2>>"$folder/perf-log" | inferno-collapse-perf >"$folded"
    inferno-flamegraph <"$folded" >"$svg"
fi
wait "$profiler"
echo "its samples of the target: $(cat "$folder/summary")"
echo "wrote $svg and $folded"
