//! One sandbox for all tests, and guests written as text.

use std::path::Path;
use std::sync::OnceLock;

use holm_grants::{CallNeed, GrantSet};
use holm_kernel::ToolOutput;
use holm_runtime::{Tool, ToolInvocation};
use holm_sandbox::{CompilerProgram, Sandbox, SandboxSettings};
use holm_tools::registry::{PinStatus, ToolLoadError, ToolSidecar};
use holm_tools::wasm::{GuestInspection, WasmHost, WasmSettings, WasmTool};
use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER,
};

/// Settings that compile with the program of this crate.
pub(crate) fn settings() -> SandboxSettings {
    SandboxSettings::with_compiler(CompilerProgram::program(env!("CARGO_BIN_EXE_holm-tools-compiler")))
}

/// One sandbox for all tests of this program.
pub(crate) fn sandbox() -> Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| Sandbox::new(settings()).unwrap()).clone()
}

/// A host that has a workspace and nothing else to grant.
pub(crate) fn host(workspace: Option<&Path>) -> WasmHost {
    let workspace = workspace.map(ToOwned::to_owned);
    WasmHost::new(sandbox(), WasmSettings { workspace, ..WasmSettings::default() })
}

/// A tool of a guest's text, with a sidecar's text.
pub(crate) fn open(
    host: &WasmHost,
    wat: &str,
    sidecar: &str,
) -> Result<(WasmTool, GuestInspection), ToolLoadError> {
    let bytes = wat::parse_str(wat).unwrap();
    open_bytes(host, &bytes, sidecar)
}

pub(crate) fn open_bytes(
    host: &WasmHost,
    bytes: &[u8],
    sidecar: &str,
) -> Result<(WasmTool, GuestInspection), ToolLoadError> {
    open_as(host, bytes, sidecar, PinStatus::Confirmed)
}

/// On a thread of its own, because opening blocks and tests may be async.
pub(crate) fn open_as(
    host: &WasmHost,
    bytes: &[u8],
    sidecar: &str,
    standing: PinStatus,
) -> Result<(WasmTool, GuestInspection), ToolLoadError> {
    let sidecar = (!sidecar.is_empty()).then(|| ToolSidecar::parse(sidecar).unwrap());
    let open = || WasmTool::open(host, "tool", bytes, sidecar.as_ref(), standing, &mut |_| {});
    std::thread::scope(|scope| scope.spawn(open).join().unwrap())
}

/// Runs a call that was allowed these grants.
pub(crate) async fn run(tool: &WasmTool, arguments: &str, grants: &[&str]) -> ToolOutput {
    let mut job = ToolInvocation::alone(arguments);
    let grants = GrantSet::parse(grants.iter().copied()).unwrap();
    job.needs = grants.iter().cloned().map(CallNeed::Grant).collect();
    tool.run(job).await
}

/// What the record says of a call, by name.
pub(crate) fn noted(output: &ToolOutput, name: &str) -> Option<String> {
    let value = output.metadata.as_ref()?.get(name)?;
    Some(value.as_str().map_or_else(|| value.canonical(), ToOwned::to_owned))
}

/// A command that prints `help` for `-h` and `--help`, and else does `body`. Helpers: `$say fd ptr len`, `$read fd ptr len`,
/// `$open ptr len` beneath the first directory; the words of the command line begin at 16384, `$words` is their length.
pub(crate) fn command(help: &str, data: &str, body: &str) -> String {
    let import = |name: &str, params: &str| {
        format!(r#"(import "wasi_snapshot_preview1" "{name}" (func ${name} (param {params}) (result i32)))"#)
    };
    let imports: String = [
        ("args_sizes_get", "i32 i32"),
        ("args_get", "i32 i32"),
        ("poll_oneoff", "i32 i32 i32 i32"),
        ("environ_sizes_get", "i32 i32"),
        ("environ_get", "i32 i32"),
        ("fd_write", "i32 i32 i32 i32"),
        ("fd_read", "i32 i32 i32 i32"),
        ("path_open", "i32 i32 i32 i32 i32 i64 i64 i32 i32"),
    ]
    .iter()
    .map(|(name, params)| import(name, params))
    .collect();
    let (help_text, help_len) = (escaped(help), help.len());
    format!(
        r#"(module {imports}
            (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
            (memory (export "memory") 2)
            (data (i32.const 1024) "{help_text}")
            {data}
            (func $say (param $fd i32) (param $ptr i32) (param $len i32)
                (i32.store (i32.const 0) (local.get $ptr))
                (i32.store (i32.const 4) (local.get $len))
                (drop (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))))
            (func $read (param $fd i32) (param $ptr i32) (param $len i32) (result i32)
                (i32.store (i32.const 0) (local.get $ptr))
                (i32.store (i32.const 4) (local.get $len))
                (if (call $fd_read (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8))
                    (then (return (i32.const 0))))
                (i32.load (i32.const 8)))
            (func $open (param $ptr i32) (param $len i32) (result i32)
                (if (call $path_open (i32.const 3) (i32.const 1) (local.get $ptr) (local.get $len)
                        (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 12))
                    (then (return (i32.const -1))))
                (i32.load (i32.const 12)))
            (func $asks_help (result i32) (local $word i32)
                (if (i32.lt_u (i32.load (i32.const 16)) (i32.const 2)) (then (return (i32.const 0))))
                (local.set $word (i32.load (i32.const 36)))
                (i32.or
                    (i32.eq (i32.load16_u (local.get $word)) (i32.const 0x682d))
                    (i32.and (i32.eq (i32.load16_u (local.get $word)) (i32.const 0x2d2d))
                             (i32.eq (i32.load8_u offset=2 (local.get $word)) (i32.const 0x68)))))
            (func (export "_start") (local $words i32) (local $n i32)
                (drop (call $args_sizes_get (i32.const 16) (i32.const 20)))
                (drop (call $args_get (i32.const 32) (i32.const 16384)))
                (local.set $words (i32.load (i32.const 20)))
                (if (call $asks_help)
                    (then (call $say (i32.const 1) (i32.const 1024) (i32.const {help_len})) (return)))
                {body}))"#
    )
}

/// A command that always prints the same text.
pub(crate) fn prints(help: &str, text: &str) -> String {
    let data = format!(r#"(data (i32.const 8192) "{}")"#, escaped(text));
    command(help, &data, &format!("(call $say (i32.const 1) (i32.const 8192) (i32.const {}))", text.len()))
}

/// The help of a tool that takes a text and a switch.
pub(crate) const HELP: &str = "\
Says things.

Keywords: speech, words

PermissionLevel: None

Usage: tool [OPTIONS] <TEXT>

Arguments:
  <TEXT>  What to say

Options:
  -l, --loud         In capitals
  -n, --times <N>    How often [default: 1]
  -h, --help         Print help
";

/// A body that prints its words, each followed by a zero byte.
pub(crate) const ECHO: &str = "(call $say (i32.const 1) (i32.const 16384) (local.get $words))";

/// The text as WAT writes it.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("\\{byte:02x}")).collect()
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

/// A component of the text world that answers with its input and describes itself with `about`.
pub(crate) fn text_world(about: &str) -> String {
    let (data, len) = (escaped(about), about.len());
    format!(
        r#"(component
            (core module $m
                (memory (export "memory") 1)
                (data (i32.const 100) "{data}")
                (global $next (mut i32) (i32.const 8192))
                (func (export "realloc") (param i32 i32 i32) (param $size i32) (result i32)
                    (global.get $next) (global.set $next (i32.add (global.get $next) (local.get $size))))
                (func (export "describe") (result i32)
                    (i32.store (i32.const 0) (i32.const 100)) (i32.store (i32.const 4) (i32.const {len})) i32.const 0)
                (func (export "run") (param $ptr i32) (param $len i32) (result i32)
                    (i32.store8 (i32.const 0) (i32.const 0))
                    (i32.store (i32.const 4) (local.get $ptr))
                    (i32.store (i32.const 8) (local.get $len))
                    (i32.const 0)))
            (core instance $i (instantiate $m))
            (func $run (param "input" string) (result (result string (error string)))
                (canon lift (core func $i "run") (memory (core memory $i "memory")) (realloc (core func $i "realloc"))))
            (func $describe (result string) (canon lift (core func $i "describe") (memory (core memory $i "memory"))))
            (instance $call (export "run" (func $run)))
            (instance $description (export "describe" (func $describe)))
            (export "holm:tool/call@0.1.0" (instance $call))
            (export "holm:tool/description@0.1.0" (instance $description)))"#
    )
}
