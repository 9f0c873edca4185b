//! What is allowed now, in words. Every claim names the grant that it rests on. It decides nothing:
//! the kernel does, so a change of the kernel's rules must be repeated here, or the model is told
//! something false. Questions to the user are written in `approve.rs`.
//!
//! A notice about a change is made in `permission_notice.rs`, and the block about the place of a
//! session in `environment.rs`.

use holm::grants::{AccessRequest, Grant, GrantKind, GrantSet, Level, LevelDecision, Mode};
use holm_tools::{
    access_words,
    shell::{RUN_PROGRAM, SHELL},
};

use super::PermissionNotice;

/// What every command needs beside the program that it runs.
const COMMAND_NEEDS: [&str; 3] = ["read:**", "write:**", "exec:./**"];

/// What a command in plan mode needs.
const READING_COMMAND_NEEDS: [&str; 1] = ["read:**"];

/// What is said where tools are left out.
const UNLISTED: &str = " Tools whose calls cannot pass are not offered.";

/// The tools that need a grant of a kind for every call.
const NEEDY_TOOLS: [(&str, GrantKind); 6] = [
    ("write", GrantKind::Write),
    ("edit", GrantKind::Write),
    ("patch", GrantKind::Write),
    (SHELL, GrantKind::Exec),
    (RUN_PROGRAM, GrantKind::Exec),
    ("fetch", GrantKind::Fetch),
];

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
    /// Whether the session begins with untrusted text, such as an untrusted `AGENTS.md`.
    pub(crate) marked: bool,
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
    /// The lines of the environment block that may change during a session.
    pub(crate) fn lines(&self) -> Vec<String> {
        let person = if self.can_ask {
            "A person is there and can answer questions."
        } else {
            "No user can answer questions during this run. Decide yourself, and say what you assumed."
        };
        let commands = if self.confined {
            "Commands run in a jail: they reach what is allowed below and nothing else."
        } else {
            "Commands run without a jail: they reach every file and the network."
        };
        let mode = format!("Mode: {}. {}", self.mode, self.about_mode());
        [person.to_owned(), mode, commands.to_owned()].into_iter().chain(self.granted()).collect()
    }

    /// The circumstances that stay during a session.
    pub(crate) fn notice(&self) -> PermissionNotice {
        PermissionNotice { yes: self.yes.clone(), can_ask: self.can_ask, confined: self.confined }
    }

    /// What is allowed by which grant, and what happens to everything else.
    fn granted(&self) -> impl Iterator<Item = String> {
        let held = self.held();
        // Helpers are introduced by name elsewhere; of commands the programs say it.
        let is_listed = |grant: &&Grant| grant.kind() != GrantKind::Spawn && !names_command_tool(grant);
        let held: Vec<&Grant> = held.iter().filter(is_listed).collect();
        let list = |passage: CallTreatment| {
            let fits = held.iter().filter(|grant| self.passage(grant) == passage);
            fits.map(|grant| in_words(grant)).collect::<Vec<_>>().join("; ")
        };
        let line = |head: &str, list: String| (!list.is_empty()).then(|| format!("{head}: {list}."));
        let free = list(CallTreatment::Free);
        let later = list(CallTreatment::UntilRead);
        let free = if free.is_empty() && later.is_empty() && self.can_ask && self.mode != Mode::Plan {
            "Nothing is allowed without a question.".into()
        } else if free.is_empty() {
            "Allowed: no file, program or host.".into()
        } else {
            format!("Allowed: {free}.")
        };
        let until = "Allowed until you have read something private or untrusted";
        let lines = [
            Some(free),
            line(until, later),
            line("Allowed if the person agrees each time", list(CallTreatment::Asked)),
            Some(self.rest(&held)),
        ];
        lines.into_iter().flatten()
    }

    fn held(&self) -> GrantSet {
        self.grants.iter().chain(self.yes.iter()).cloned().collect()
    }

    /// What the mode means here.
    fn about_mode(&self) -> &'static str {
        match (self.mode, self.can_ask) {
            (Mode::Plan, _) if self.confined && self.has_all(&READING_COMMAND_NEEDS) => {
                "Look and make a plan; nothing can be changed. Commands can write to $TMPDIR only, and have no network."
            }
            (Mode::Plan, _) => "Look and make a plan; nothing can be changed, and no command can be run.",
            (Mode::Default, true) => "Each write and each command is asked about.",
            (Mode::Default, false) => {
                "Writes and commands need a person's approval, so only those that are allowed below pass."
            }
            (Mode::AcceptEdits, _) if self.runs_commands_unasked() => "Granted writes and commands pass.",
            (Mode::AcceptEdits, true) => "Granted writes pass; each command is asked about.",
            (Mode::AcceptEdits, false) => {
                "Granted writes pass. Commands need a person's approval, so only those that are allowed below pass."
            }
            (Mode::Full, _) => "What is granted passes.",
        }
    }

    /// What happens to everything else.
    fn rest(&self, held: &[&Grant]) -> String {
        let kinds = [
            (GrantKind::Read, "reading files"),
            (GrantKind::Write, "writing files"),
            (GrantKind::Exec, "running programs"),
            (GrantKind::Fetch, "using the network"),
        ];
        let passes = |kind: GrantKind| {
            held.iter().any(|grant| grant.kind() == kind && self.passage(grant) != CallTreatment::Refused)
        };
        let reads_by_command =
            self.mode == Mode::Plan && self.confined && self.has_all(&READING_COMMAND_NEEDS);
        let is_open = |kind: GrantKind| {
            // Without a jail, a command reaches all of that.
            let by_command = !self.confined && passes(GrantKind::Exec);
            passes(kind) || by_command || (kind == GrantKind::Exec && reads_by_command)
        };
        let closed: Vec<&str> =
            kinds.into_iter().filter(|(kind, _)| !is_open(*kind)).map(|(_, words)| words).collect();
        let closed = match closed.as_slice() {
            [] => String::new(),
            [only] => format!(", such as {only}"),
            [first @ .., last] => format!(", such as {} or {last}", first.join(", ")),
        };
        if self.can_ask && self.mode != Mode::Plan {
            format!(
                "Not granted: everything else{closed}. A call that needs it is shown to the person, who decides."
            )
        } else {
            let unlisted = if self.impassable_tools().is_empty() { "" } else { UNLISTED };
            format!("Not allowed: everything else{closed}.{unlisted}")
        }
    }

    /// The tools of which no call could pass, because nothing that they need is granted and no user
    /// can be asked. Their calls are refused with the reason, so a model need not know them.
    pub(crate) fn impassable_tools(&self) -> Vec<&'static str> {
        if self.can_ask {
            return Vec::new();
        }
        let held = self.held();
        let is_named =
            |tool: &str| AccessRequest::new(GrantKind::Tool, tool).is_ok_and(|tool| held.admits(&tool));
        let passes = |kind: GrantKind| {
            held.iter().any(|grant| grant.kind() == kind && self.passage(grant) != CallTreatment::Refused)
        };
        let looks_by_command = |kind| {
            kind == GrantKind::Exec
                && self.mode == Mode::Plan
                && self.confined
                && self.has_all(&READING_COMMAND_NEEDS)
        };
        let cannot_pass = |(tool, kind): &(&'static str, GrantKind)| {
            !is_named(tool) && !passes(*kind) && !looks_by_command(*kind)
        };
        NEEDY_TOOLS.into_iter().filter(cannot_pass).map(|(tool, _)| tool).collect()
    }

    /// Whether a grant names the tool that runs commands, which answers what the mode asks about it.
    fn runs_commands_unasked(&self) -> bool {
        AccessRequest::new(GrantKind::Tool, SHELL).is_ok_and(|shell| self.grants.admits(&shell))
    }

    /// Whether grants or `--yes` contain all of these.
    fn has_all(&self, needs: &[&str]) -> bool {
        let held = self.held();
        needs.iter().all(|need| need.parse::<Grant>().is_ok_and(|need| held.contains(&need)))
    }

    /// Whether a command has everything that it needs beside its program.
    fn can_start_commands(&self) -> bool {
        match self.mode {
            Mode::Plan => self.has_all(&READING_COMMAND_NEEDS),
            Mode::Default | Mode::AcceptEdits | Mode::Full => self.has_all(&COMMAND_NEEDS),
        }
    }

    fn passage(&self, grant: &Grant) -> CallTreatment {
        let kind = grant.kind();
        let only_looks = self.mode == Mode::Plan && self.confined && kind == GrantKind::Exec;
        let level = if only_looks { Level::ReadOnly } else { level(kind) };
        let stance = self.mode.stance(level);
        let agreed = self.yes.contains(grant);
        let asked = if self.can_ask { CallTreatment::Asked } else { CallTreatment::Refused };
        match stance {
            LevelDecision::Deny => CallTreatment::Refused,
            // A tool may do more than a plan allows.
            _ if kind == GrantKind::Tool && self.mode == Mode::Plan => CallTreatment::Refused,
            _ if kind == GrantKind::Exec && !self.can_start_commands() => asked,
            LevelDecision::Allow | LevelDecision::Ask if agreed => CallTreatment::Free,
            LevelDecision::Ask if kind == GrantKind::Exec && self.runs_commands_unasked() => {
                CallTreatment::Free
            }
            LevelDecision::Allow if !sends(kind) => CallTreatment::Free,
            LevelDecision::Allow if self.marked => asked,
            LevelDecision::Allow => CallTreatment::UntilRead,
            LevelDecision::Ask => asked,
        }
    }
}

/// Whether a call by this grant may send something.
const fn sends(kind: GrantKind) -> bool {
    match kind {
        // What a tool does is not known here.
        GrantKind::Fetch | GrantKind::Secret | GrantKind::Tool => true,
        GrantKind::Read | GrantKind::Write | GrantKind::Exec | GrantKind::Spawn | GrantKind::Env => false,
    }
}

fn names_command_tool(grant: &Grant) -> bool {
    let named = |tool: &str| AccessRequest::new(GrantKind::Tool, tool).is_ok_and(|tool| grant.admits(&tool));
    grant.kind() == GrantKind::Tool && (named(SHELL) || named(RUN_PROGRAM))
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
    let is_one_program = grant.kind() == GrantKind::Exec && !["*", "./**"].contains(&pattern);
    // The tool for scripts needs all programs of the system.
    let by = if is_one_program { format!(" with the tool {RUN_PROGRAM}") } else { String::new() };
    format!("{words}{by} (`{text}`)")
}
