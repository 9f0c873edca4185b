//! The guests, written as text.

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER,
};

type Bytes = Result<Vec<u8>, Box<dyn std::error::Error>>;

/// Answers with its input.
pub(crate) fn text(salt: u32) -> Bytes {
    Ok(wat::parse_str(format!(
        r#"(component
            (core module $m
                (memory (export "memory") 1)
                (global $salt i32 (i32.const {salt}))
                (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096))
                (func (export "run") (param $ptr i32) (param $len i32) (result i32)
                    (i32.store8 (i32.const 0) (i32.const 0))
                    (i32.store (i32.const 4) (local.get $ptr))
                    (i32.store (i32.const 8) (local.get $len))
                    (i32.const 0)))
            (core instance $i (instantiate $m))
            (func $run (param "input" string) (result (result string (error string)))
                (canon lift (core func $i "run") (memory (core memory $i "memory")) (realloc (core func $i "realloc"))))
            (instance $call (export "run" (func $run)))
            (export "holm:tool/call@0.1.0" (instance $call)))"#
    ))?)
}

const WRITE: &str = r#"
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))"#;

/// Writes five bytes.
pub(crate) fn hello() -> Bytes {
    Ok(wat::parse_str(format!(
        r#"(module {WRITE} (memory (export "memory") 1) (data (i32.const 64) "hello")
            (func (export "_start")
                (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 5))
                (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))"#
    ))?)
}

/// Opens `file.txt`, reads it and writes it out.
pub(crate) fn reads() -> Bytes {
    Ok(wat::parse_str(format!(
        r#"(module {WRITE}
            (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "path_open"
                (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
            (memory (export "memory") 1) (data (i32.const 64) "file.txt")
            (func (export "_start")
                (if (call $path_open (i32.const 3) (i32.const 1) (i32.const 64) (i32.const 8) (i32.const 0) (i64.const 2)
                    (i64.const 0) (i32.const 0) (i32.const 16)) (then unreachable))
                (i32.store (i32.const 0) (i32.const 4096)) (i32.store (i32.const 4) (i32.const 8192))
                (if (call $fd_read (i32.load (i32.const 16)) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))
                (i32.store (i32.const 4) (i32.load (i32.const 8)))
                (if (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)) (then unreachable))))"#
    ))?)
}

/// Sleeps for a minute.
pub(crate) fn sleeps() -> Bytes {
    Ok(wat::parse_str(
        r#"(module
            (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (func (export "_start")
                (i32.store (i32.const 16) (i32.const 1)) (i64.store (i32.const 24) (i64.const 60000000000))
                (drop (call $poll (i32.const 0) (i32.const 100) (i32.const 1) (i32.const 200)))))"#,
    )?)
}

/// Makes a command of WASI 0.2 from a module of WASI 0.1.
pub(crate) fn command(module: &[u8]) -> Bytes {
    Ok(wit_component::ComponentEncoder::default()
        .module(module)?
        .adapter(WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER)?
        .encode()?)
}

/// The same guest with a description of itself: a custom section may stand at the end of any module or component.
pub(crate) fn described(bytes: &[u8], about: &str) -> Vec<u8> {
    const NAME: &str = "holm:tool";
    let mut section = leb(NAME.len());
    section.extend(NAME.bytes().chain(about.bytes()));
    [bytes, &[0], &leb(section.len()), &section].concat()
}

/// A number as WASM writes it.
fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or(0);
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
