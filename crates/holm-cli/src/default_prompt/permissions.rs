//! What is allowed now, in words. Every claim names the grant that it rests on.

use holm::grants::{Grant, GrantSet, Kind, Level, Mode, Stance};

/// What decides whether a call passes without a question.
#[derive(Debug, Clone)]
pub(crate) struct Permissions {
    pub(crate) grants: GrantSet,
    /// What `--yes` covers: it grants and answers.
    pub(crate) yes: GrantSet,
    pub(crate) mode: Mode,
    /// Whether a question reaches a person.
    pub(crate) can_ask: bool,
}

/// What becomes of a call that needs no more than one grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passage {
    /// It passes.
    Free,
    /// It passes until something private or untrusted was read; then a person is asked.
    UntilRead,
    /// A person is asked each time.
    Asked,
    /// It is refused.
    Refused,
}

impl Permissions {
    /// The lines of the environment block.
    pub(crate) fn lines(&self) -> Vec<String> {
        let held: GrantSet = self.grants.iter().chain(self.yes.iter()).cloned().collect();
        // Helpers are introduced by name elsewhere.
        let held: Vec<&Grant> = held.iter().filter(|grant| grant.kind() != Kind::Spawn).collect();
        let list = |passage: Passage| {
            let fits = held.iter().filter(|grant| self.passage(grant) == passage);
            fits.map(|grant| in_words(grant)).collect::<Vec<_>>().join("; ")
        };
        let line = |head: &str, list: String| (!list.is_empty()).then(|| format!("{head}: {list}."));
        let free = list(Passage::Free);
        let free = if free.is_empty() {
            "Allowed: no file, program or host.".into()
        } else {
            format!("Allowed: {free}.")
        };
        let until = "Allowed until you have read something private or untrusted";
        let lines = [
            Some(free),
            line(until, list(Passage::UntilRead)),
            line("Allowed if the person agrees each time", list(Passage::Asked)),
            Some(self.rest(&held)),
        ];
        lines.into_iter().flatten().collect()
    }

    /// What happens to everything else.
    fn rest(&self, held: &[&Grant]) -> String {
        let kinds = [
            (Kind::Read, "reading files"),
            (Kind::Write, "writing files"),
            (Kind::Exec, "running programs"),
            (Kind::Fetch, "the network"),
        ];
        let passes = |kind: Kind| {
            held.iter().any(|grant| grant.kind() == kind && self.passage(grant) != Passage::Refused)
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

    fn passage(&self, grant: &Grant) -> Passage {
        let stance = self.mode.stance(level(grant.kind()));
        let agreed = self.yes.contains(grant);
        let asked = if self.can_ask { Passage::Asked } else { Passage::Refused };
        match stance {
            Stance::Deny => Passage::Refused,
            Stance::Allow | Stance::Ask if agreed => Passage::Free,
            Stance::Allow if matches!(grant.kind(), Kind::Fetch | Kind::Secret) => Passage::UntilRead,
            Stance::Allow => Passage::Free,
            Stance::Ask => asked,
        }
    }
}

/// How much a call can change that needs a grant of this kind.
const fn level(kind: Kind) -> Level {
    match kind {
        Kind::Read | Kind::Env | Kind::Fetch | Kind::Secret => Level::ReadOnly,
        Kind::Write => Level::Write,
        Kind::Exec | Kind::Spawn => Level::Execute,
        // A grant of a tool answers what a mode asks about it.
        Kind::Tool => Level::None,
    }
}

/// A grant in words, with the grant itself.
fn in_words(grant: &Grant) -> String {
    let text = grant.to_string();
    let pattern = text.split_once(':').map_or("", |(_, pattern)| pattern);
    let words = match (grant.kind(), pattern) {
        (Kind::Read, "**") => "read any file in the workspace".into(),
        (Kind::Write, "**") => "write any file in the workspace".into(),
        (Kind::Exec, "*") => "run any program of the system".into(),
        (Kind::Exec, "./**") => "run programs in the workspace".into(),
        (Kind::Read, path) => format!("read {path}"),
        (Kind::Write, path) => format!("write {path}"),
        (Kind::Exec, program) => format!("run {program}"),
        (Kind::Fetch, host) => format!("connect to {host}"),
        (Kind::Env, name) => format!("see the variable {name}"),
        (Kind::Secret, name) => format!("send the secret {name}"),
        (Kind::Spawn, name) => format!("call the helper {name}"),
        (Kind::Tool, name) => format!("call the tool {name} without a question"),
    };
    format!("{words} (`{text}`)")
}
