//! Asks a model once for an answer that is validated before it is accepted. After a rejection the
//! model is asked one more time with the reason; then the rejection is final.
//!
//! There are no tools, no session and no journal here. The validation itself is in `holm-guards`;
//! the commands are `commands/skill/contract_skills.rs` and `commands/extract.rs`. The second
//! answer must be final, or a model could be asked without end.

use std::sync::Arc;

use holm::{
    guards::{
        json::Json,
        skill::{CheckedSkillInput, CompiledSkill, SkillError, corrective},
    },
    kernel::{
        Message, MessageId, Messages, ModelCallId, ModelResult, Offer, Purpose, Request, Role, plain_text,
    },
    runtime::{CancellationToken, ModelConnection, ModelRequest, NullDeltaSink},
};

use crate::{
    exit::{CommandError, CommandExit},
    model::ResolvedModel,
};

/// Has a model do it. `shape` is what the answer is held to where a model can be held.
///
/// # Errors
/// Where the model cannot be asked. What it answered wrongly is the inner error.
pub(crate) async fn carried_out(
    chosen: &ResolvedModel,
    skill: &CompiledSkill,
    input: &CheckedSkillInput,
    shape: Option<Json>,
) -> anyhow::Result<Result<Json, SkillError>> {
    let mut line = chosen.client.open();
    let mut request = Request {
        purpose: Purpose::Skill,
        model: Arc::new(chosen.card.clone()),
        system: "".into(),
        messages: Messages::Own(vec![said(1, Role::User, skill.prompt(input))]),
        tools: Arc::new(Offer::default()),
        max_output: None,
        format: shape.map(Arc::new),
    };
    let first = answer(&mut *line, &request).await?;
    let error = match skill.check_output(input, &first) {
        Ok(value) => return Ok(Ok(value)),
        Err(error) => error,
    };
    if let Messages::Own(messages) = &mut request.messages {
        messages.push(said(2, Role::Assistant, first));
        messages.push(said(3, Role::User, corrective(&error)));
    }
    let second = answer(&mut *line, &request).await?;
    Ok(skill.check_output(input, &second))
}

fn said(id: u64, role: Role, text: String) -> Arc<Message> {
    Arc::new(Message::text(MessageId::new(id), role, text))
}

async fn answer(line: &mut dyn ModelConnection, request: &Request) -> anyhow::Result<String> {
    let messages = match &request.messages {
        Messages::Own(messages) => messages.as_slice(),
        Messages::View { .. } => &[],
    };
    let ask = ModelRequest {
        call: ModelCallId::new(1),
        request,
        messages,
        told: Arc::default(),
        deltas: Arc::new(NullDeltaSink),
        stop: CancellationToken::new(),
    };
    match line.call(ask).await {
        ModelResult::Replied(reply) | ModelResult::Aborted(reply) => Ok(plain_text(&reply.blocks)),
        ModelResult::Failed(failure) => Err(CommandError::new(CommandExit::Provider, failure.message).into()),
    }
}
