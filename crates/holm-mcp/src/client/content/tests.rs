use holm_kernel::{Block, Outcome};
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use super::output;

fn take(result: Value) -> holm_kernel::ToolOutput {
    output(serde_json::from_value::<CallToolResult>(result).unwrap())
}

#[test]
fn texts_are_joined_and_everything_else_stands_beside_them() {
    let taken = take(json!({ "content": [
        { "type": "text", "text": "one" },
        { "type": "image", "data": "AAAA", "mimeType": "image/png" },
        { "type": "audio", "data": "AAAA", "mimeType": "audio/wav" },
        { "type": "resource", "resource": { "uri": "a://b", "text": "two" } },
        { "type": "resource_link", "uri": "c://d", "name": "three" },
    ] }));
    assert_eq!(taken.text, "one\n[a://b]\ntwo\n[resource c://d: three]");
    assert!(matches!(taken.parts[..], [Block::Image(_), Block::File(_)]), "{:?}", taken.parts);
    assert_eq!(taken.outcome, Outcome::Succeeded);
}

#[test]
fn a_failure_is_a_failure_and_never_silent() {
    let result = take(json!({ "content": [{ "type": "text", "text": "no" }], "isError": true }));
    assert_eq!((result.outcome, result.text.as_str()), (Outcome::Failed, "no"));
    let silent = take(json!({ "content": [], "isError": true }));
    assert_eq!(silent.outcome, Outcome::Failed);
    assert!(!silent.text.is_empty());
}

#[test]
fn structured_content_is_the_text_where_there_is_no_other() {
    assert_eq!(take(json!({ "content": [], "structuredContent": { "a": 1 } })).text, r#"{"a":1}"#);
    let both = take(json!({ "content": [{ "type": "text", "text": "x" }], "structuredContent": { "a": 1 } }));
    assert_eq!(both.text, "x");
    assert!(both.metadata.is_some());
}

#[test]
fn an_empty_result_is_a_result() {
    for empty in [json!({ "content": [] }), json!({ "content": [{ "type": "text", "text": " \n" }] })] {
        let taken = take(empty);
        assert_eq!((taken.outcome, taken.text.as_str()), (Outcome::Succeeded, "[no output]"));
    }
    let picture = json!({ "content": [{ "type": "image", "data": "AAAA", "mimeType": "image/png" }] });
    assert_eq!(take(picture).text, "", "a picture needs no words");
}
