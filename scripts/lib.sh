# shellcheck shell=bash disable=SC2034
# Shared by the scripts beside it; source it, do not run it.
#
# The pure crates are built for targets whose standard library rarely comes with a
# toolchain. There are two ways to get it: the toolchain manager's ready-made one, and a
# distribution's compiler that builds it from source. The choice is made here, once, so
# that set-up and the builds always agree. HOLM_STD=rustup or HOLM_STD=distro forces it.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$repo" || exit 1

# Stable Rust has a std for the first; the second has only core and alloc, so building
# for it is what proves that a crate needs no std.
wasm_target=wasm32-unknown-unknown
bare_target=aarch64-unknown-none
# What guests that need files are built for.
wasi_target=wasm32-wasip1

say() { printf '%s\n' "$*"; }

fail() {
    printf 'error: %s\n' "$1" >&2
    shift
    for hint in "$@"; do printf '  hint: %s\n' "$hint" >&2; done
    exit 1
}

# result ID KEY=VALUE...: the one line of a proof that a program reads; scripts/prove gathers them.
result() { printf 'RESULT %s\n' "$*"; }

# What a first run needs of the command, and not more: no client of PostgreSQL.
first_build=(cargo build --profile first --package holm-cli --bin holm --no-default-features --features local)

# build_holm: the command, and how long it takes where that is long. Afterwards $holm is where it lies.
build_holm() {
    local folder=${CARGO_TARGET_DIR:-target} build=(cargo build --package holm-cli --bin holm)
    # A contributor has built the command already, and does not need a second profile.
    if [ -x "$folder/debug/holm" ] && [ ! -x "$folder/first/holm" ]; then
        holm=$folder/debug/holm
    else
        holm=$folder/first/holm
        build=("${first_build[@]}")
    fi
    if [ -x "$holm" ]; then
        build+=(--quiet)
    else
        # Without --quiet cargo shows how far it is.
        say "building holm with llama.cpp and the WASM sandbox: once, about seven minutes on two cores"
    fi
    "${build[@]}"
    holm=$(realpath "$holm")
}

# build_as_tests ARGS...: what they name (--bin, --example), as `cargo test --workspace` builds it, so that nothing is built twice. The
# example is for cargo alone: where none is asked for it leaves out what only tests depend on, crates that are shared have other
# features then, and whatever depends on them is built again.
build_as_tests() { cargo build --quiet --workspace --features holm/otel --example double "$@"; }

have() { command -v "$1" >/dev/null 2>&1; }

# The crates that must never need std, in the order of their arrows, as far as they exist.
pure_crates() {
    local name
    for name in holm-read holm-grants holm-guards holm-kernel holm-wire; do
        if [ -f "crates/$name/Cargo.toml" ]; then echo "$name"; fi
    done
}

# Whether the toolchain in use has a ready-made std (or core and alloc) for a target.
has_ready_std() {
    [ "${HOLM_STD:-}" != distro ] && have rustc &&
        compgen -G "$(rustc --print sysroot)/lib/rustlib/$1/lib/libcore-*.rlib" >/dev/null
}

# Whether the distribution's compiler, its std sources and its WASM linker are all here.
has_distro_std() {
    [ "${HOLM_STD:-}" != rustup ] && [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] &&
        [ -x /usr/bin/wasm-ld-19 ] && [ -f /usr/lib/rustlib/src/rust/library/core/Cargo.toml ]
}

# build_pure TARGET STD_CRATES: builds every pure crate for TARGET with default features,
# in a target folder of its own so that the main one stays warm.
build_pure() {
    local target=$1 std=$2 name packages=()
    for name in $(pure_crates); do packages+=(-p "$name"); done
    local args=("${packages[@]}" --target "$target" --target-dir "${CARGO_TARGET_DIR:-target}/pure")

    if has_ready_std "$target"; then
        say "building $(pure_crates | xargs) for $target"
        cargo build "${args[@]}"
    elif has_distro_std; then
        say "building $(pure_crates | xargs) for $target, with $std from source"
        distro_cargo "$target" build -Z "build-std=$std" "${args[@]}"
    else
        fail "no standard library for $target on this machine" "run scripts/setup wasm"
    fi
}

# distro_cargo TARGET ARGS...: the distribution's cargo with the distribution's rustc.
# PATH is cut short because a toolchain manager's proxies would otherwise come first, and
# RUSTC_BOOTSTRAP is what lets a stable compiler build its own std.
distro_cargo() {
    local target=$1 flags=${RUSTFLAGS:-}
    shift
    case $target in
        "$wasm_target") flags="$flags -C linker=/usr/bin/wasm-ld-19 -C linker-flavor=wasm-ld" ;;
        "$wasi_target")
            flags="$flags -C linker=/usr/bin/wasm-ld-19 -C linker-flavor=wasm-ld"
            flags="$flags -C target-feature=-crt-static -L/usr/lib/wasm32-wasi"
            ;;
    esac
    PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS="$flags" /usr/bin/cargo "$@"
}

# Where the headers of WASI's C library are: of an SDK, or of the distribution's package.
wasi_sysroot() {
    local folder
    for folder in "${WASI_SYSROOT:-}" /opt/wasi-sdk/share/wasi-sysroot /usr; do
        if [ -n "$folder" ] && [ -f "$folder/include/wasm32-wasi/wasi/api.h" ]; then
            echo "$folder"
            return
        fi
    done
    return 1
}

# Where the official client of the Agent Client Protocol is installed.
editors_home() { echo "${HOLM_ACP_PEER:-${XDG_CACHE_HOME:-$HOME/.cache}/holm/acp}"; }

# Where the MCP conformance suite and the servers and clients of other people are installed.
conformance_home() { echo "${HOLM_MCP_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/holm/mcp}"; }

# The Node that runs them.
conformance_node() { echo "$(conformance_home)/node_modules/.bin/node"; }

# Where the program is installed that tries the server's interface.
api_home() { echo "${HOLM_API_TESTER:-${XDG_CACHE_HOME:-$HOME/.cache}/holm/schemathesis}"; }

# Where the tools are installed that packages/python is tested with.
clients_home() { echo "${HOLM_CLIENT_TESTS:-${XDG_CACHE_HOME:-$HOME/.cache}/holm/clients}"; }

# Where `scripts/setup agentdojo` puts AgentDojo.
agentdojo_home() { echo "${HOLM_AGENTDOJO:-${XDG_CACHE_HOME:-$HOME/.cache}/holm/agentdojo}"; }

# Where cargo-mutants is installed.
mutants_home() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/holm/mutants"; }

# Where the programs are installed that start-up is compared with.
startup_home() { echo "${XDG_CACHE_HOME:-$HOME/.cache}/holm/startup"; }

# What the command is handed out for, and measured as: static where this machine can build that, so that one build serves both.
# HOLM_DIST_TARGET names another target.
handed_out_target() {
    if [ -n "${HOLM_DIST_TARGET:-}" ]; then
        echo "$HOLM_DIST_TARGET"
    elif can_be_static; then
        static_target
    else
        host_target
    fi
}

host_target() { rustc -vV | sed -n 's/^host: //p'; }

static_target() { echo "$(host_target | cut -d - -f 1)-unknown-linux-musl"; }

# Whether there is a std for musl, and a compiler for the C code that crates bring along.
can_be_static() { [ "$(uname -s)" = Linux ] && has_ready_std "$(static_target)" && have musl-gcc; }

# build_command TARGET LOCAL: the command as it is handed out, with models on this machine (yes) or without (no); says where it lies.
build_command() {
    local folder="${CARGO_TARGET_DIR:-target}" args=(--profile dist --locked -p holm-cli)
    if [ "$2" = no ]; then args+=(--no-default-features --features postgres); fi
    if [ "$1" != "$(host_target)" ]; then
        args+=(--target "$1")
        folder="$folder/$1"
    fi
    # Paths of this machine are taken out: nobody needs them, and a thousand places in other people's code carry one.
    local flags="'--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo'" sources c_flags=
    for sources in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
        if [ -d "$sources" ]; then flags+=", '--remap-path-prefix=$sources=/crates'"; fi
    done
    # A static program moves itself to its place when it starts. Packed, the list of what must be moved takes a bit for each pointer
    # in place of 24 bytes; the C library that Rust brings for musl reads it, others may be too old. No panic goes through C: what C
    # calls in Rust ends the process first, so C needs no tables to be unwound by.
    case $1 in
        *-linux-musl)
            flags+=", '-Clink-arg=-Wl,-z,pack-relative-relocs'"
            c_flags='-fno-asynchronous-unwind-tables -fno-unwind-tables'
            ;;
    esac
    args+=(--config "target.$1.rustflags=[$flags]")
    # The guests are prepared for machines like this one; where the target is another, the build carries them whole all the same.
    local -x HOLM_GUESTS_OUTLINES=yes
    if [ -n "$c_flags" ]; then
        local c_name="CFLAGS_${1//-/_}"
        local -x "$c_name=${!c_name:-} $c_flags"
    fi
    # Whoever asks for the place runs this in a shell of its own, which would go on after a failure.
    cargo build "${args[@]}" >&2 || return
    echo "$folder/dist/holm"
}
