//! Calls of the stateless era that need something from the client first: they answer with questions, and are made again with
//! the answers and with a state that only this server can have written.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequest,
    CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    ListRootsRequest, PromptMessage, RequestStateCodec, Role, SamplingMessage, Tool,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::within::tool;

/// The prompt that asks before it is filled in.
pub(crate) const PROMPT: &str = "test_input_required_result_prompt";

pub(crate) fn tools() -> Vec<Tool> {
    [
        "test_input_required_result_elicitation",
        "test_input_required_result_sampling",
        "test_input_required_result_list_roots",
        "test_input_required_result_request_state",
        "test_input_required_result_multiple_inputs",
        "test_input_required_result_multi_round",
        "test_input_required_result_tampered_state",
        "test_input_required_result_capabilities",
        "test_streaming_elicitation",
    ]
    .into_iter()
    .map(|name| tool(name, json!({ "type": "object", "properties": {} })))
    .collect()
}

/// The answer, if the tool is one of these.
pub(crate) fn call(
    states: &RequestStateCodec,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let answers = request.input_responses.as_ref();
    let given = |key: &str| answer(answers, key);
    Some(match request.name.as_ref() {
        "test_input_required_result_elicitation" => Ok(match given("user_name") {
            Some(answer) => done(&format!("Hello, {}!", member(answer, "name"))),
            None => ask([("user_name", form("What is your name?", "name"))]),
        }),
        "test_input_required_result_sampling" => Ok(match given("capital_question") {
            Some(answer) => done(&format!("The model said: {}", answer["content"]["text"])),
            None => ask([("capital_question", sample("What is the capital of France?"))]),
        }),
        "test_input_required_result_list_roots" => Ok(match given("client_roots") {
            Some(answer) => done(&format!("The folders are: {}", answer["roots"])),
            None => ask([("client_roots", roots())]),
        }),
        "test_streaming_elicitation" => Ok(ask([("value", form("Which value?", "value"))])),
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            stated(states, request)
        }
        "test_input_required_result_multiple_inputs" => several(states, request),
        "test_input_required_result_multi_round" => rounds(states, request),
        "test_input_required_result_capabilities" => Ok(fitting(answers, context)),
        _ => return None,
    })
}

pub(crate) fn prompt(request: &GetPromptRequestParams) -> GetPromptResponse {
    match answer(request.input_responses.as_ref(), "user_context") {
        Some(answer) => {
            let text = format!("A prompt about {}", member(answer, "context"));
            GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into()
        }
        None => {
            let asked = InputRequests::from([("user_context".into(), form("About what?", "context"))]);
            InputRequiredResult::from_input_requests(asked).into()
        }
    }
}

/// One question, and a state that must come back as it was.
fn stated(
    states: &RequestStateCodec,
    request: &CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    match &request.request_state {
        None => {
            let asked = InputRequests::from([("confirm".into(), agree())]);
            Ok(InputRequiredResult::new(Some(asked), Some(seal(states, &json!({ "asked": true }))?)).into())
        }
        Some(state) => {
            open(states, state)?;
            Ok(done("state-ok"))
        }
    }
}

fn several(
    states: &RequestStateCodec,
    request: &CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(state) = &request.request_state {
        open(states, state)?;
    }
    let answers = request.input_responses.as_ref();
    let all = ["user_name", "greeting", "client_roots"].iter().all(|key| answer(answers, key).is_some());
    if all && request.request_state.is_some() {
        return Ok(done("all answers are here"));
    }
    let asked = InputRequests::from([
        ("user_name".into(), form("What is your name?", "name")),
        ("greeting".into(), sample("Write a greeting")),
        ("client_roots".into(), roots()),
    ]);
    Ok(InputRequiredResult::new(Some(asked), Some(seal(states, &json!({ "asked": 3 }))?)).into())
}

fn rounds(
    states: &RequestStateCodec,
    request: &CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    let round = match &request.request_state {
        Some(state) => open(states, state)?["round"].as_u64().unwrap_or_default(),
        None => 0,
    };
    let (key, question) = match round {
        0 => ("step1", form("What is your name?", "name")),
        1 => ("step2", form("What is your favourite colour?", "color")),
        _ => return Ok(done("after two rounds, all is known")),
    };
    let asked = InputRequests::from([(key.into(), question)]);
    Ok(InputRequiredResult::new(Some(asked), Some(seal(states, &json!({ "round": round + 1 }))?)).into())
}

/// Asks only for what the client says that it can do.
fn fitting(answers: Option<&InputResponses>, context: &RequestContext<RoleServer>) -> CallToolResponse {
    if answers.is_some() {
        return done("answered");
    }
    let can = context.meta.client_capabilities().unwrap_or_default();
    let mut asked = InputRequests::new();
    if can.elicitation.is_some() {
        asked.insert("user_name".into(), form("What is your name?", "name"));
    }
    if can.sampling.is_some() {
        asked.insert("greeting".into(), sample("Write a greeting"));
    }
    if can.roots.is_some() {
        asked.insert("client_roots".into(), roots());
    }
    if asked.is_empty() {
        return done("there is nothing that the client could be asked");
    }
    InputRequiredResult::from_input_requests(asked).into()
}

fn done(text: &str) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

fn ask<const N: usize>(asked: [(&str, InputRequest); N]) -> CallToolResponse {
    let asked: InputRequests = asked.into_iter().map(|(key, request)| (key.to_owned(), request)).collect();
    InputRequiredResult::from_input_requests(asked).into()
}

/// An answer that could be one; anything else counts as none, so that it is asked for again.
fn answer<'a>(answers: Option<&'a InputResponses>, key: &str) -> Option<&'a Value> {
    answers.and_then(|answers| answers.get(key)).filter(|answer| answer.is_object())
}

fn member(answer: &Value, name: &str) -> String {
    answer["content"][name].as_str().unwrap_or("somebody").to_owned()
}

fn form(message: &str, field: &str) -> InputRequest {
    elicitation(message, &json!({ field: { "type": "string" } }), field)
}

fn agree() -> InputRequest {
    elicitation("Is that right?", &json!({ "ok": { "type": "boolean" } }), "ok")
}

fn elicitation(message: &str, fields: &Value, required: &str) -> InputRequest {
    let schema = json!({ "type": "object", "properties": fields, "required": [required] });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": schema });
    let params: ElicitRequestParams =
        serde_json::from_value(params).unwrap_or_else(|_| ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: message.into(),
            url: "about:blank".into(),
            elicitation_id: "none".into(),
        });
    InputRequest::Elicitation(ElicitRequest::new(params))
}

fn sample(text: &str) -> InputRequest {
    let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(text)], 100);
    InputRequest::CreateMessage(CreateMessageRequest::new(params))
}

fn roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

fn seal(states: &RequestStateCodec, state: &Value) -> Result<String, ErrorData> {
    states.seal_json(state).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn open(states: &RequestStateCodec, sealed: &str) -> Result<Value, ErrorData> {
    states
        .open_json(sealed)
        .map_err(|_| ErrorData::invalid_params("the state is not the one that was given", None))
}
