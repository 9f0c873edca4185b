//! Guests that mean harm, for the tests that look at how each ends and for the table of what all of
//! them cost.

use std::fmt::Write;
use std::net::IpAddr;

use holm_grants::GrantPolicy;
use holm_sandbox::{GuestHttpRequest, GuestHttpResponse, OutboundError, OutboundFuture, OutboundNetwork};

use crate::http::with_http;
use crate::kit::{ECHO, program, text};

/// The head of every component.
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// A module of sections: number, how many entries it says it has, and one entry as often as it is
/// there. No text format would let these pass.
pub(crate) fn binary(sections: &[(u8, usize, &[u8], usize)]) -> Vec<u8> {
    let mut module = b"\0asm\x01\0\0\0".to_vec();
    for (number, says, entry, times) in sections {
        let mut content = leb(*says);
        content.extend(entry.repeat(*times));
        module.push(*number);
        module.extend(leb(content.len()));
        module.extend(content);
    }
    module
}

/// A number as the binary format writes it.
pub(crate) fn leb(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

/// A module of one function with this code.
fn one_function(code: &[u8]) -> Vec<u8> {
    let mut body = leb(code.len() + 2);
    body.push(0);
    body.extend(code);
    body.push(0x0b);
    binary(&[(1, 1, b"\x60\0\0", 1), (3, 1, b"\0", 1), (10, 1, &body, 1)])
}

/// One type, and then so many functions of it called a.b.
pub(crate) fn imports(count: usize) -> Vec<u8> {
    binary(&[(1, 1, b"\x60\0\0", 1), (2, count, b"\x01a\x01b\0\0", count)])
}

pub(crate) fn functions(count: usize) -> Vec<u8> {
    binary(&[(1, 1, b"\x60\0\0", 1), (3, count, b"\0", count), (10, count, b"\x02\0\x0b", count)])
}

pub(crate) fn branch_targets(count: usize) -> Vec<u8> {
    one_function(&[b"\x41\0\x0e".to_vec(), leb(count), vec![0; count + 1]].concat())
}

pub(crate) fn nested_blocks(depth: usize) -> Vec<u8> {
    one_function(&[b"\x02\x40".repeat(depth), b"\x0b".repeat(depth)].concat())
}

pub(crate) fn nested_loops() -> String {
    let (locals, open, close) = ("i32 ".repeat(200), "loop ".repeat(1_000), "end ".repeat(1_000));
    format!(r#"(module (func (export "_start") (local {locals}) {open} {close}))"#)
}

/// Nested loops around many locals: small, valid, and worth minutes of compiling.
pub(crate) fn bomb(loops: usize, locals: usize) -> Vec<u8> {
    let open: String = (0..loops).map(|i| format!("loop local.get {} drop ", i % locals)).collect();
    let sets: String = (0..locals)
        .map(|i| format!("local.get {} i32.const 1 i32.add local.set {i} ", (i * 7) % locals))
        .collect();
    let close: String = (0..loops).map(|_| "i32.const 0 br_if 0 end ".to_owned()).collect();
    let locals = "i32 ".repeat(locals);
    wat::parse_str(format!(r#"(module (func (export "_start") (local {locals}) {open} {sets} {close}))"#))
        .unwrap()
}

/// By hand, because the text format has a limit of its own: each component is the only
/// section of the next.
pub(crate) fn nested_components(depth: usize) -> Vec<u8> {
    (0..depth)
        .fold(COMPONENT.to_vec(), |inner, _| [COMPONENT.to_vec(), vec![4], leb(inner.len()), inner].concat())
}

/// Nothing but so many instances.
pub(crate) fn instances(count: usize) -> String {
    format!("(component (core module $m) {})", "(core instance (instantiate $m))".repeat(count))
}

/// An honest component with so many instances too many.
pub(crate) fn instances_beside(count: usize) -> String {
    let more = "(core instance (instantiate $m))".repeat(count);
    text(ECHO).replacen("(core instance $i", &format!("{more} (core instance $i"), 1)
}

/// An honest component with more in front.
pub(crate) fn after(types: &str) -> String {
    text(ECHO).replacen("(component", &format!("(component {types}"), 1)
}

/// Types within types, five thousand of them.
pub(crate) fn deep_types() -> String {
    after(&(1..5_000).fold("(type $t0 (list u8))".to_owned(), |mut types, i| {
        write!(types, "(type $t{i} (list $t{}))", i - 1).unwrap();
        types
    }))
}

/// Each type holds the last one twice: small on disk, without end when written out.
pub(crate) fn wide_types() -> String {
    let types = (1..64).fold("(type $t0 (tuple u8 u8))".to_owned(), |mut types, i| {
        write!(types, "(type $t{i} (tuple $t{0} $t{0}))", i - 1).unwrap();
        types
    });
    after(&types).replace(
        "(func $run (param \"input\" string)",
        "(func $bomb (param \"x\" $t63) (canon lift (core func $i \"run\") (memory (core memory $i \"memory\")) \
         (realloc (core func $i \"cabi_realloc\")))) (func $run (param \"input\" string)",
    )
}

/// Calls itself with a thousand locals each time.
pub(crate) fn large_frames() -> String {
    let locals = "i64 ".repeat(1_000);
    let uses: String = (0..1_000).map(|i| format!("(local.get {i}) ")).collect();
    program(&format!(
        r#"(func $g (param {locals})) (func $f (export "_start") (local {locals}) (call $f) (call $g {uses}))"#
    ))
}

/// Two functions that call each other by way of a table.
pub(crate) fn recursion_through_a_table() -> String {
    program(
        r#"(type $v (func)) (table 2 funcref) (elem (i32.const 0) $a $b)
           (func $a (call_indirect (type $v) (i32.const 1))) (func $b (call_indirect (type $v) (i32.const 0)))
           (func (export "_start") (call $a))"#,
    )
}

/// A text guest that says its answer is so long and there, in one encoding or another.
pub(crate) fn lying_answer(ptr: i64, len: i64, encoding: &str) -> String {
    let body = format!(
        "(i32.store8 (i32.const 0) (i32.const 0)) (i32.store (i32.const 4) (i32.const {ptr}))
         (i32.store (i32.const 8) (i32.const {len})) (i32.const 0)"
    );
    text(&body).replace(r#"(core func $i "run")"#, &format!(r#"(core func $i "run") {encoding}"#))
}

/// A text guest that finds room for its input like this.
pub(crate) fn lying_realloc(body: &str) -> String {
    text(ECHO).replacen("(global.get $next)", &format!("{body} (return)"), 1)
}

/// Makes request after request and drops none.
pub(crate) fn requests_without_end() -> String {
    with_http(
        r#"(func (export "run") (param i32 i32) (result i32)
            (loop $l (drop (call $request (call $fields))) (br $l)) unreachable)"#,
    )
}

/// Adds thirty-three thousand fields to one request.
pub(crate) fn fields_without_end() -> String {
    with_http(
        r#"(data (i32.const 500) "x-field")
           (func (export "run") (param i32 i32) (result i32) (local $fields i32) (local $n i32)
               (local.set $fields (call $fields))
               (loop $l
                   (call $append (local.get $fields) (i32.const 500) (i32.const 7) (i32.const 500) (i32.const 7) (i32.const 1024))
                   (if (i32.load8_u (i32.const 1024)) (then (return (call $answer (i32.const 1) (i32.const 500) (i32.const 7)))))
                   (local.set $n (i32.add (local.get $n) (i32.const 1)))
                   (br_if $l (i32.lt_u (local.get $n) (i32.const 33000))))
               (call $answer (i32.const 0) (i32.const 500) (i32.const 7)))"#,
    )
}

/// A way out that panics.
pub(crate) struct Broken;

impl OutboundNetwork for Broken {
    fn send<'a>(
        &'a self,
        _: &'a GrantPolicy,
        _: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        std::panic::resume_unwind(Box::new("the way out is broken"))
    }

    fn resolve<'a>(&'a self, _: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        std::panic::resume_unwind(Box::new("the way out is broken"))
    }
}
