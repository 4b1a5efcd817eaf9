#!/usr/bin/env bash
# Fuzzes for SECONDS each target, or those named, one after the other, or PROCESSES at a time:
#
#   Tests/Fuzzing/run.sh SECONDS [target ...]
#
# targets: open open-checked details operations codes arrays archives legacy
#
# What it finds is left in .build/fuzz/findings. Inputs that reach code which the corpus does not are
# added to it. Ends with 1 when something was found. Linux, or a toolchain from swift.org on a Mac:
# Apple's own has no libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?usage: Tests/Fuzzing/run.sh SECONDS [target ...]}
shift
[ $# -gt 0 ] || set -- open open-checked details operations codes arrays archives legacy
processes=${PROCESSES:-1}
scratch=.build/fuzz
corpus=Tests/Fuzzing/Corpus
findings=$scratch/findings
# The corpus stays small: the tests replay it in debug builds.
most_inputs=64
largest_input=4096

# Of several --sanitize the compiler takes the last, and their order is left to chance.
swift build -c release --sanitize fuzzer -Xswiftc -sanitize=address,fuzzer -Xcc -fsanitize=address \
  -Xswiftc -DFUZZING --product fuzz --scratch-path "$scratch" >"$scratch.log" 2>&1 || {
  grep -E 'error:' "$scratch.log" || tail -n 30 "$scratch.log"
  exit 1
}
fuzz=$scratch/release/fuzz
mkdir -p "$findings"
# Freed memory that waits to be used again counts as the target's own. Where memory was allocated is
# not noted, which is slow: run a finding again without this to see it.
export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=32:malloc_context_size=0}
# Swift's own report of a crash takes seconds and address space that the sanitizer uses.
export SWIFT_BACKTRACE=enable=no
# Some targets are given files, which are written thousands of times a second.
if [ -w /dev/shm ]; then
  TMPDIR=$(mktemp -d /dev/shm/fuzz.XXXXXX)
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
fi
limits=(-rss_limit_mb=512 -malloc_limit_mb=256 -timeout=5 -max_len=16384)

# A fuzzer that does not see what it reaches finds nothing, and says so with good cheer.
object=$(find -L "$scratch/release/EmbeddingFiles.build" -name 'MainFile.swift.o')
for symbol in sancov __asan_report; do
  nm "$object" | grep "$symbol" >/dev/null || {
    echo "The library is not instrumented: it has no $symbol."
    exit 1
  }
done

run() {
  local target=$1 work=$scratch/corpus/$1 log=$scratch/$1.log status=0
  mkdir -p "$work" "$corpus/$target"
  FUZZ_TARGET=$target nice -n 19 "$fuzz" "${limits[@]}" -max_total_time="$seconds" \
    -print_final_stats=1 -artifact_prefix="$findings/$target-" "$work" "$corpus/$target" \
    >"$log" 2>&1 || status=$?
  local runs features
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  # None yet when an input of the corpus is the finding.
  features=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -n 1 || true)
  printf '%s: %s runs, %s a second, %s, exit %s\n' "$target" "${runs:-no}" \
    "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" "$features" "$status"
  if [ "$status" != 0 ]; then
    grep -E 'FINDING|Fatal error|ERROR: |SUMMARY: |Test unit written' "$log" | head -n 10
    return 1
  fi
}

# Adds the inputs that reach more than the corpus does: the smallest that do, up to a number.
keep() {
  local target=$1 merged=$scratch/merged/$1
  rm -rf "$merged"
  mkdir -p "$merged"
  FUZZ_TARGET=$target nice -n 19 "$fuzz" "${limits[@]}" -max_len="$largest_input" -merge=1 "$merged" \
    -artifact_prefix="$findings/$target-" "$corpus/$target" "$scratch/corpus/$target" \
    >"$scratch/$target-merge.log" 2>&1 || return 0
  local room=$((most_inputs - $(find "$corpus/$target" -type f | wc -l)))
  local input
  while [ "$room" -gt 0 ] && read -r input; do
    [ -e "$corpus/$target/$(basename "$input")" ] && continue
    cmp -s "$input" /dev/null && continue
    cp "$input" "$corpus/$target/"
    room=$((room - 1))
  done < <(find "$merged" -type f -printf '%s %p\n' | sort -n | cut -d ' ' -f 2-)
}

status=0
jobs=()
for target in "$@"; do
  run "$target" &
  jobs+=($!)
  if [ "${#jobs[@]}" -ge "$processes" ]; then
    for job in "${jobs[@]}"; do wait "$job" || status=1; done
    jobs=()
  fi
done
for job in "${jobs[@]}"; do wait "$job" || status=1; done
[ "$status" = 0 ] || exit "$status"
for target in "$@"; do keep "$target"; done
