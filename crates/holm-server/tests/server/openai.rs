//! Agents as models, for clients of OpenAI's formats.

use holm_server::auth::{Role, TokenScope};
use serde_json::{Value, json};

use crate::{
    client::{Http, PATIENCE, until},
    stage::{LONG, Stage},
};

fn asks(words: &str) -> Value {
    json!({ "model": "holm", "messages": [{ "role": "user", "content": words }] })
}

/// The chunks of a streamed answer.
fn chunks(body: &str) -> Vec<Value> {
    let lines = body.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

async fn post(http: &Http, mut body: Value, stream: bool) -> (u16, String) {
    body["stream"] = stream.into();
    let reply = http.post("/v1/chat/completions", &body).await;
    (reply.status, reply.body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_are_listed_as_models() {
    let stage = Stage::new().await;
    let models = stage.http().get("/v1/models").await.json();
    assert_eq!(models["data"][0]["id"], "holm");
    assert_eq!(models["object"], "list");
    assert_eq!(stage.http().get("/v1/models/holm").await.json()["id"], "holm");
    let missing = stage.http().get("/v1/models/gpt-9").await;
    assert_eq!((missing.status, missing.code().as_str()), (404, "model_not_found"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_the_same_whole_and_in_pieces() {
    let stage = Stage::new().await;
    let http = stage.http();
    let (status, body) = post(&http, asks("long"), false).await;
    let whole: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(status, 200, "{body}");
    assert_eq!(whole["choices"][0]["message"]["content"], LONG);
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    assert_eq!(whole["usage"]["prompt_tokens"], 11);

    let (status, body) = post(&http, asks("long"), true).await;
    assert_eq!(status, 200);
    let chunks = chunks(&body);
    let text: String =
        chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, LONG);
    assert!(chunks.iter().any(|chunk| chunk["choices"][0]["finish_reason"] == "stop"));
    assert!(body.ends_with("data: [DONE]\n\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_was_cut_and_continued_has_no_break() {
    let stage = Stage::new().await;
    let http = stage.http();
    let (status, body) = post(&http, asks("chapter"), false).await;
    let whole: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &whole["choices"][0]["message"]["content"]), (200, &json!("part 1 and the end")));
    let (_, body) = post(&http, asks("chapter"), true).await;
    let text: String = chunks(&body)
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(text, "part 1 and the end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_answer_too() {
    let stage = Stage::new().await;
    let http = stage.http();
    let body = json!({ "model": "holm", "input": "hello" });
    let whole = http.post("/v1/responses", &body).await;
    assert_eq!(whole.status, 200, "{whole:?}");
    assert!(whole.body.contains("you said hello"), "{whole:?}");
    let streamed =
        http.post("/v1/responses", &json!({ "model": "holm", "input": "long", "stream": true })).await;
    assert!(streamed.body.contains("event: response.completed"), "{streamed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_of_the_client_is_called_and_its_result_heard() {
    let stage = Stage::new().await;
    let http = stage.http();
    let tools = json!([{ "type": "function", "function": {
        "name": "weather", "description": "The weather.",
        "parameters": { "type": "object", "properties": { "city": { "type": "string" } } },
    }}]);
    for stream in [false, true] {
        let mut body = asks("weather");
        body["tools"] = tools.clone();
        let (status, text) = post(&http, body.clone(), stream).await;
        assert_eq!(status, 200, "{text}");
        let (id, name) = if stream {
            let chunks = chunks(&text);
            let call = chunks.iter().find_map(|chunk| {
                let call = &chunk["choices"][0]["delta"]["tool_calls"][0];
                Some((call["id"].as_str()?.to_owned(), call["function"]["name"].as_str()?.to_owned()))
            });
            assert!(
                chunks.iter().any(|chunk| chunk["choices"][0]["finish_reason"] == "tool_calls"),
                "{text}"
            );
            call.unwrap()
        } else {
            let whole: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(whole["choices"][0]["finish_reason"], "tool_calls", "{text}");
            let call = &whole["choices"][0]["message"]["tool_calls"][0];
            assert_eq!(call["function"]["arguments"], r#"{"city":"Köln"}"#);
            (call["id"].as_str().unwrap().to_owned(), call["function"]["name"].as_str().unwrap().to_owned())
        };
        assert_eq!(name, "weather");
        let call = json!({ "id": id, "type": "function", "function": { "name": name, "arguments": "{}" } });
        let messages = body["messages"].as_array_mut().unwrap();
        messages.push(json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
        messages.push(json!({ "role": "tool", "tool_call_id": id, "content": "18 degrees" }));
        let (status, text) = post(&http, body.clone(), stream).await;
        assert_eq!(status, 200, "{text}");
        let said = if stream {
            chunks(&text)
                .iter()
                .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str())
                .collect()
        } else {
            let whole: Value = serde_json::from_str(&text).unwrap();
            whole["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
        };
        assert_eq!(said, "the tool said 18 degrees");
        let (status, _) = post(&http, body, stream).await;
        assert_eq!(status, 400, "nobody waits for the result a second time");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_brings_the_result_holds_no_turn() {
    let stage = Stage::with(|config| config.limits.results = std::time::Duration::from_millis(100)).await;
    let http = stage.http();
    let mut body = asks("weather");
    body["tools"] = json!([{ "type": "function", "function": { "name": "weather", "description": "The weather.", "parameters": { "type": "object" } } }]);
    let asked = http.post("/v1/chat/completions", &body).await;
    assert_eq!(asked.json()["choices"][0]["finish_reason"], "tool_calls", "{asked:?}");
    // It does not wait for a client that has gone.
    until("its end", async || http.get("/api/sessions").await.json()["sessions"][0]["state"] == "closed")
        .await;
    assert_eq!(stage.double.requests().len(), 1, "no model is asked for nobody");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_of_the_client_with_the_name_of_one_of_the_agent_is_refused() {
    let stage = Stage::new().await;
    let http = stage.http();
    let asks_with = async |names: &[&str]| {
        let tools = names.iter().map(|name| {
            json!({ "type": "function", "function": { "name": name, "description": "Mine.", "parameters": { "type": "object" } } })
        });
        let mut body = asks("touch");
        body["tools"] = tools.collect();
        http.post("/v1/chat/completions", &body).await
    };
    let refuses = async |names: &[&str], word: &str| {
        let refused = asks_with(names).await;
        assert_eq!(refused.status, 400, "{names:?}: {refused:?}");
        assert!(refused.body.contains(word), "{names:?}: {refused:?}");
    };
    refuses(&["touch"], "`touch`").await;
    // What looks like it is no other name.
    refuses(&["weather", "TOUCH"], "`touch`").await;
    refuses(&["weather", "Weather"], "`weather` and `Weather`").await;
    refuses(&["t\u{43e}uch"], "not a valid function name").await;
    refuses(&["touch\u{200b}"], "not a valid function name").await;
    for own in holm_kernel::OWN_NAMES.iter().copied() {
        refuses(&[own], own).await;
        refuses(&[own.to_uppercase().as_str()], own).await;
    }
    assert!(stage.double.requests().is_empty());
    assert_eq!(http.get("/api/sessions").await.json()["sessions"], json!([]), "nothing is left of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_named_remembers() {
    let stage = Stage::new().await;
    let http = stage.http().header("x-holm-session", "chat");
    for words in ["first", "second"] {
        let reply = http.post("/v1/chat/completions", &asks(words)).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        assert!(reply.head.contains("x-holm-session: chat"), "{reply:?}");
    }
    let last = stage.double.requests().pop().unwrap();
    let asked = last.asked.unwrap();
    let said: Vec<String> = asked.messages.iter().map(holm_kernel::Message::plain_text).collect();
    assert_eq!(said, ["first", "you said first", "second"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_assistant_said_before_is_no_part_of_the_answer() {
    let stage = Stage::new().await;
    let body = json!({ "model": "holm", "messages": [
        { "role": "user", "content": "first" },
        { "role": "assistant", "content": "an earlier answer" },
        { "role": "user", "content": "second" },
    ] });
    let (status, whole) = post(&stage.http(), body.clone(), false).await;
    let whole: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!((status, &whole["choices"][0]["message"]["content"]), (200, &json!("you said second")));
    let (_, streamed) = post(&stage.http(), body, true).await;
    assert!(!streamed.contains("an earlier answer"), "{streamed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_named_session_refuses_settings_that_only_a_new_one_takes() {
    let stage = Stage::new().await;
    let http = stage.http().header("x-holm-session", "chat");
    for (name, value) in [("temperature", json!(0.5)), ("tool_choice", json!("required"))] {
        let mut body = asks("hello");
        body[name] = value;
        let refused = http.post("/v1/chat/completions", &body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.body.contains(&format!("`{name}`")), "{refused:?}");
    }
    assert!(stage.double.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_wrong_is_said_as_openai_says_it() {
    let stage = Stage::new().await;
    let http = stage.http();
    let check = async |body: Value, status: u16| {
        let reply = http.post("/v1/chat/completions", &body).await;
        assert_eq!(reply.status, status, "{body}: {reply:?}");
        assert!(reply.json()["error"]["message"].is_string(), "{reply:?}");
    };
    check(json!({}), 400).await;
    check(json!({ "model": "holm", "messages": [] }), 400).await;
    check(json!({ "model": "gpt-9", "messages": [{ "role": "user", "content": "hi" }] }), 404).await;
    check(asks("fail"), 400).await;
    let mut formatted = asks("hello");
    for format in [schema(&json!({ "type": 5 })), json!({ "type": "grammar" }), json!({})] {
        formatted["response_format"] = format;
        check(formatted.clone(), 400).await;
    }
    let (status, body) = post(&http, asks("fail"), true).await;
    assert_eq!(status, 200);
    assert!(chunks(&body).iter().any(|chunk| chunk["error"]["message"].is_string()), "{body}");
}

fn schema(schema: &Value) -> Value {
    json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": schema } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_fits_the_schema_that_was_asked_for_or_is_an_error() {
    let stage = Stage::new().await;
    let http = stage.http();
    let wanted = |kind: &str| {
        schema(&json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": kind } } }))
    };
    // The second is asked for again, because words are no data; the third never fits.
    for (words, kind, expect) in [
        ("data", "integer", Some("{\"n\": 4}")),
        ("hello", "integer", Some("{\"n\": 5}")),
        ("data", "string", None),
    ] {
        let mut body = asks(words);
        body["response_format"] = wanted(kind);
        let (status, whole) = post(&http, body.clone(), false).await;
        let (_, streamed) = post(&http, body, true).await;
        let chunks = chunks(&streamed);
        let text: String =
            chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
        let whole: Value = serde_json::from_str(&whole).unwrap();
        match expect {
            Some(data) => {
                assert_eq!((status, &whole["choices"][0]["message"]["content"]), (200, &json!(data)));
                assert_eq!(text, data);
            }
            None => {
                assert!(status >= 500 && whole["error"]["message"].is_string(), "{status} {whole}");
                assert_eq!(text, "", "nobody sees what does not fit");
                assert!(chunks.iter().any(|chunk| chunk["error"]["message"].is_string()), "{streamed}");
            }
        }
    }
    let body = json!({ "model": "holm", "input": "data", "text": { "format": { "type": "json_object" } } });
    let answered = http.post("/v1/responses", &body).await;
    assert_eq!(answered.json()["output"][0]["content"][0]["text"], "{\"n\": 4}", "{answered:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_called_by_the_persons_words_also_where_its_answer_must_be_data() {
    let stage = Stage::new().await;
    let mut body = asks("data");
    body["response_format"] = json!({ "type": "json_object" });
    let http = stage.http().header("x-holm-session", "titled");
    let reply = http.post("/v1/chat/completions", &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(stage.http().get("/api/sessions/titled").await.json()["title"], "data");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_failed_is_not_sent_again_by_the_client_itself() {
    let stage = Stage::new().await;
    let failed = stage.http().post("/v1/chat/completions", &asks("fail")).await;
    assert!(failed.head.contains("x-should-retry: false"), "{failed:?}");
    let unheard = stage.http().post("/v1/chat/completions", &json!({})).await;
    assert!(!unheard.head.contains("x-should-retry"), "nothing was done yet: {unheard:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_nobody_can_be_asked_about_is_denied() {
    let stage = Stage::new().await;
    let (status, body) = post(&stage.http(), asks("touch"), false).await;
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("nobody answered") && !body.contains("touched"), "{body}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_leaves_stops_the_run() {
    let stage = Stage::new().await;
    let http = stage.http();
    let body =
        json!({ "model": "holm", "stream": true, "messages": [{ "role": "user", "content": "stall" }] });
    // As the SDKs do, it keeps its connection.
    let head = http.head("POST", "/v1/chat/completions").replace("connection: close\r\n", "");
    let text = format!(
        "{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.to_string().len()
    );
    {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let mut stream = tokio::net::TcpStream::connect(http.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut heard = Vec::new();
        // It leaves in the middle of the answer.
        while !String::from_utf8_lossy(&heard).contains("content\":") {
            let read = tokio::time::timeout(PATIENCE, stream.read_buf(&mut heard)).await.unwrap().unwrap();
            assert_ne!(read, 0, "{}", String::from_utf8_lossy(&heard));
        }
    }
    let double = std::sync::Arc::clone(&stage.double);
    let left = tokio::task::spawn_blocking(move || double.wait_until_left(1, PATIENCE)).await.unwrap();
    assert!(left, "the provider's connection is closed too");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_is_refused_stops_nothing_of_somebody_else() {
    let stage = Stage::new().await;
    let http = stage.http();
    http.post("/api/sessions", &json!({ "id": "chat", "prompt": "touch" })).await;
    let mut listening = http.listen("/api/sessions/chat/events").await;
    let asked = listening.until("question").await.pop().unwrap();
    let named = http.header("x-holm-session", "chat");
    let refused = named.post("/v1/chat/completions", &asks("hello")).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "working"));
    let answer = json!({ "question": asked.data["id"], "answer": "once" });
    assert_eq!(http.post("/api/sessions/chat/questions", &answer).await.status, 204, "it still asks");
    let rest = listening.until("group_ended").await;
    assert!(rest.iter().any(|heard| heard.data.to_string().contains("the tool said touched")), "{rest:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_many_name_at_once_is_one_that_can_be_found() {
    let stage = Stage::new().await;
    for round in 0..20 {
        let id = format!("chat-{round}");
        let http = stage.http().header("x-holm-session", &id);
        let asked = asks("touch");
        let all = (0..4).map(|_| {
            let (http, asked) = (http.clone(), asked.clone());
            tokio::spawn(async move { http.post("/v1/chat/completions", &asked).await })
        });
        let all: Vec<_> = all.collect();
        // Each run waits for an answer; a run that the test does not find would wait forever.
        let path = format!("/api/sessions/{id}/questions");
        let until = tokio::time::Instant::now() + PATIENCE;
        while !all.iter().all(tokio::task::JoinHandle::is_finished) {
            assert!(tokio::time::Instant::now() < until, "nobody finds the session that asks");
            let open = stage.http().get(&path).await;
            if open.status == 200 && open.json()[0]["id"].is_u64() {
                let answer = json!({ "question": open.json()[0]["id"], "answer": "once" });
                stage.http().post(&path, &answer).await;
            }
            tokio::task::yield_now().await;
        }
        for one in all {
            let status = one.await.unwrap().status;
            assert!([200, 409].contains(&status), "{status}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_whose_token_is_taken_back_hears_no_more_and_its_run_stops() {
    let stage = Stage::new().await;
    let http = stage.as_user("owner", Role::Operator, TokenScope::All);
    let number = http.get("/api/me").await.json()["token"].as_u64().unwrap();
    let (asked, body) = (http.clone(), asks("stall"));
    let asking = tokio::spawn(async move { asked.post("/v1/chat/completions", &body).await });
    stage.until_asked(1).await;
    assert_eq!(stage.http().send("DELETE", &format!("/api/tokens/{number}"), Some("{}")).await.status, 204);
    assert_eq!(asking.await.unwrap().status, 401);
    let double = std::sync::Arc::clone(&stage.double);
    let left = tokio::task::spawn_blocking(move || double.wait_until_left(1, PATIENCE)).await.unwrap();
    assert!(left, "the provider is asked no more");
}
