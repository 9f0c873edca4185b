use std::fmt::Write;

use super::*;

#[track_caller]
fn refused(wat: &str, item: &str) {
    let bytes = wat::parse_str(wat).unwrap();
    match WasmShape::of(&bytes) {
        Err(WasmShapeError::TooMany { what: found, .. }) => assert_eq!(found, item),
        other => panic!("{item}: {other:?}"),
    }
}

#[test]
fn a_module_tells_what_it_wants_and_offers() {
    let wat = r#"(module (import "b" "y" (func)) (import "a" "x" (func)) (func (export "_start")))"#;
    let shape = WasmShape::of(&wat::parse_str(wat).unwrap()).unwrap();
    assert_eq!(shape.kind, WasmKind::Module);
    assert_eq!(shape.imports, ["a.x", "b.y"]);
    assert_eq!((shape.exports, shape.functions), (vec!["_start".to_owned()], 1));
}

#[test]
fn a_component_tells_only_its_own_names() {
    let wat = r#"(component
        (import "wasi:cli/stdout@0.2.0" (instance))
        (core module (import "inner" "x" (func)) (func (export "hidden")))
        (instance $i) (export "holm:tool/call@0.1.0" (instance $i)))"#;
    let shape = WasmShape::of(&wat::parse_str(wat).unwrap()).unwrap();
    assert_eq!(shape.kind, WasmKind::Component);
    assert_eq!(shape.imports, ["wasi:cli/stdout@0.2.0"]);
    assert_eq!(shape.exports, ["holm:tool/call@0.1.0"]);
}

#[test]
fn what_is_no_wasm_is_told_apart() {
    for bytes in [&b""[..], b"#!/bin/sh", b"\0asm", b"\0asm\x01\0\0\0\xff", b"\0asm\x07\0\0\0"] {
        assert!(matches!(WasmShape::of(bytes), Err(WasmShapeError::Malformed(_))), "{bytes:?}");
    }
    assert_eq!(WasmShape::of(b"\x7fELF\x02\x01\x01"), Err(WasmShapeError::Precompiled));
}

#[test]
fn too_many_imports_functions_and_types_are_refused() {
    let many = |text: &str, count: usize| format!("(module {})", text.repeat(count));
    refused(&many(r#"(import "a" "b" (func))"#, 100_000), "imports");
    refused(&many("(func)", 200_000), "functions");
    refused(&many("(type (func (param i32)))", 60_000), "types");
    refused(&many("(global i32 (i32.const 0))", 30_000), "globals");
}

#[test]
fn too_deep_code_is_refused() {
    let nested =
        |open: &str, depth: usize| format!("(module (func {} {}))", open.repeat(depth), "end ".repeat(depth));
    refused(&nested("loop ", 1000), "nested loops");
    refused(&nested("block ", 20_000), "nested blocks");
    let beside = "loop end ".repeat(10_000);
    WasmShape::of(&wat::parse_str(format!("(module (func {beside}))")).unwrap()).unwrap();
}

#[test]
fn a_huge_branch_table_and_many_locals_are_refused() {
    let targets = "0 ".repeat(200_000);
    refused(&format!("(module (func i32.const 0 br_table {targets}))"), "branch targets");
    let mut locals = String::new();
    for _ in 0..30_000 {
        write!(locals, "i64 ").unwrap();
    }
    refused(&format!("(module (func (local {locals})))"), "locals");
}

#[test]
fn too_many_parts_of_a_component_are_refused() {
    let nested = format!("{}{}", "(component ".repeat(40), ")".repeat(40));
    refused(&nested, "nested components");
    let instances = "(core instance (instantiate $m))".repeat(2_000);
    refused(&format!("(component (core module $m) {instances})"), "instances");
    refused(&format!("(component {})", "(core module)".repeat(100)), "modules");
}
