use futures::{SinkExt as _, StreamExt as _};
use tokio::io::BufReader;

use super::*;

async fn check(input: &[u8], most: usize, expect: &[&str]) {
    // A small buffer, so that lines come in pieces.
    let mut reader = BufReader::with_capacity(3, input);
    let mut found = Vec::new();
    while let Some(line) = next(&mut reader, most).await.unwrap() {
        found.push(line);
    }
    assert_eq!(found, expect, "{}", String::from_utf8_lossy(input));
}

#[tokio::test]
async fn lines_come_whole_and_empty_ones_do_not_count() {
    check(b"", 10, &[]).await;
    check(b"one\ntwo\n", 10, &["one", "two"]).await;
    check(b"\n  \none\r\n\n", 10, &["one\r"]).await;
    check(b"one\nhalf", 10, &["one", "half"]).await;
}

#[tokio::test]
async fn what_nobody_can_read_is_no_json_and_the_next_line_counts() {
    check(b"0123456789x\nnext\n", 10, &[UNREADABLE, "next"]).await;
    check(b"0123456789\nnext\n", 10, &["0123456789", "next"]).await;
    check(b"\xff\xfe\nnext\n", 10, &[UNREADABLE, "next"]).await;
    assert!(serde_json::from_str::<serde_json::Value>(UNREADABLE).is_err());
}

#[tokio::test]
async fn messages_go_one_a_line() {
    let (near, far) = tokio::io::duplex(64);
    let mut sink = Box::pin(outgoing(near));
    sink.send("{}".to_owned()).await.unwrap();
    sink.send("[]".to_owned()).await.unwrap();
    drop(sink);
    let found: Vec<String> = incoming(BufReader::new(far)).map(Result::unwrap).collect().await;
    assert_eq!(found, ["{}", "[]"]);
}
