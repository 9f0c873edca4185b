//! Every tool call is validated, so a valid call must cost no allocation.

#![expect(unsafe_code, reason = "an allocator that counts can only be written with unsafe")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use holm_guards::json::Json;
use holm_guards::plausibility::{CallOutcome, Expectation, ObservedOutput, PlausibilityResult, judge};
use holm_guards::ruling::Ruling;
use holm_guards::schema::CompiledSchema;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; only a counter of this thread moves.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

#[expect(clippy::expect_used, reason = "a test fails by panicking")]
fn json(text: &str) -> Json {
    Json::parse(text).expect("a value")
}

#[test]
fn validating_a_valid_call_allocates_nothing() {
    let schemas = [
        (
            r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#,
            r#"{"text":"hi"}"#,
        ),
        (
            r##"{"type":"object","additionalProperties":false,"required":["edits"],"properties":{
                "path":{"type":"string","minLength":1,"maxLength":200},"mode":{"enum":["r","w"]},
                "edits":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/edit"}}},
                "$defs":{"edit":{"oneOf":[{"type":"null"},{"type":"object","properties":{"line":{"type":"integer","minimum":1}}}]}}}"##,
            r#"{"path":"a","mode":"w","edits":[{"line":3},null]}"#,
        ),
    ];
    for (schema, value) in schemas {
        let (schema, value) = (CompiledSchema::compile(&json(schema)).expect("a schema"), json(value));
        assert!(schema.is_valid(&value));
        assert_eq!(allocations(|| assert!(schema.validate(&value).is_ok())), 0);
    }
}

#[test]
fn parsing_allocates_once_for_each_string_number_and_container() {
    assert_eq!(allocations(|| drop(json("true"))), 0);
    assert_eq!(allocations(|| drop(json("12"))), 1);
    assert_eq!(allocations(|| drop(json("\"text\""))), 1);
    // The name, the text and the list of members.
    assert_eq!(allocations(|| drop(json(r#"{"text":"hi"}"#))), 3);
}

#[test]
fn arguments_that_are_canonical_need_not_be_written_again() {
    let text = r#"{"line":3,"text":"hi \"there\"\n"}"#;
    let value = json(text);
    assert_eq!(allocations(|| assert!(value.is_canonical_text(text))), 0);
}

#[test]
fn judging_an_ordinary_output_allocates_nothing() {
    let rows = format!("{{\"rows\":[{}]}}", vec![r#"{"id":1,"name":"a\nb"}"#; 50].join(","));
    let prose = "Some words: and then more of them.\n".repeat(50);
    for text in ["message 17", "ok", "error handling: see below", "Grüße aus Köln", &rows, &prose] {
        let count = allocations(|| {
            let judged = judge(CallOutcome::Succeeded, &ObservedOutput::whole(text), Expectation::default());
            assert_eq!(judged, PlausibilityResult::Ruled(Ruling::Accept), "{text}");
        });
        assert_eq!(count, 0, "{text}");
    }
}
