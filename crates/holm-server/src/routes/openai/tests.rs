use holm_kernel::{Marks, Prompt, Role};
use holm_wire::{
    openai_chat,
    server::{CompletionRequest, ServerCodec as _},
};

use super::{answer_schema::schema_of, client_prompt, results};

fn read(body: &str) -> CompletionRequest {
    openai_chat::OpenaiChatServerCodec.read(body.as_bytes()).unwrap()
}

fn text(prompt: &Prompt) -> String {
    holm_kernel::plain_text(&prompt.blocks)
}

#[test]
fn a_single_question_is_the_prompt_itself() {
    let asked = read(r#"{"model":"holm","messages":[{"role":"user","content":"What is 2 + 2?"}]}"#);
    assert_eq!(text(&client_prompt::whole(&asked).unwrap()), "What is 2 + 2?");
}

#[test]
fn earlier_messages_keep_their_roles_and_a_named_session_knows_them() {
    let asked = read(
        r#"{"model":"holm","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"hello"},
        {"role":"assistant","content":"hi"},{"role":"user","content":"and now?"}]}"#,
    );
    let whole = client_prompt::whole(&asked).unwrap();
    let past: Vec<(Role, String)> =
        whole.past.iter().map(|message| (message.role, holm_kernel::plain_text(&message.blocks))).collect();
    let expect = [(Role::System, "Be brief."), (Role::User, "hello"), (Role::Assistant, "hi")];
    assert_eq!(past, expect.map(|(role, text)| (role, text.to_owned())));
    assert_eq!(text(&whole), "and now?");
    let last = client_prompt::last(&asked).unwrap();
    assert_eq!((text(&last).as_str(), last.past.len()), ("and now?", 0));
}

#[test]
fn a_past_with_answers_or_results_of_tools_counts_as_read() {
    let marks = |messages: &str| {
        let asked =
            read(&format!(r#"{{"model":"holm","messages":[{messages},{{"role":"user","content":"b"}}]}}"#));
        client_prompt::whole(&asked).unwrap().marks
    };
    let called = r#"{"role":"user","content":"a"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"t","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"c","content":"42"},{"role":"assistant","content":"42."}"#;
    assert_eq!(marks(called), Marks { untrusted: true, private: true });
    let with_answer = r#"{"role":"user","content":"a"},{"role":"assistant","content":"42."}"#;
    assert_eq!(marks(with_answer), Marks { untrusted: true, private: true });
    let asked = r#"{"role":"system","content":"s"},{"role":"user","content":"a"}"#;
    assert_eq!(marks(asked), Marks::default());
}

#[test]
fn a_conversation_that_ends_with_an_answer_asks_nothing() {
    for body in [
        r#"{"model":"holm","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#,
        r#"{"model":"holm","messages":[]}"#,
    ] {
        assert!(client_prompt::whole(&read(body)).is_err(), "{body}");
    }
}

#[test]
fn the_id_of_a_call_names_its_session() {
    let check = |id: &str, expect: Option<(&str, u64)>| {
        let read = results::read_id(id);
        assert_eq!(read.as_ref().map(|(id, call)| (id.as_str(), call.value())), expect, "{id}");
    };
    check("call_s-1_7", Some(("s-1", 7)));
    check("call_a_b_12", Some(("a_b", 12)));
    for bad in ["", "call_", "call_7", "call__7", "call_../x_7", "call_a_x", "toolu_1"] {
        check(bad, None);
    }
}

#[test]
fn results_at_the_end_belong_to_the_session_that_asked() {
    let asked = read(
        r#"{"model":"holm","messages":[{"role":"user","content":"a"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"call_s_1","type":"function","function":{"name":"t","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"call_s_1","content":"42"}]}"#,
    );
    let results = results::results(&asked).unwrap();
    assert_eq!(results.session.as_str(), "s");
    assert_eq!(results.given.values().collect::<Vec<_>>(), ["42"]);
}

#[test]
fn an_answer_that_must_fit_a_schema_is_checked_first() {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let body = |format: &str| {
        let asks = r#""model":"holm","messages":[{"role":"user","content":"a"}]"#;
        format!(r#"{{{asks},"response_format":{format}}}"#)
    };
    let with_schema =
        body(&format!(r#"{{"type":"json_schema","json_schema":{{"name":"x","schema":{schema}}}}}"#));
    let wanted = schema_of(&read(&with_schema)).unwrap().unwrap();
    for (answer, expect) in [
        (r#"{"n":4}"#, Some(r#"{"n":4}"#)),
        (" \n{\"n\": 4}\n", Some("{\"n\": 4}")),
        ("```json\n{\"n\":4}\n```", Some(r#"{"n":4}"#)),
        ("```\n{\"n\":4}```", Some(r#"{"n":4}"#)),
        (r#"It is {"n":4}."#, None),
        (r#"{"n":"four"}"#, None),
        ("{}", None),
        ("", None),
        ("```", None),
    ] {
        assert_eq!(wanted.check(answer).ok().as_deref(), expect, "{answer}");
    }
    let prompt = wanted.tell(Prompt::text("what is it?"));
    assert!(text(&prompt).contains(r#""required":["n"]"#) && text(&prompt).starts_with("what is it?\n\n"));

    let any = schema_of(&read(&body(r#"{"type":"json_object"}"#))).unwrap().unwrap();
    assert!(any.check(r#"{"a":[1]}"#).is_ok() && any.check("[1]").is_err());
    assert!(schema_of(&read(&body(r#"{"type":"text"}"#))).unwrap().is_none());
}

#[test]
fn a_schema_that_cannot_be_checked_is_refused() {
    let check = |schema: &str, expect: Option<&str>| {
        let asks = r#""model":"holm","messages":[{"role":"user","content":"a"}]"#;
        let format = format!(r#"{{"type":"json_schema","json_schema":{{"name":"x","schema":{schema}}}}}"#);
        let asked = read(&format!(r#"{{{asks},"response_format":{format}}}"#));
        let refused = schema_of(&asked).err().map(|refusal| refusal.message);
        match (&refused, expect) {
            (None, None) => {}
            (Some(message), Some(expect)) => assert!(message.contains(expect), "{schema}: {message}"),
            _ => panic!("{schema}: {refused:?}"),
        }
    };
    check(r#"{"$ref":"https://elsewhere.example/a.json"}"#, Some("another document"));
    check(r#"{"type":"string","pattern":"^(?!x)"}"#, Some("ahead or behind"));
    check(r#"{"type":"string","pattern":"((a{1000}){1000}){1000}"}"#, Some("too large"));
    check(&format!(r#"{{"const":"{}"}}"#, "x".repeat(128 << 10)), Some("larger than"));
    check(r#"{"type":"string","format":"colour","x-order":1}"#, None);
}
