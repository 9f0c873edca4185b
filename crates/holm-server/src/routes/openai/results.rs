//! Reads the results of the client's own tools, and the session that they belong to.

use std::collections::BTreeMap;

use holm_kernel::{Block, Role, ToolCallId};
use holm_wire::server::CompletionRequest;

use crate::{SessionId, live::PREFIX};

/// The results of the client's tools.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClientToolResults {
    pub(super) session: SessionId,
    pub(super) given: BTreeMap<ToolCallId, String>,
}

/// The tool results at the end of a conversation, if there are any and they belong
/// to a session here.
pub(super) fn results(asked: &CompletionRequest) -> Option<ClientToolResults> {
    let mut found: Option<ClientToolResults> = None;
    for message in asked.messages.iter().rev() {
        if message.role != Role::Tool {
            break;
        }
        for block in &message.blocks {
            let Block::ToolResult(result) = block else { continue };
            let (session, call) = read_id(&result.call)?;
            let found = found.get_or_insert_with(|| ClientToolResults {
                session: session.clone(),
                given: BTreeMap::new(),
            });
            if found.session == session {
                found.given.insert(call, result.said().to_owned());
            }
        }
    }
    found
}

/// The session and the call in an id that this server made.
pub(super) fn read_id(id: &str) -> Option<(SessionId, ToolCallId)> {
    let (session, call) = id.strip_prefix(PREFIX)?.rsplit_once('_')?;
    Some((session.parse().ok()?, ToolCallId::new(call.parse().ok()?)))
}
