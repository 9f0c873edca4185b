use super::*;
use crate::engine::{EnginePurpose, engine};

/// The files of WASI 0.2, as far as a guest imports them that only finds its directories.
const DIRECTORIES: &str = r#"
    (import "wasi:filesystem/types@0.2.3" (instance $types (export "descriptor" (type (sub resource)))))
    (alias export $types "descriptor" (type $descriptor))
    (import "wasi:filesystem/preopens@0.2.3" (instance
        (alias outer 1 $descriptor (type $outer))
        (export "descriptor" (type $inner (eq $outer)))
        (export "get-directories" (func (result (list (tuple (own $inner) string)))))))"#;

/// The same with a function of files that is not among those which never wait.
const SYNC: &str = r#"
    (import "wasi:filesystem/types@0.2.3" (instance
        (export "descriptor" (type $descriptor (sub resource)))
        (type $code (enum "access" "would-block" "already" "bad-descriptor" "busy" "deadlock" "quota" "exist"
            "file-too-large" "illegal-byte-sequence" "in-progress" "interrupted" "invalid" "io" "is-directory" "loop"
            "too-many-links" "message-size" "name-too-long" "no-device" "no-entry" "no-lock" "insufficient-memory"
            "insufficient-space" "not-directory" "not-empty" "not-recoverable" "unsupported" "no-tty" "no-such-device"
            "overflow" "not-permitted" "pipe" "read-only" "invalid-seek" "text-file-busy" "cross-device"))
        (export "error-code" (type $error (eq $code)))
        (export "[method]descriptor.sync"
            (func (param "self" (borrow $descriptor)) (result (result (error $error)))))))"#;

const CLOCK: &str = r#"
    (import "wasi:clocks/monotonic-clock@0.2.3" (instance (export "now" (func (result u64)))))"#;

/// How a guest of the text world with these imports is called.
fn waits(imports: &str) -> Result<ImportWaiting, GuestLoadError> {
    let bytes = wat::parse_str(format!(
        r#"(component {imports}
            (core module $m
                (memory (export "memory") 1)
                (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
                (func (export "run") (param i32 i32) (result i32) (i32.const 0)))
            (core instance $i (instantiate $m))
            (func $run (param "input" string) (result (result string (error string)))
                (canon lift (core func $i "run") (memory (core memory $i "memory")) (realloc (core func $i "realloc"))))
            (instance $call (export "run" (func $run)))
            (export "{CALL}" (instance $call)))"#
    ))
    .unwrap();
    let engine = engine(EnginePurpose::Compile).unwrap();
    let code = TrustedCode::from_compiler(engine.precompile_component(&bytes).unwrap());
    match GuestLinkers::new(&engine).unwrap().link(&engine, WasmKind::Component, &code).unwrap()? {
        GuestCode::Text(text) => Ok(text.waits),
        GuestCode::Command { .. } | GuestCode::Module { .. } | GuestCode::Plain(_) => {
            panic!("a guest of another kind")
        }
    }
}

#[test]
fn a_guest_gets_a_stack_of_its_own_only_where_it_may_have_to_wait() {
    for (imports, expect) in [
        ("", ImportWaiting::Never),
        (DIRECTORIES, ImportWaiting::Never),
        (SYNC, ImportWaiting::Maybe),
        (CLOCK, ImportWaiting::Maybe),
    ] {
        assert_eq!(waits(imports), Ok(expect), "{imports}");
    }
}

#[test]
fn what_nobody_has_is_refused_with_its_name() {
    let error =
        waits(r#"(import "wasi:nothing/at-all@0.2.0" (instance (export "run" (func))))"#).unwrap_err();
    assert!(
        matches!(&error, GuestLoadError::Import(name) if name.contains("wasi:nothing/at-all")),
        "{error}"
    );
}
