//! Rules about commands: which are forbidden wherever they occur, and which may pass unasked. It
//! does not ask a person (`shell/approval_gate.rs`), confine a command (`shell/setup.rs`) or parse
//! Bash (`shell/script.rs`). Deny wins over allow, and a script that is unclear is never allowed.
//!
//! Where things are:
//! - `rule.rs`: one rule, its text form, and the beginning that is offered for a command.
//! - `family.rs`: the rules that one answer of a user gives together.
//! - `deny.rs`, `allow.rs`: the two searches, which err on opposite sides.
//! - `runners.rs`: programs that run others. `programs.rs`: programs that do only what their name
//!   says.
//! - `embedded_commands.rs`: commands in options, settings and variables.

mod allow;
mod deny;
mod embedded_commands;
mod family;
mod programs;
mod rule;
mod runners;

pub use family::CommandFamily;
pub use rule::{CommandRule, CommandRuleError, TrailingWords};

use serde::{Deserialize, Serialize};

use super::script::{ScriptReadError, ScriptWord, ShellScript};

pub(super) use programs::records_in_repository;
#[cfg(test)]
pub(super) use runners::{RunnerKind, rows};

/// The forbidden commands, and those that pass unasked. Deny wins.
///
/// Deny rules are a convenience: they find plainly written commands, and refuse a script that is
/// unclear. No rule sees a program that starts others by itself (`make`, a script in the project).
/// The jail confines such a program, and the jail decides.
///
/// ```
/// use holm_tools::shell::{CommandRules, CommandRuling, ShellScript};
/// let rules = CommandRules::new(["git push"], ["git status", "cargo test *"])?;
/// let judge = |text: &str| rules.judge(&ShellScript::read(text).unwrap());
/// assert_eq!(judge("git status"), CommandRuling::Allowed);
/// assert_eq!(judge("git status; rm x"), CommandRuling::Ask);
/// assert!(matches!(judge("env -i sh -c 'git -C . push'"), CommandRuling::Denied(_)));
/// # Ok::<(), holm_tools::shell::CommandRuleError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandRules {
    deny: Vec<CommandRule>,
    allow: Vec<CommandRule>,
}

/// The decision of the rules about a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandRuling {
    /// This rule forbids it.
    Denied(CommandRule),
    /// Something is forbidden, and whether it is in here cannot be told.
    Unclear(&'static str),
    /// Every command of it passes.
    Allowed,
    /// No rule speaks about it.
    Ask,
}

impl CommandRules {
    /// Rules from their texts; see [`CommandRule`].
    ///
    /// # Errors
    ///
    /// The first text that is not a valid rule.
    pub fn new<'a>(
        deny: impl IntoIterator<Item = &'a str>,
        allow: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, CommandRuleError> {
        Ok(Self {
            deny: deny.into_iter().map(str::parse).collect::<Result<_, _>>()?,
            allow: allow.into_iter().map(str::parse).collect::<Result<_, _>>()?,
        })
    }

    /// Lets what the rule covers pass from now on.
    pub fn allow(&mut self, rule: CommandRule) {
        if !self.allow.contains(&rule) {
            self.allow.push(rule);
        }
    }

    /// Forbids what the rule hits from now on.
    pub fn deny(&mut self, rule: CommandRule) {
        if !self.deny.contains(&rule) {
            self.deny.push(rule);
        }
    }

    /// The decision of the rules about a script.
    #[must_use]
    pub fn judge(&self, script: &ShellScript) -> CommandRuling {
        match deny::find(&self.deny, script) {
            Some(deny::DenyFinding::Hit(rule)) => return CommandRuling::Denied(rule.clone()),
            Some(deny::DenyFinding::Unclear(why)) => return CommandRuling::Unclear(why),
            None => {}
        }
        if allow::covers(&self.allow, script) { CommandRuling::Allowed } else { CommandRuling::Ask }
    }

    /// The ruling for a script that could not be parsed, so its content is unknown.
    #[must_use]
    pub fn judge_unreadable(&self, why: ScriptReadError) -> CommandRuling {
        match why {
            ScriptReadError::Syntax if self.deny.is_empty() => CommandRuling::Ask,
            ScriptReadError::Syntax => {
                CommandRuling::Unclear("the script cannot be parsed; check quotes and brackets")
            }
            ScriptReadError::TooLong => {
                CommandRuling::Unclear("the script is too long to show; write it to a file")
            }
            ScriptReadError::ZeroByte => CommandRuling::Unclear(
                "the script contains a zero byte; remove \
                it",
            ),
        }
    }
}

/// The first program of a script that may do more than its name says, for display. Such a program
/// may run code of the workspace.
#[must_use]
pub fn unknown_program(script: &ShellScript) -> Option<String> {
    let unknown = script.commands().iter().find_map(|command| {
        let words: Vec<&str> = command.words.iter().map(|word| word.value().unwrap_or_default()).collect();
        programs::may_run_workspace(&words)
            .then(|| command.words.first().and_then(ScriptWord::value).map(str::to_owned))
    })?;
    Some(unknown.map_or_else(|| "a program of it".to_owned(), |name| format!("`{name}`")))
}
