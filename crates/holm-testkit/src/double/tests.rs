use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use holm_kernel::Block;
use holm_wire::Format;

use super::*;

fn ask(double: &Double, path: &str, body: &str) -> TcpStream {
    let mut client = TcpStream::connect(double.address()).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let head =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}", body.len());
    client.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
    client
}

/// The head and the chunks of an answer, joined, and how it ended.
fn answer(mut client: TcpStream) -> (String, std::io::Result<usize>) {
    let mut out = Vec::new();
    let end = client.read_to_end(&mut out);
    let text = String::from_utf8_lossy(&out);
    let (head, mut rest) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut joined = format!("{head}\r\n");
    if !head.contains("chunked") {
        return (joined + rest, end);
    }
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        joined += after.get(..size).unwrap_or(after);
        if size == 0 {
            joined += LAST;
        }
        rest = after.get(size + 2..).unwrap_or_default();
    }
    (joined, end)
}

/// Stands for the chunk that ends a body.
const LAST: &str = "<end>";

const CHAT: &str = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}"#;

#[test]
fn each_path_is_answered_in_its_own_format() {
    let double = Double::answering(|_| Act::says("hello")).unwrap();
    let check = |path: &str, body: &str, format: Format, holds: &str| {
        let (text, _) = answer(ask(&double, path, body));
        assert!(text.contains(holds), "{path}: {text}");
        assert_eq!(double.requests().last().unwrap().format, Some(format));
    };
    check("/v1/chat/completions", CHAT, Format::OpenaiChat, "data: [DONE]");
    check(
        "/v1/messages",
        &CHAT.replace("\"m\",", "\"m\",\"max_tokens\":9,"),
        Format::Anthropic,
        "message_stop",
    );
    check(
        "/v1/responses",
        r#"{"model":"m","stream":true,"input":"hi"}"#,
        Format::OpenaiResponses,
        "response.completed",
    );
    check("/v2/chat", CHAT, Format::Cohere, "message-end");
    let contents = r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#;
    check("/v1beta/models/m:streamGenerateContent", contents, Format::Gemini, "\"finishReason\":\"STOP\"");
    check("/api/chat", CHAT, Format::Ollama, "\"done\":true");
    let converse = r#"{"messages":[{"role":"user","content":[{"text":"hi"}]}]}"#;
    check("/model/m/converse", converse, Format::Bedrock, "\"stopReason\"");
}

#[test]
fn a_request_is_recorded_as_it_came_and_as_it_was_understood() {
    let double = Double::start([Act::says("hello")]).unwrap();
    let _ = answer(ask(&double, "/v1/chat/completions?a=b", CHAT));
    let seen = double.requests().remove(0);
    assert_eq!((seen.text().as_str(), seen.query.as_str(), seen.model()), (CHAT, "a=b", "m"));
    assert_eq!(seen.asked.unwrap().messages.len(), 1);
}

#[test]
fn faults_are_faults_on_the_wire() {
    let check = |fault: Fault, whole_http: bool, ends_well: bool| {
        let double = Double::start([Act::says("a longer text that can be cut").with(fault.clone())]).unwrap();
        let (text, end) = answer(ask(&double, "/v1/chat/completions", CHAT));
        assert!(!text.contains("[DONE]"), "{fault:?}: {text}");
        assert_eq!(text.ends_with(LAST), whole_http, "{fault:?}: {text}");
        assert_eq!(end.is_ok(), ends_well, "{fault:?}: {end:?}");
    };
    check(Fault::Truncated(500), true, true);
    check(Fault::Closed(500), false, true);
    check(Fault::Reset(500), false, false);
    check(Fault::HangUp, false, true);
}

#[test]
fn an_end_is_said_twice_or_without_what_was_used() {
    let check = |path: &str, ending: Ending, word: &str, times: usize| {
        let double = Double::start([Act::says("hello").with(Fault::Ends(ending))]).unwrap();
        let (text, _) = answer(ask(&double, path, &CHAT.replace("\"m\",", "\"m\",\"max_tokens\":9,")));
        assert_eq!(text.matches(word).count(), times, "{path}, {ending:?}: {text}");
    };
    check("/v1/chat/completions", Ending::Twice, "data: [DONE]", 2);
    check("/v1/chat/completions", Ending::Twice, "\"finish_reason\":\"stop\"", 1);
    check("/v1/chat/completions", Ending::Twice, "\"finish_reason\":\"length\"", 1);
    check("/api/chat", Ending::Twice, "\"done\":true", 2);
    check("/v1/messages", Ending::WithoutUsage, "\"usage\"", 0);
    check("/v1/messages", Ending::WithoutUsage, "message_stop", 2);
    check("/api/chat", Ending::WithoutUsage, "eval_count", 0);
}

#[test]
fn an_answer_without_end_ends_when_the_client_leaves() {
    let text = Endless::Pieces(Block::Text("more ".repeat(100)));
    let error = Endless::Body { status: 400, first: b"{".to_vec(), again: b"x".to_vec() };
    let head = Endless::Head(b"x-more: x\r\n".to_vec());
    for (endless, holds) in [(text, "more more "), (error, "xxxxxxxxxx"), (head, "x-more: x\r\nx-more: x")] {
        let double = Double::start([Act::fails(Fault::Endless(endless))]).unwrap();
        let mut client = ask(&double, "/v1/chat/completions", CHAT);
        let mut taken = vec![0; 1 << 20];
        client.read_exact(&mut taken).unwrap();
        assert!(String::from_utf8_lossy(&taken).contains(holds));
        assert_eq!(double.left_early(), 0, "{holds}");
        drop(client);
        assert!(double.wait_until_left(1, Duration::from_secs(5)), "{holds}");
    }
}

#[test]
fn a_client_that_leaves_a_stalled_answer_is_noticed() {
    let double = Double::start([Act::says("half and half").with(Fault::Stall(500))]).unwrap();
    let mut client = ask(&double, "/v1/chat/completions", CHAT);
    let mut first = [0; 16];
    client.read_exact(&mut first).unwrap();
    assert_eq!(double.left_early(), 0);
    drop(client);
    assert!(double.wait_until_left(1, Duration::from_secs(5)));
}

#[test]
fn an_error_event_stands_in_place_of_the_end() {
    let class = holm_kernel::FailureClass::Overloaded;
    let fault = Fault::ErrorInStream { class, message: "Overloaded".into() };
    let double = Double::start([Act::says("begun").with(fault)]).unwrap();
    let (text, _) = answer(ask(&double, "/v1/chat/completions", CHAT));
    assert!(
        text.starts_with("HTTP/1.1 200") && text.contains("Overloaded") && !text.contains("[DONE]"),
        "{text}"
    );
}

#[test]
fn a_wrong_key_and_a_wrong_body_are_refused_in_the_words_of_the_format() {
    let double = Double::start([]).unwrap().wants_key("right");
    let (text, _) = answer(ask(&double, "/v1/messages", CHAT));
    assert!(text.starts_with("HTTP/1.1 401") && text.contains("authentication_error"), "{text}");
    let double = Double::start([]).unwrap();
    let (text, _) = answer(ask(&double, "/v1/chat/completions", "{"));
    assert!(text.starts_with("HTTP/1.1 400"), "{text}");
    let (text, _) = answer(ask(&double, "/nowhere", "{}"));
    assert!(text.starts_with("HTTP/1.1 404"), "{text}");
}

#[test]
fn a_double_that_is_dropped_lets_go_of_its_clients() {
    let double = Double::start([Act::says("never ends").with(Fault::Stall(100))]).unwrap();
    let client = ask(&double, "/v1/chat/completions", CHAT);
    std::thread::sleep(Duration::from_millis(50));
    drop(double);
    let (text, _) = answer(client);
    assert!(!text.contains("[DONE]"));
}

#[test]
fn a_models_name_can_spell_out_what_it_says() {
    let double = Double::answering(rehearsed).unwrap();
    let check = |model: &str, messages: &str, holds: &str| {
        let body = format!(r#"{{"model":"{model}","messages":[{messages}]}}"#);
        let (text, _) = answer(ask(&double, "/v1/chat/completions", &body));
        assert!(text.contains(holds), "{model}: {text}");
    };
    let (user, spoke) = (
        r#"{"role":"user","content":"hi"}"#,
        r#"{"role":"assistant","content":"a"},{"role":"user","content":"b"}"#,
    );
    check("say:6f6e65:74776f", user, "\"one\"");
    check("say:6f6e65:74776f", &format!("{user},{spoke}"), "\"two\"");
    check("say:6f6e65:74776f", &format!("{user},{spoke},{spoke}"), "\"two\"");
    check("call:look:7b7d", user, "\"look\"");
    check("say:6", user, HELLO);
    check("call:look", user, HELLO);
}

#[test]
fn a_body_is_bent_where_the_script_says() {
    let check = |bend: Bend, expect: &str| {
        let mut body = b"one\ntwo\nthree\n".to_vec();
        bend.apply(&mut body);
        assert_eq!(String::from_utf8_lossy(&body), expect, "{bend:?}");
    };
    check(Bend::Insert(0, b"x".to_vec()), "xone\ntwo\nthree\n");
    check(Bend::Insert(1_000, b"x".to_vec()), "one\ntwo\nthree\nx");
    check(Bend::Overwrite(0, b"ONE".to_vec()), "ONE\ntwo\nthree\n");
    check(Bend::Drop(0, 500), "\nthree\n");
    check(Bend::Repeat(500, 1_000, 1), "one\ntwo\nthree\n\nthree\n");
    check(Bend::Turn(500), "\nthree\none\ntwo");
    check(Bend::DropLine(1), "one\nthree\n");
    check(Bend::DropLine(4), "one\nthree\n");
    check(Bend::RepeatLine(0), "one\none\ntwo\nthree\n");
    check(Bend::SwapLines(1), "one\nthree\ntwo\n");
    check(Bend::SwapLines(2), "one\ntwo\nthree\n");
    check(Bend::LineEnds(b"\r\n".to_vec()), "one\r\ntwo\r\nthree\r\n");
    check(Bend::Flip(0, 0), "nne\ntwo\nthree\n");
    check(Bend::Exchange(b'o', b'0'), "0ne\ntw0\nthree\n");
}
