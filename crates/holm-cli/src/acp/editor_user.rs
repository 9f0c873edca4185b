//! Asks the user of the editor: to approve calls, and to answer questions of the model and of MCP
//! servers. Whether a question is needed is decided elsewhere (the kernel, and `approve.rs` for
//! `--yes`); the text of an approval is that of the terminal, from `approve.rs`.
//!
//! The approvals of one reply are one request: its content lists the calls, and they can be answered
//! together or one by one. The protocol asks about one tool call, so such a request has a tool call
//! of its own, which ends with the answer.
//!
//! An answer counts only if it is one of the options that were offered. Everything else, including
//! an editor that cannot ask, means no.
//!
//! Waiting approvals are collected in `permission_pool.rs`, and a call looks as `call_display.rs`
//! says. What an answer to several calls means is decided in `approve/question_group.rs`. Requests
//! are sent through `editor.rs`.

use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, ElicitationAction, ElicitationFormMode, ElicitationSchema,
    ElicitationSessionScope, ElicitationUrlMode, PermissionOption, PermissionOptionKind,
    RequestPermissionOutcome, RequestPermissionRequest, SessionUpdate, ToolCall, ToolCallContent,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use holm::{
    kernel::{AskReason, Proposal, visible},
    runtime::BoxFuture,
};
use holm_mcp::{ServerQuestion, ServerQuestionKind};
use holm_tools::shell::{self, ApprovalAnswer, ApprovalOffer};
use serde_json::{Map, Value, json};

use super::{
    call_display,
    editor::EditorClient,
    permission_pool::{PermissionPool, PoolTurn, WaitingPermission},
    update_translator::UpdateTranslator,
};
use crate::{
    approve::{
        self,
        question_group::{self, GATHERING, GroupAnswer, GroupOffer},
    },
    remote_user::RemoteUser,
};

/// The answers that an editor offers, by their ids.
const ONCE: &str = "once";
const SESSION: &str = "session";
const PREFIX: &str = "prefix";
const FAMILY: &str = "family";
const NO: &str = "no";
const NEVER: &str = "never";
const ONE_BY_ONE: &str = "one-by-one";

/// Why a call is denied before there is a session.
const NOT_STARTED: &str = "no user can be asked before the session has started";

/// The field of a form that holds the answer to a model's question.
const ANSWER: &str = "answer";

/// Asks and notifies the user of an editor.
#[derive(Clone)]
pub(super) struct EditorUser {
    editor: EditorClient,
    telling: Arc<Mutex<UpdateTranslator>>,
    waiting: PermissionPool,
}

impl EditorUser {
    pub(super) fn new(editor: EditorClient, telling: Arc<Mutex<UpdateTranslator>>) -> Self {
        Self { editor, telling, waiting: PermissionPool::default() }
    }

    /// The call as the editor knows it.
    fn known(&self, proposal: &Proposal) -> ToolCall {
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
        known.unwrap_or_else(new)
    }

    /// The call with everything that a person must know before the answer.
    fn call(&self, proposal: &Proposal, offer: &ApprovalOffer) -> ToolCallUpdate {
        let shown = self.known(proposal);
        let content: Vec<ToolCallContent> = words(&approve::question(proposal, offer))
            .into_iter()
            .chain(shown.content.iter().cloned())
            .chain(words(&approve::details(proposal)))
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

    /// Several calls as one that lists them.
    fn group_call(&self, group: &[WaitingPermission]) -> ToolCall {
        let known: Vec<ToolCall> = group.iter().map(|waiting| self.known(&waiting.proposal)).collect();
        let mut content = Vec::new();
        for (at, (waiting, known)) in group.iter().zip(&known).enumerate() {
            let lines = approve::described(&waiting.proposal, &waiting.offer);
            content.extend(words(&question_group::item(at, &lines)));
            content.extend(known.content.iter().cloned());
        }
        content.extend(words(&question_group::details(group.iter().map(|waiting| &waiting.proposal))));
        let titles: Vec<&str> = known.iter().map(|known| known.title.as_str()).collect();
        let title = call_display::line(&format!("{} calls: {}", group.len(), titles.join("; ")));
        let kind = known.first().map_or(ToolKind::Other, |first| first.kind);
        let kind = if known.iter().all(|known| known.kind == kind) { kind } else { ToolKind::Other };
        let places = known.iter().flat_map(|known| known.locations.iter().cloned()).collect();
        ToolCall::new(self.editor.name("asked"), title).kind(kind).locations(places).content(content)
    }

    /// Waits for the other approvals of the reply, and asks about all of them.
    async fn ask_gathered(self) {
        tokio::time::sleep(GATHERING).await;
        let waiting = self.waiting.take().into_iter().filter(|waiting| !waiting.is_withdrawn());
        let (group, alone): (Vec<_>, Vec<_>) =
            waiting.partition(|waiting| question_group::may_join(&waiting.proposal));
        self.ask_group(group).await;
        for waiting in alone {
            self.ask_alone(waiting).await;
        }
    }

    async fn ask_group(&self, mut group: Vec<WaitingPermission>) {
        if group.len() > 1 {
            match self.ask_together(&mut group).await {
                Some(GroupAnswer::All(answer)) => {
                    return group.into_iter().for_each(|waiting| waiting.reply(answer.clone()));
                }
                Some(GroupAnswer::OneByOne) => {}
                None => return,
            }
        }
        for (at, waiting) in group.into_iter().enumerate() {
            if at > 0 {
                // The last answer may have answered this one too.
                tokio::time::sleep(GATHERING).await;
            }
            self.ask_alone(waiting).await;
        }
    }

    /// Asks about several calls with one request. Returns `None` if no call waits any more.
    async fn ask_together(&self, group: &mut [WaitingPermission]) -> Option<GroupAnswer> {
        let offer = GroupOffer::of(group.iter().map(|waiting| &waiting.offer));
        let call = self.group_call(group);
        let id = call.tool_call_id.clone();
        let asked = ToolCallUpdate::from(call.clone());
        self.editor.tell(SessionUpdate::ToolCall(call));
        let answer = tokio::select! {
            chosen = self.request(asked, group_options(group.len(), &offer)) => Some(match chosen {
                Ok(option) => group_answer(&option),
                Err(reason) => GroupAnswer::All(no(reason)),
            }),
            () = all_withdrawn(group) => None,
        };
        let is_refused = matches!(answer, None | Some(GroupAnswer::All(ApprovalAnswer::No { .. })));
        let status = if is_refused { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let ended = ToolCallUpdateFields::new().status(status);
        self.editor.tell(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, ended)));
        answer
    }

    async fn ask_alone(&self, mut waiting: WaitingPermission) {
        if waiting.is_withdrawn() {
            return;
        }
        let call = self.call(&waiting.proposal, &waiting.offer);
        let options = options(&waiting.proposal, &waiting.offer);
        let answer = tokio::select! {
            chosen = self.request(call, options) => chosen.map_or_else(no, |option| answer(&option)),
            () = waiting.withdrawn() => return,
        };
        waiting.reply(answer);
    }

    /// Asks with one request. Returns the id of the chosen option, or why there is none.
    async fn request(
        &self,
        call: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) -> Result<String, &'static str> {
        let session = self.editor.session().cloned().ok_or(NOT_STARTED)?;
        let request = RequestPermissionRequest::new(session, call, options.clone());
        let response = self.editor.client().send_request(request).block_task().await;
        match response.map(|response| response.outcome) {
            Ok(RequestPermissionOutcome::Selected(chosen)) => {
                // An answer counts only if it is one of the options that were offered.
                let offered = options.iter().any(|option| option.option_id == chosen.option_id);
                let id = chosen.option_id.0.to_string();
                offered.then_some(id).ok_or("the editor gave an answer that was not offered")
            }
            Ok(RequestPermissionOutcome::Cancelled) => Err("the user stopped it"),
            Ok(_) => Err("the editor gave an unknown answer"),
            Err(_) => Err("the editor could not ask"),
        }
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
        if self.editor.session().is_none() {
            return Box::pin(async { no(NOT_STARTED) });
        }
        let user = self.clone();
        Box::pin(async move {
            let (answer, turn) = user.waiting.add(proposal, offer);
            if turn == PoolTurn::First {
                // A task of its own: the call that came first may be stopped before the others.
                tokio::spawn(user.ask_gathered());
            }
            answer.await.unwrap_or_else(|_| no("the editor could not ask"))
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

/// Returns when no call of a group waits any more.
async fn all_withdrawn(group: &mut [WaitingPermission]) {
    for waiting in group {
        waiting.withdrawn().await;
    }
}

/// Lines as the content of a call, if there are any.
fn words(lines: &[String]) -> Option<ToolCallContent> {
    let text = lines.join("\n");
    (!text.is_empty()).then(|| call_display::words(text.trim_start_matches('\n')))
}

/// What a person can say about several calls. Allowing all is the first of its kind: an editor
/// that chooses by the kind of an option never chooses to be asked again.
fn group_options(count: usize, offer: &GroupOffer) -> Vec<PermissionOption> {
    let option = |id: &'static str, name: String, kind| PermissionOption::new(id, name, kind);
    let all = option(ONCE, format!("Allow all {count} once"), PermissionOptionKind::AllowOnce);
    let families = offer.families().map(|families| {
        let name = format!("Allow {} in this session", visible(families));
        option(FAMILY, name, PermissionOptionKind::AllowAlways)
    });
    let each = option(ONE_BY_ONE, "Answer one by one".into(), PermissionOptionKind::AllowOnce);
    let none = option(NO, format!("Reject all {count}"), PermissionOptionKind::RejectOnce);
    [all].into_iter().chain(families).chain([each, none]).collect()
}

fn group_answer(option: &str) -> GroupAnswer {
    match option {
        ONE_BY_ONE => GroupAnswer::OneByOne,
        option => GroupAnswer::All(answer(option)),
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
        let name = format!("Allow {} in this session", visible(&rule.scope()));
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
