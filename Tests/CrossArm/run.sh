#!/bin/sh
# Cross-compiles the kernels for 64-bit Arm and compares NEON, with and without its dot
# product, with scalar under an emulator.
#
# Needs the packages qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross. Where the Swift
# toolchain's clang is in the path, what it makes of the kernels is run as well.
#
#   run.sh              NEON under qemu
#   run.sh sanitize     every level of this machine, with clang's undefined behaviour sanitizer
set -eu

here=$(cd "$(dirname "$0")" && pwd)
kernels=$here/../../Sources/CEmbeddingKernels
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
sources="$here/compare.c $here/compare_codes.c
  $kernels/scalar.c $kernels/avx2.c $kernels/avx512.c $kernels/neon.c
  $kernels/codes_scalar.c $kernels/codes_avx2.c $kernels/codes_avxvnni.c
  $kernels/codes_avx512vnni.c $kernels/codes_neon.c $kernels/codes_neondot.c $kernels/encode.c
  $kernels/dispatch.c"
options="-std=c17 -O2 -Wall -Wextra -Werror -I$kernels/include"

if [ "${1:-}" = sanitize ]; then
  # shellcheck disable=SC2086
  clang $options -g -fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all $sources \
    -lm -o "$build/native"
  "$build/native"
  exit
fi

sysroot=/usr/aarch64-linux-gnu
passed=0
failed=0

# Runs one program under the emulator and adds up its closing line "N passed, N failed".
run() {
  echo "$1:"
  qemu-aarch64 -cpu max -L $sysroot "$build/$1" >"$build/output" && code=0 || code=$?
  cat "$build/output"
  set -- $(tail -n 1 "$build/output") 0 0 0
  if [ "$2" = "passed," ] && [ "$4" = "failed" ]; then
    passed=$((passed + $1))
    failed=$((failed + $3))
  fi
  # A crash, or no comparison at all, is a failure too.
  if [ $code -ne 0 ] && [ $failed -eq 0 ]; then failed=1; fi
  for level in neon neondot; do
    if ! grep -qx "comparing codes by $level with scalar" "$build/output"; then
      echo "$level did not run"
      failed=$((failed + 1))
    fi
  done
}

# GCC fuses products and sums across statements unless told not to; clang has the pragma.
# shellcheck disable=SC2086
aarch64-linux-gnu-gcc $options -ffp-contract=off $sources -lm -o "$build/gcc"
run gcc

if command -v clang >/dev/null; then
  # shellcheck disable=SC2086
  clang --target=aarch64-linux-gnu --gcc-toolchain=/usr $options $sources -lm -fuse-ld=lld \
    -o "$build/clang"
  run clang
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
