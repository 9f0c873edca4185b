//! Rules about commands: which are forbidden wherever they occur, and which may pass unasked.

mod allow;
mod deny;
mod hidden;
mod programs;
mod rule;
mod runners;

pub use rule::{Rest, Rule, RuleError};

use serde::{Deserialize, Serialize};

use super::script::{Script, Unreadable, Word};

#[cfg(test)]
pub(super) use runners::{Runs, rows};

/// The forbidden commands, and those that pass unasked. Deny wins.
///
/// Deny rules are a convenience: they find plainly written commands, and refuse a script that is
/// unclear. No rule sees a program that starts others by itself (`make`, a script in the project).
/// The jail confines such a program, and the jail decides.
///
/// ```
/// use holm_tools::shell::{Rules, Ruling, Script};
/// let rules = Rules::new(["git push"], ["git status", "cargo test *"])?;
/// let judge = |text: &str| rules.judge(&Script::read(text).unwrap());
/// assert_eq!(judge("git status"), Ruling::Allowed);
/// assert_eq!(judge("git status; rm x"), Ruling::Ask);
/// assert!(matches!(judge("env -i sh -c 'git -C . push'"), Ruling::Denied(_)));
/// # Ok::<(), holm_tools::shell::RuleError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rules {
    deny: Vec<Rule>,
    allow: Vec<Rule>,
}

/// The decision of the rules about a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// This rule forbids it.
    Denied(Rule),
    /// Something is forbidden, and whether it is in here cannot be told.
    Unclear(&'static str),
    /// Every command of it passes.
    Allowed,
    /// No rule speaks about it.
    Ask,
}

impl Rules {
    /// Rules from their texts; see [`Rule`].
    ///
    /// # Errors
    ///
    /// The first text that is not a valid rule.
    pub fn new<'a>(
        deny: impl IntoIterator<Item = &'a str>,
        allow: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, RuleError> {
        Ok(Self {
            deny: deny.into_iter().map(str::parse).collect::<Result<_, _>>()?,
            allow: allow.into_iter().map(str::parse).collect::<Result<_, _>>()?,
        })
    }

    /// Lets what the rule covers pass from now on.
    pub fn allow(&mut self, rule: Rule) {
        if !self.allow.contains(&rule) {
            self.allow.push(rule);
        }
    }

    /// Forbids what the rule hits from now on.
    pub fn deny(&mut self, rule: Rule) {
        if !self.deny.contains(&rule) {
            self.deny.push(rule);
        }
    }

    /// The decision of the rules about a script.
    #[must_use]
    pub fn judge(&self, script: &Script) -> Ruling {
        match deny::find(&self.deny, script) {
            Some(deny::Found::Hit(rule)) => return Ruling::Denied(rule.clone()),
            Some(deny::Found::Unclear(why)) => return Ruling::Unclear(why),
            None => {}
        }
        if allow::covers(&self.allow, script) { Ruling::Allowed } else { Ruling::Ask }
    }

    /// The ruling for a script that could not be parsed, so its content is unknown.
    #[must_use]
    pub fn judge_unreadable(&self, why: Unreadable) -> Ruling {
        match why {
            Unreadable::Syntax if self.deny.is_empty() => Ruling::Ask,
            Unreadable::Syntax => Ruling::Unclear("the script cannot be read; check quotes and brackets"),
            Unreadable::TooLong => Ruling::Unclear("the script is too long to be shown; write it to a file"),
            Unreadable::ZeroByte => Ruling::Unclear("the script holds a zero byte; remove it"),
        }
    }
}

/// The first program of a script that may do more than its name says, for display. Such a program
/// may run code of the workspace.
#[must_use]
pub fn unknown_program(script: &Script) -> Option<String> {
    let unknown = script.commands().iter().find_map(|command| {
        let words: Vec<&str> = command.words.iter().map(|word| word.value().unwrap_or_default()).collect();
        programs::may_run_workspace(&words)
            .then(|| command.words.first().and_then(Word::value).map(str::to_owned))
    })?;
    Some(unknown.map_or_else(|| "a program of it".to_owned(), |name| format!("`{name}`")))
}
