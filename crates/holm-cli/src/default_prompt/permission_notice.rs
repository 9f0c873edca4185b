//! Tells the model when what it may do differs from what it was told last. A resumed session keeps
//! its system prompt, so that providers can serve it from their caches; mode and grants may have
//! changed since. The words are in `permissions.rs`.

use holm::{
    grants::GrantSet,
    kernel::{Prompt, Run},
};

use super::{CallPermissions, HostNote, environment::ENVIRONMENT_HEAD};

/// How a note about permissions begins.
const HEAD: &str = "[Permissions have changed. They are now:]";

/// The circumstances of a session that its run does not know.
#[derive(Debug, Clone)]
pub(crate) struct PermissionNotice {
    /// The calls and grants that `--yes` covers.
    pub(crate) yes: GrantSet,
    pub(crate) can_ask: bool,
    pub(crate) confined: bool,
}

impl PermissionNotice {
    /// The prompt, after a note if the model was told something else last. At first, the permissions
    /// stand at the end of the system prompt, where nothing else can write.
    pub(crate) fn before(&self, mut prompt: Prompt, run: &Run) -> Prompt {
        let permissions = CallPermissions {
            grants: run.grants().clone(),
            yes: self.yes.clone(),
            mode: run.mode(),
            can_ask: self.can_ask,
            confined: self.confined,
            marked: run.marks().join(prompt.marks).any(),
        };
        let now = permissions.lines().join("\n");
        let is_known = match last_note(run) {
            Some(note) => note == format!("{HEAD}\n{now}"),
            // A session of another host was told nothing that could be wrong now.
            None => !run.config().system.contains(ENVIRONMENT_HEAD) || run.config().system.ends_with(&now),
        };
        if !is_known {
            HostNote::Permissions.put_before(&mut prompt, format!("{HEAD}\n{now}"));
        }
        prompt
    }
}

fn last_note(run: &Run) -> Option<&str> {
    run.transcript().iter().rev().find_map(|message| HostNote::Permissions.find(message))
}
