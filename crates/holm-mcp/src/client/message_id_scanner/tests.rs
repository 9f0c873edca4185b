use rmcp::model::RequestId;
use serde_json::Value;

use super::{DEEPEST, MessageIdScanner};

fn seen(text: &str) -> MessageIdScanner {
    let mut scanner = MessageIdScanner::default();
    scanner.see(text.as_bytes());
    scanner
}

fn check(text: &str, expect: Option<&str>) {
    let expect: Option<RequestId> = expect.map(|id| serde_json::from_str(id).unwrap());
    assert_eq!(seen(text).answers(), expect.as_ref(), "{text}");
    // However it is cut, it is the same.
    let mut slow = MessageIdScanner::default();
    text.as_bytes().chunks(1).for_each(|byte| slow.see(byte));
    assert_eq!(slow.answers(), expect.as_ref(), "{text}, byte by byte");
}

#[test]
fn the_id_of_an_answer_is_found_wherever_it_stands() {
    check(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, Some("7"));
    check(r#" { "result" : [1,{"id":8}] , "id" : "a,b}" } "#, Some(r#""a,b}""#));
    check(r#"{"result":"\"id\":9,","id":3}"#, Some("3"));
    check(r#"{"result":{"a":[[{"id":1}]]},"\u0069d":4,"x":[]}"#, Some("4"));
    check(r#"{"id":5,"result":["#, Some("5"));
    check(r#"{"id":1,"id":2}"#, Some("2"));
}

#[test]
fn what_is_no_answer_has_no_id() {
    for text in [
        r#"{"id":7,"method":"ping"}"#,
        r#"{"method":"ping","id":7}"#,
        r#"{"id":null,"error":{}}"#,
        r#"{"id":{"id":7},"result":{}}"#,
        r#"{"id":[7],"result":{}}"#,
        r#"{"id":1.5,"result":{}}"#,
        r#"[{"id":7,"result":{}}]"#,
        r#"{"result":{"id":7}}"#,
        r#"{"a":1}{"id":7}"#,
        "loading… 100%",
        r#""id":7"#,
        "",
        "}}}}",
        r#"{"id":7"#,
    ] {
        check(text, None);
    }
    check(&format!(r#"{{"id":"{}","result":1}}"#, "x".repeat(10_000)), None);
}

#[test]
fn it_is_too_deep_exactly_where_nobody_reads_it() {
    for depth in [1, 2, 126, 127, 128, 129, 100_000] {
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            let inner = if open == "[" { "" } else { "1" };
            let text = open.repeat(depth) + inner + &close.repeat(depth);
            let unread = serde_json::from_str::<Value>(&text).is_err();
            assert_eq!(seen(&text).is_too_deep(), unread, "{depth} of {open}");
        }
    }
    assert!(!seen(&format!(r#"{{"a":"{}"}}"#, "[".repeat(1_000))).is_too_deep(), "{DEEPEST}: a text is flat");
}

#[test]
fn it_takes_no_room() {
    let mut scanner = seen(r#"{"id":7,"result":""#);
    for _ in 0..1_000 {
        scanner.see(&[b'x'; 1_000]);
    }
    assert!(scanner.word.len() < 1_000);
    assert!(scanner.answers().is_some());
}
