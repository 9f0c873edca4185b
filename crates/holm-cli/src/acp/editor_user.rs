//! Asks the user of the editor: to approve calls, and to answer questions of the model and of MCP
//! servers. Whether a question is needed is decided elsewhere (the kernel, and `approve.rs` for
//! `--yes`); the text of an approval is that of the terminal, from `approve.rs`.
//!
//! An answer counts only if it is one of the options that were offered. Everything else, including
//! an editor that cannot ask, means no.

use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, ElicitationAction, ElicitationFormMode, ElicitationSchema,
    ElicitationSessionScope, ElicitationUrlMode, PermissionOption, PermissionOptionKind,
    RequestPermissionOutcome, RequestPermissionRequest, ToolCall, ToolCallContent, ToolCallUpdate,
    ToolCallUpdateFields,
};
use holm::{
    kernel::{AskReason, Proposal, visible},
    runtime::BoxFuture,
};
use holm_mcp::{ServerQuestion, ServerQuestionKind};
use holm_tools::shell::{self, ApprovalAnswer, ApprovalOffer};
use serde_json::{Map, Value, json};

use super::{call_display, editor::EditorClient, update_translator::UpdateTranslator};
use crate::{approve, remote_user::RemoteUser};

/// The answers that an editor offers, by their ids.
const ONCE: &str = "once";
const SESSION: &str = "session";
const PREFIX: &str = "prefix";
const FAMILY: &str = "family";
const NO: &str = "no";
const NEVER: &str = "never";

/// The field of a form that holds the answer to a model's question.
const ANSWER: &str = "answer";

/// Asks and notifies the user of an editor.
#[derive(Clone)]
pub(super) struct EditorUser {
    editor: EditorClient,
    telling: Arc<Mutex<UpdateTranslator>>,
}

impl EditorUser {
    pub(super) fn new(editor: EditorClient, telling: Arc<Mutex<UpdateTranslator>>) -> Self {
        Self { editor, telling }
    }

    /// The call as the editor knows it, with everything that a person must know before the answer.
    fn call(&self, proposal: &Proposal, offer: &ApprovalOffer) -> ToolCallUpdate {
        let telling = self.telling.lock().unwrap_or_else(PoisonError::into_inner);
        let known = telling.known(proposal.tool_call.into(), &proposal.digest).cloned();
        // A helper's call is not among those of the session.
        let new = || {
            call_display::call(
                &self.editor.name("asked"),
                &proposal.tool,
                &proposal.arguments,
                telling.folder(),
            )
        };
        let shown: ToolCall = known.unwrap_or_else(new);
        let lines = approve::question(proposal, offer);
        let words = lines.join("\n");
        let content: Vec<ToolCallContent> = [call_display::words(words.trim_start())]
            .into_iter()
            .chain(shown.content.iter().cloned())
            .collect();
        let fields = ToolCallUpdateFields::new()
            .title(shown.title.clone())
            .name(shown.name.clone())
            .kind(shown.kind)
            .locations(shown.locations.clone())
            .raw_input(shown.raw_input.clone())
            .content(content);
        ToolCallUpdate::new(shown.tool_call_id, fields)
    }

    /// Asks with a form. Returns `None` if the editor does not support forms, or if the
    /// user does not answer.
    async fn form(self, message: String, schema: Value) -> Option<ElicitationAction> {
        let can = self.editor.can().elicitation.as_ref()?;
        can.form.as_ref()?;
        let schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
        let scope = ElicitationSessionScope::new(self.editor.session()?.clone());
        let request = CreateElicitationRequest::new(ElicitationFormMode::new(scope, schema), message);
        Some(self.editor.client().send_request(request).block_task().await.ok()?.action)
    }

    /// Asks the user to open a page. Returns `None` if the editor cannot open pages, or if the
    /// user does not answer.
    async fn page(self, message: String, url: String) -> Option<ElicitationAction> {
        let can = self.editor.can().elicitation.as_ref()?;
        can.url.as_ref()?;
        let scope = ElicitationSessionScope::new(self.editor.session()?.clone());
        let mode = ElicitationUrlMode::new(scope, self.editor.name("page"), url);
        let request = CreateElicitationRequest::new(mode, message);
        Some(self.editor.client().send_request(request).block_task().await.ok()?.action)
    }
}

impl RemoteUser for EditorUser {
    fn approve(&self, proposal: Proposal, offer: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        let Some(session) = self.editor.session().cloned() else {
            return Box::pin(async { no("no user can be asked before the session has started") });
        };
        let options = options(&proposal, &offer);
        let request = RequestPermissionRequest::new(session, self.call(&proposal, &offer), options.clone());
        let client = self.editor.client().clone();
        Box::pin(async move {
            match client.send_request(request).block_task().await.map(|response| response.outcome) {
                Ok(RequestPermissionOutcome::Selected(chosen)) => {
                    // An answer counts only if it is one of the options that were offered.
                    let offered = options.iter().any(|option| option.option_id == chosen.option_id);
                    if offered {
                        answer(&chosen.option_id.0)
                    } else {
                        no("the editor gave an answer that was not offered")
                    }
                }
                Ok(RequestPermissionOutcome::Cancelled) => no("the user stopped it"),
                Ok(_) => no("the editor gave an unknown answer"),
                Err(_) => no("the editor could not ask"),
            }
        })
    }

    fn answers_questions(&self) -> bool {
        self.editor.can().elicitation.as_ref().is_some_and(|can| can.form.is_some())
    }

    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        let asked = self.clone().form(visible(question), question_form(choices));
        Box::pin(async move {
            let ElicitationAction::Accept(accepted) = asked.await? else { return None };
            let content = serde_json::to_value(accepted.content?).ok()?;
            content.get(ANSWER)?.as_str().filter(|answer| !answer.is_empty()).map(str::to_owned)
        })
    }

    fn fill_in(&self, question: ServerQuestion) -> BoxFuture<'static, holm_mcp::ServerAnswer> {
        let message = format!("The server {} asks: {}", question.server, visible(&question.message));
        let asking = self.clone();
        Box::pin(async move {
            let action = match question.wanted {
                ServerQuestionKind::Form(schema) => asking.form(message, schema).await,
                ServerQuestionKind::Visit(url) => asking.page(message, url).await,
            };
            match action {
                Some(ElicitationAction::Accept(accepted)) => {
                    holm_mcp::ServerAnswer::Given(given(accepted.content))
                }
                Some(ElicitationAction::Decline) => holm_mcp::ServerAnswer::Declined,
                Some(_) | None => holm_mcp::ServerAnswer::Cancelled,
            }
        })
    }

    fn tell(&self, text: &str) {
        self.editor.says(text);
    }
}

/// What a person can say.
fn options(proposal: &Proposal, offer: &ApprovalOffer) -> Vec<PermissionOption> {
    let option = |id: &'static str, name: String, kind| PermissionOption::new(id, name, kind);
    let once = option(ONCE, "Allow once".into(), PermissionOptionKind::AllowOnce);
    let no = option(NO, "Reject".into(), PermissionOptionKind::RejectOnce);
    // A plan is looked at each time, so nothing is said for the next one.
    if proposal.reasons.contains(&AskReason::LeavesPlan) {
        return vec![once, no];
    }
    let never = option(NEVER, "Always reject in this session".into(), PermissionOptionKind::RejectAlways);
    let family = offer.family.as_ref().map(|family| {
        let name = format!("Allow {} in this session", visible(family.label()));
        option(FAMILY, name, PermissionOptionKind::AllowAlways)
    });
    if !shell::lasts(proposal) {
        return [once].into_iter().chain(family).chain([no, never]).collect();
    }
    let always = option(SESSION, "Always allow in this session".into(), PermissionOptionKind::AllowAlways);
    let prefix = offer.prefix.as_ref().map(|rule| {
        let name = format!("Always allow what starts with `{}` in this session", visible(&rule.to_string()));
        option(PREFIX, name, PermissionOptionKind::AllowAlways)
    });
    [once, always].into_iter().chain(family).chain(prefix).chain([no, never]).collect()
}

fn answer(option: &str) -> ApprovalAnswer {
    match option {
        ONCE => ApprovalAnswer::Once,
        SESSION => ApprovalAnswer::Session,
        PREFIX => ApprovalAnswer::Prefix,
        FAMILY => ApprovalAnswer::Family,
        NEVER => ApprovalAnswer::Never,
        _ => no("the user said no"),
    }
}

fn no(reason: &str) -> ApprovalAnswer {
    ApprovalAnswer::No { reason: reason.to_owned() }
}

/// A form with one field, for a model's question.
fn question_form(choices: &[String]) -> Value {
    let mut field = json!({ "type": "string", "title": "Your answer" });
    if let Some(field) = field.as_object_mut().filter(|_| !choices.is_empty()) {
        field.insert("enum".into(), choices.iter().map(|choice| visible(choice)).collect());
    }
    json!({ "type": "object", "properties": { ANSWER: field }, "required": [ANSWER] })
}

/// The values of a form.
fn given(content: Option<impl serde::Serialize>) -> Map<String, Value> {
    match content.map(serde_json::to_value) {
        Some(Ok(Value::Object(values))) => values,
        Some(_) | None => Map::new(),
    }
}
