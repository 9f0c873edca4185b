#!/usr/bin/env bash
# Builds count.wasm, beside the source or where the first word says, with clang and the C library for WASI that `scripts/setup guests` installs.
set -euo pipefail
out=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/count.wasm}")
cd "$(dirname "${BASH_SOURCE[0]}")"
sysroot=${WASI_SYSROOT:-/usr}
clang --target=wasm32-wasi --sysroot="$sysroot" -Oz -c count.c -o "$out.o"
# The linker by itself, because not every clang comes with the builtins that its driver asks for.
linker=$(command -v wasm-ld-19 || command -v wasm-ld)
"$linker" --strip-all --gc-sections -L"$sysroot/lib/wasm32-wasi" "$sysroot/lib/wasm32-wasi/crt1-command.o" "$out.o" -lc -o "$out"
rm "$out.o"
