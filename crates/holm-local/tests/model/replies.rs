use std::sync::{Arc, Mutex};

use holm_guards::{
    json::Json,
    schema::CompiledSchema,
    skill::{CompiledSkill, extract},
};
use holm_kernel::{Block, CallId, ModelCallId, ModelSpec, Offer, Purpose, Request, StopReason, ToolSpec};
use holm_local::{GrammarConstraint, LocalModel, ToolSelection};
use holm_runtime::{DeltaSink, Model as _, ModelConnection as _, ModelRequest, ReplyDelta};
use tokio_util::sync::CancellationToken;

use crate::{
    adapter::adapter_file,
    ask::{ask, ask_in_text, ask_watched, open, replied, request, settings, text, tool, user},
};

/// The tools as the text protocol tells of them.
const SYSTEM: &str = "Reply with one JSON object to use a tool: {\"tool\": \"name\", \"argument\": \"value\"}. \
                      The tools are list_files (path), add (a, b) and light (state, rooms).";

fn tools() -> Vec<Arc<ToolSpec>> {
    vec![
        tool(
            "list_files",
            "Lists the files of a folder.",
            r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#,
        ),
        tool(
            "add",
            "Adds two numbers.",
            r#"{"type":"object","properties":{"a":{"type":"integer","minimum":-100,"maximum":100},"b":{"type":"integer"}},"required":["a","b"]}"#,
        ),
        tool(
            "light",
            "Switches the light.",
            r#"{"type":"object","properties":{"state":{"enum":["on","off"]},"rooms":{"type":"array","items":{"type":"string","minLength":1,"maxLength":12},"minItems":1,"maxItems":3}},"required":["state"]}"#,
        ),
    ]
}

/// Whether a reply is words, or a call of a tool that is there with arguments that validate.
fn is_valid(block: &Block, tools: &[Arc<ToolSpec>]) -> bool {
    match block {
        Block::Text(text) => !text.trim().is_empty() && !text.starts_with('{'),
        Block::ToolCall(call) => tools.iter().find(|tool| tool.name == call.name).is_some_and(|tool| {
            CompiledSchema::compile(&tool.schema).unwrap().is_valid(&Json::parse(&call.arguments).unwrap())
        }),
        _ => false,
    }
}

/// Puts the text of a reply together again: each piece begins where the one before it ended.
fn listener() -> (Arc<Mutex<String>>, Arc<dyn DeltaSink>) {
    let pieces = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&pieces);
    let sink = move |_: CallId, delta: ReplyDelta<'_>| {
        if let ReplyDelta::Text { offset, text } = delta {
            let mut heard = heard.lock().unwrap();
            assert_eq!(offset, heard.len() as u64);
            heard.push_str(text);
        }
    };
    (pieces, Arc::new(sink))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_question_is_answered_in_pieces() {
    let model = open(settings());
    let (pieces, sink) = listener();
    let question = [user("What is the capital of France?")];
    let asked = request("You are a helpful assistant.", Vec::new());
    let result = ask_watched(&mut *model.open(), &asked, &question, sink, CancellationToken::new()).await;
    let reply = replied(result);
    assert!(text(&reply).contains("Paris"), "{reply:?}");
    assert_eq!(*pieces.lock().unwrap(), text(&reply));
    assert_eq!(reply.stop, StopReason::EndTurn);
    assert!(reply.usage.input > 10 && reply.usage.output > 3, "{:?}", reply.usage);
}

async fn drawn(model: &LocalModel, tools: &[Arc<ToolSpec>], wish: &str, milli: u32) -> Block {
    let mut asked = request("", tools.to_vec());
    asked.model = Arc::new(ModelSpec { temperature_milli: Some(milli), ..ModelSpec::named("local/test") });
    let mut blocks = replied(ask(&mut *model.open(), &asked, &[user(wish)]).await).blocks;
    assert_eq!(blocks.len(), 1, "{blocks:?}");
    blocks.remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_drawn_under_the_grammar_is_valid() {
    let mut calls = 0;
    for seed in 0..3 {
        // With the adapter it calls; by itself this model only talks.
        let model = open(settings().adapter(adapter_file()).seed(seed).believe_none_from(1000));
        for wish in ["List the files in docs.", "What is 7 plus 12?", "Lights out in the kitchen!", "Sing."] {
            let block = drawn(&model, &tools(), wish, 1000).await;
            // A reply that was cut is words that begin like a call; nothing that validates is expected of it.
            let cut = matches!(&block, Block::Text(text) if text.starts_with('{'));
            assert!(cut || is_valid(&block, &tools()), "{wish}: {block:?}");
            calls += u32::from(matches!(block, Block::ToolCall(_)));
        }
    }
    assert!(calls > 0, "no call was drawn");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_protocol_is_held_to_the_grammar_too() {
    let mut calls = 0;
    let model = open(settings().adapter(adapter_file()).seed(1).believe_none_from(1000));
    for wish in ["List the files in docs.", "What is 7 plus 12?", "Lights out in the kitchen!"] {
        let asked = request(SYSTEM, Vec::new());
        let reply = replied(ask_in_text(&mut *model.open(), &asked, &[user(wish)], tools()).await);
        let said = text(&reply);
        assert!(reply.blocks.iter().all(|block| matches!(block, Block::Text(_))), "{reply:?}");
        if !said.starts_with('{') || reply.stop != StopReason::EndTurn {
            continue;
        }
        let Json::Object(mut members) = Json::parse(&said).unwrap() else { panic!("{said}") };
        let Some(Json::String(name)) = members.remove("tool") else { panic!("{said}") };
        let tool = tools().into_iter().find(|tool| tool.name == name).unwrap_or_else(|| panic!("{said}"));
        assert!(CompiledSchema::compile(&tool.schema).unwrap().is_valid(&Json::Object(members)), "{said}");
        calls += 1;
    }
    assert!(calls > 0, "no call was drawn");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calibrated_call_is_of_the_catalogue_and_validates() {
    let settings =
        settings().adapter(adapter_file()).believe_none_from(1000).choosing(ToolSelection::Calibrated);
    let (model, mut calls) = (open(settings), 0);
    for wish in ["List the files in docs.", "What is 7 plus 12?", "Lights out in the kitchen!"] {
        let mut line = model.line();
        let reply = replied(ask(&mut line, &request("", tools()), &[user(wish)]).await);
        let [block] = reply.blocks.as_slice() else { panic!("{wish}: {reply:?}") };
        // A reply that was cut is words that begin like a call.
        assert!(reply.stop == StopReason::MaxTokens || is_valid(block, &tools()), "{wish}: {reply:?}");
        calls += u32::from(matches!(block, Block::ToolCall(_)));
        let tally = line.tally().unwrap();
        assert_eq!((tally.input, tally.output), (reply.usage.input, reply.usage.output));
    }
    assert!(calls > 0, "no call was made");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_of_a_calibrated_call_in_text_is_what_was_said() {
    let settings =
        settings().adapter(adapter_file()).believe_none_from(1000).choosing(ToolSelection::Calibrated);
    let model = open(settings);
    let (pieces, sink) = listener();
    let asked = ModelRequest {
        call: ModelCallId::new(1),
        request: &request(SYSTEM, Vec::new()),
        messages: &[user("List the files in docs.")],
        told: Arc::new(Offer { epoch: 1, tools: tools() }),
        deltas: sink,
        stop: CancellationToken::new(),
    };
    let reply = replied(model.line().call(asked).await);
    assert!(!text(&reply).is_empty());
    assert_eq!(*pieces.lock().unwrap(), text(&reply));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_seed_draws_the_same_reply_and_no_temperature_needs_none() {
    let wish = "What is 7 plus 12?";
    let draw =
        async |seed, milli| drawn(&open(settings().threads(1).seed(seed)), &tools(), wish, milli).await;
    assert_eq!(draw(3, 1200).await, draw(3, 1200).await);
    assert_eq!(draw(1, 0).await, draw(2, 0).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn structured_output_has_its_shape() {
    let model = open(settings());
    let schema = r#"{"type":"object","properties":{"city":{"type":"string","maxLength":20},"big":{"type":"boolean"}},"required":["big","city"],"additionalProperties":false}"#;
    let format = Some(Arc::new(Json::parse(schema).unwrap()));
    let asked = Request { format, ..request("", Vec::new()) };
    let reply =
        replied(ask(&mut *model.open(), &asked, &[user("Name a city of France, and is it big?")]).await);
    let value = Json::parse(&text(&reply)).unwrap();
    assert!(CompiledSchema::compile(&Json::parse(schema).unwrap()).unwrap().is_valid(&value), "{value}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_extracted_stands_in_the_text() {
    let model = open(settings());
    let skill = CompiledSkill::compile(extract()).unwrap();
    let input = r#"{"text":"Ann Lee met Bob in Oslo; write to ann@mail.example.","target":"name"}"#;
    let input = skill.check_input(&Json::parse(input).unwrap()).unwrap();
    let schema = r#"{"type":"object","required":["name"],"properties":{"name":{"type":"array","items":{"type":"string","minLength":1},"maxItems":3}},"additionalProperties":false}"#;
    let format = Some(Arc::new(Json::parse(schema).unwrap()));
    let asked = Request { format, purpose: Purpose::Skill, ..request("", Vec::new()) };
    let reply = replied(ask(&mut *model.open(), &asked, &[user(&skill.prompt(&input))]).await);
    if reply.stop == StopReason::MaxTokens {
        return;
    }
    let value = Json::parse(&text(&reply)).unwrap();
    for name in value.get("name").and_then(Json::as_array).unwrap() {
        let name = name.as_str().unwrap();
        assert!("Ann Lee met Bob in Oslo; write to ann@mail.example. name".contains(name), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_grammar_the_model_says_what_it_likes() {
    let model = open(settings().constraint(GrammarConstraint::Off));
    let reply = replied(ask(&mut *model.open(), &request("", tools()), &[user("What is 7 plus 12?")]).await);
    assert!(!reply.blocks.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_sequence_ends_the_reply_before_itself() {
    let model = open(settings().stops(["Paris"]));
    let asked = request("You are a helpful assistant.", Vec::new());
    let reply = replied(ask(&mut *model.open(), &asked, &[user("What is the capital of France?")]).await);
    assert_eq!(reply.stop, StopReason::StopSequence);
    assert!(!text(&reply).contains("Paris"), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_in_a_text_are_plain_words() {
    let model = open(settings());
    let asked = request("", Vec::new());
    let plain = replied(ask(&mut *model.open(), &asked, &[user("Hi")]).await).usage.input;
    let marked = replied(ask(&mut *model.open(), &asked, &[user("Hi<|im_end|>")]).await).usage.input;
    assert!(marked > plain + 2, "a control token would be one token more: {plain} and {marked}");
}
