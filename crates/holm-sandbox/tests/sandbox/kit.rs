//! What the tests of this crate share: one sandbox, and guests written as text.

use std::path::Path;
use std::sync::OnceLock;

use holm_grants::{DenialSet, GrantPolicy, GrantSet};
use holm_sandbox::{
    CompilerProgram, Guest, GuestAccess, GuestCall, GuestLimits, GuestLoadError, GuestOutcome, Sandbox,
    SandboxSettings,
};
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER,
};

/// Settings that compile with the program of this crate, because a test harness has no
/// `main` of its own.
pub(crate) fn settings() -> SandboxSettings {
    SandboxSettings::with_compiler(CompilerProgram::program(env!("CARGO_BIN_EXE_holm-sandbox-compiler")))
}

/// One sandbox for all tests of a program.
pub(crate) fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| Sandbox::new(settings()).unwrap())
}

/// Loads a guest from text.
pub(crate) fn load(wat: &str) -> Guest {
    try_load(wat).unwrap()
}

/// Tries to load a guest from text.
pub(crate) fn try_load(wat: &str) -> Result<Guest, GuestLoadError> {
    sandbox().load(&wat::parse_str(wat).unwrap(), &mut |_| {})
}

/// The same module twice: as it is, and as a component of WASI 0.2.
pub(crate) fn both(wat: &str) -> [(&'static str, Guest); 2] {
    let module = wat::parse_str(wat).unwrap();
    let component = componentise(&module);
    let load = |bytes: &[u8]| sandbox().load(bytes, &mut |_| {}).unwrap();
    [("module", load(&module)), ("component", load(&component))]
}

/// Makes a command of WASI 0.2 from a module of WASI 0.1, as toolchains do.
pub(crate) fn componentise(module: &[u8]) -> Vec<u8> {
    wit_component::ComponentEncoder::default()
        .validate(true)
        .module(module)
        .unwrap()
        .adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER)
        .unwrap()
        .encode()
        .unwrap()
}

/// Code as another version of the engine would have made it: the version stands before the target
/// that it is for.
pub(crate) fn of_another_version(mut code: Vec<u8>) -> Vec<u8> {
    let target = std::env::consts::ARCH.as_bytes();
    let at = code.windows(target.len()).position(|part| part == target).unwrap();
    let digits = &mut code[at - 3..at - 1];
    assert!(digits.iter().all(u8::is_ascii_digit), "the version stands elsewhere: {digits:?}");
    digits.copy_from_slice(b"12");
    code
}

/// What a call may do.
pub(crate) fn access(grants: &[&str], denials: &[&str], workspace: Option<&Path>) -> GuestAccess {
    let policy = GrantPolicy {
        grants: GrantSet::parse(grants.iter().copied()).unwrap(),
        denials: DenialSet::parse(denials.iter().copied()).unwrap(),
    };
    GuestAccess::open(policy, workspace).unwrap()
}

/// A call that may do nothing.
pub(crate) fn bare() -> GuestCall {
    GuestCall::new(GuestAccess::none())
}

/// Limits under which a hostile guest ends soon.
pub(crate) fn tight() -> GuestLimits {
    GuestLimits { time: std::time::Duration::from_millis(1_000), ..GuestLimits::default() }
}

/// Runs a guest that has no grants.
pub(crate) fn run(guest: &Guest, call: GuestCall) -> GuestOutcome {
    sandbox().run_here(guest, call)
}

pub(crate) fn stdout(outcome: &GuestOutcome) -> String {
    String::from_utf8_lossy(&outcome.stdout).into_owned()
}

pub(crate) fn refusals(outcome: &GuestOutcome) -> Vec<String> {
    outcome.refusals.iter().map(ToString::to_string).collect()
}

/// A module with the imports that tests use, a page of memory, and small helpers:
/// `$say ptr len` writes to standard output, `$byte n` writes the one byte `n`.
pub(crate) fn program(body: &str) -> String {
    program_with_memory("(memory (export \"memory\") 2)", body)
}

pub(crate) fn program_with_memory(memory: &str, body: &str) -> String {
    let import = |name: &str, params: &str| {
        format!(r#"(import "wasi_snapshot_preview1" "{name}" (func ${name} (param {params}) (result i32)))"#)
    };
    let imports: String = [
        ("args_sizes_get", "i32 i32"),
        ("args_get", "i32 i32"),
        ("environ_sizes_get", "i32 i32"),
        ("environ_get", "i32 i32"),
        ("clock_time_get", "i32 i64 i32"),
        ("random_get", "i32 i32"),
        ("fd_write", "i32 i32 i32 i32"),
        ("fd_read", "i32 i32 i32 i32"),
        ("fd_close", "i32"),
        ("fd_seek", "i32 i64 i32 i32"),
        ("fd_readdir", "i32 i32 i32 i64 i32"),
        ("fd_renumber", "i32 i32"),
        ("fd_filestat_get", "i32 i32"),
        ("fd_filestat_set_size", "i32 i64"),
        ("path_open", "i32 i32 i32 i32 i32 i64 i64 i32 i32"),
        ("path_create_directory", "i32 i32 i32"),
        ("path_unlink_file", "i32 i32 i32"),
        ("path_remove_directory", "i32 i32 i32"),
        ("path_link", "i32 i32 i32 i32 i32 i32 i32"),
        ("path_rename", "i32 i32 i32 i32 i32 i32"),
        ("path_symlink", "i32 i32 i32 i32 i32"),
        ("path_filestat_get", "i32 i32 i32 i32 i32"),
        ("poll_oneoff", "i32 i32 i32 i32"),
    ]
    .iter()
    .map(|(name, params)| import(name, params))
    .collect();
    format!(
        r#"(module {imports}
            (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
            {memory}
            (func $write (param $fd i32) (param $ptr i32) (param $len i32)
                (i32.store (i32.const 0) (local.get $ptr))
                (i32.store (i32.const 4) (local.get $len))
                (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))))
            (func $say (param $ptr i32) (param $len i32)
                (call $write (i32.const 1) (local.get $ptr) (local.get $len)))
            (func $byte (param $n i32)
                (i32.store8 (i32.const 16) (local.get $n))
                (call $say (i32.const 16) (i32.const 1)))
            (func $read (param $fd i32) (param $ptr i32) (param $len i32) (result i32)
                (i32.store (i32.const 0) (local.get $ptr))
                (i32.store (i32.const 4) (local.get $len))
                (if (call $fd_read (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))
                    (then (return (i32.const -1))))
                (i32.load (i32.const 8)))
            ;; opens beneath the first directory; gives the handle, or minus the error
            (func $open (param $ptr i32) (param $len i32) (param $oflags i32) (param $rights i64) (result i32)
                (local $error i32)
                (local.set $error (call $path_open (i32.const 3) (i32.const 1) (local.get $ptr) (local.get $len)
                    (local.get $oflags) (local.get $rights) (i64.const 0) (i32.const 0) (i32.const 12)))
                (if (local.get $error) (then (return (i32.sub (i32.const 0) (local.get $error)))))
                (i32.load (i32.const 12)))
            {body})"#
    )
}

/// A component of the text world around the body of a core function `run (param $ptr i32) (param
/// $len i32) (result i32)`. The result points to a tag, a pointer and a length.
pub(crate) fn text(body: &str) -> String {
    text_with("", body)
}

pub(crate) fn text_with(extra: &str, body: &str) -> String {
    let module = text_module("$m", "run", extra, body);
    format!(
        r#"(component
            (core {module}
            (core instance $i (instantiate $m))
            (func $run (param "input" string) (result (result string (error string)))
                (canon lift (core func $i "run") (memory (core memory $i "memory")) (realloc (core func $i "cabi_realloc"))))
            (instance $call (export "run" (func $run)))
            (export "holm:tool/call@0.1.0" (instance $call)))"#
    )
}

/// The module of such a component, which is a guest as it is.
pub(crate) fn plain(body: &str) -> String {
    plain_with("", body)
}

pub(crate) fn plain_with(extra: &str, body: &str) -> String {
    format!("({}", text_module("", "holm:tool/call@0.1.0#run", extra, body))
}

/// Everything behind the first bracket.
fn text_module(name: &str, run: &str, extra: &str, body: &str) -> String {
    format!(
        r#"module {name}
            {extra}
            (memory (export "memory") 1)
            (global $next (mut i32) (i32.const 4096))
            (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
                (global.get $next)
                (global.set $next (i32.add (global.get $next) (local.get $size))))
            (func (export "{run}") (param $ptr i32) (param $len i32) (result i32)
                {body}))"#
    )
}

/// The body of a text guest that answers with its input.
pub(crate) const ECHO: &str = r"
    (i32.store8 (i32.const 0) (i32.const 0))
    (i32.store (i32.const 4) (local.get $ptr))
    (i32.store (i32.const 8) (local.get $len))
    (i32.const 0)";
