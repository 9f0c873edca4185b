#!/usr/bin/env bash
# Builds total.wasm, beside the source or where the first word says, with the PyPI package componentize-py. The component holds
# a whole Python, so it has some 18 MB and takes minutes to compile the first time.
set -euo pipefail
out=$(realpath -m "${1:-$(dirname "${BASH_SOURCE[0]}")/total.wasm}")
cd "$(dirname "${BASH_SOURCE[0]}")"
tools=${XDG_CACHE_HOME:-$HOME/.cache}/holm/componentize-py
if [ ! -x "$tools/bin/componentize-py" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet componentize-py==0.25.1
fi
"$tools/bin/componentize-py" --wit-path ../../../crates/holm-sandbox/wit --world described-tool componentize app -o "$out"
