//! What is allowed now, in words. Every claim names the grant that it rests on. It decides nothing:
//! the kernel does, so a change of the kernel's rules must be repeated here, or the model is told
//! something false. Questions to the user are written in `approve.rs`.

use holm::grants::{AccessRequest, Grant, GrantKind, GrantSet, Level, LevelDecision, Mode};
use holm_tools::shell::SHELL;

use crate::access_words;

/// What decides whether a call passes without a question.
#[derive(Debug, Clone)]
pub(crate) struct CallPermissions {
    pub(crate) grants: GrantSet,
    /// What `--yes` covers: it grants and answers.
    pub(crate) yes: GrantSet,
    pub(crate) mode: Mode,
    /// Whether a question reaches a person.
    pub(crate) can_ask: bool,
    /// Whether commands run in a jail, which can keep them from making changes.
    pub(crate) confined: bool,
}

/// What becomes of a call that needs no more than one grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallTreatment {
    /// It runs without a question.
    Free,
    /// It passes until something private or untrusted was read; then a person is asked.
    UntilRead,
    /// A person is asked each time.
    Asked,
    Refused,
}

impl CallPermissions {
    /// The lines of the environment block.
    pub(crate) fn lines(&self) -> Vec<String> {
        let held: GrantSet = self.grants.iter().chain(self.yes.iter()).cloned().collect();
        // Helpers are introduced by name elsewhere.
        let held: Vec<&Grant> = held.iter().filter(|grant| grant.kind() != GrantKind::Spawn).collect();
        let list = |passage: CallTreatment| {
            let fits = held.iter().filter(|grant| self.passage(grant) == passage);
            fits.map(|grant| in_words(grant)).collect::<Vec<_>>().join("; ")
        };
        let line = |head: &str, list: String| (!list.is_empty()).then(|| format!("{head}: {list}."));
        let free = list(CallTreatment::Free);
        let free = if free.is_empty() {
            "Allowed: no file, program or host.".into()
        } else {
            format!("Allowed: {free}.")
        };
        let until = "Allowed until you have read something private or untrusted";
        let lines = [
            Some(free),
            line(until, list(CallTreatment::UntilRead)),
            line("Allowed if the person agrees each time", list(CallTreatment::Asked)),
            Some(self.rest(&held)),
        ];
        lines.into_iter().flatten().collect()
    }

    /// What happens to everything else.
    fn rest(&self, held: &[&Grant]) -> String {
        let kinds = [
            (GrantKind::Read, "reading files"),
            (GrantKind::Write, "writing files"),
            (GrantKind::Exec, "running programs"),
            (GrantKind::Fetch, "the network"),
        ];
        let passes = |kind: GrantKind| {
            held.iter().any(|grant| grant.kind() == kind && self.passage(grant) != CallTreatment::Refused)
        };
        let closed: Vec<&str> =
            kinds.into_iter().filter(|(kind, _)| !passes(*kind)).map(|(_, words)| words).collect();
        let closed =
            if closed.is_empty() { String::new() } else { format!(", such as {}", closed.join(", ")) };
        if self.can_ask && self.mode != Mode::Plan {
            format!(
                "Not granted: everything else{closed}. A call that needs it is shown to the person, who decides."
            )
        } else {
            format!("Not allowed: everything else{closed}.")
        }
    }

    /// Whether a grant names the tool that runs commands, which answers what the mode asks about it.
    fn runs_commands_unasked(&self) -> bool {
        AccessRequest::new(GrantKind::Tool, SHELL).is_ok_and(|shell| self.grants.admits(&shell))
    }

    fn passage(&self, grant: &Grant) -> CallTreatment {
        let only_looks = self.mode == Mode::Plan && self.confined && grant.kind() == GrantKind::Exec;
        let level = if only_looks { Level::ReadOnly } else { level(grant.kind()) };
        let stance = self.mode.stance(level);
        let agreed = self.yes.contains(grant);
        let asked = if self.can_ask { CallTreatment::Asked } else { CallTreatment::Refused };
        match stance {
            LevelDecision::Deny => CallTreatment::Refused,
            LevelDecision::Allow | LevelDecision::Ask if agreed => CallTreatment::Free,
            LevelDecision::Ask if grant.kind() == GrantKind::Exec && self.runs_commands_unasked() => {
                CallTreatment::Free
            }
            LevelDecision::Allow if matches!(grant.kind(), GrantKind::Fetch | GrantKind::Secret) => {
                CallTreatment::UntilRead
            }
            LevelDecision::Allow => CallTreatment::Free,
            LevelDecision::Ask => asked,
        }
    }
}

/// How much a call can change that needs a grant of this kind.
const fn level(kind: GrantKind) -> Level {
    match kind {
        GrantKind::Read | GrantKind::Env | GrantKind::Fetch | GrantKind::Secret => Level::ReadOnly,
        GrantKind::Write => Level::Write,
        GrantKind::Exec | GrantKind::Spawn => Level::Execute,
        // A grant of a tool answers what a mode asks about it.
        GrantKind::Tool => Level::None,
    }
}

/// A grant in words, with the grant itself.
fn in_words(grant: &Grant) -> String {
    let text = grant.to_string();
    let pattern = text.split_once(':').map_or("", |(_, pattern)| pattern);
    let words = access_words::words(grant.kind(), pattern);
    format!("{words} (`{text}`)")
}
