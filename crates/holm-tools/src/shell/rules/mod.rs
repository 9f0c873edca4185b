//! Rules about commands: what is forbidden wherever it stands, and what may pass unasked.

mod deny;
mod hidden;
mod programs;
mod rule;

pub use rule::{Rest, Rule, RuleError};

use serde::{Deserialize, Serialize};

use super::script::{Form, Script, Unreadable, Word};

/// Which commands are forbidden and which pass unasked. Deny wins.
///
/// Deny rules speak about what is written. A program that starts others by itself (`make`, a script in the project) is not
/// seen by any rule; what it can do is held by the jail.
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

/// What the rules say of a script.
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
    /// The first text that is no rule.
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

    /// What the rules say of a script.
    #[must_use]
    pub fn judge(&self, script: &Script) -> Ruling {
        match deny::find(&self.deny, script) {
            Some(deny::Found::Hit(rule)) => return Ruling::Denied(rule.clone()),
            Some(deny::Found::Unclear(why)) => return Ruling::Unclear(why),
            None => {}
        }
        let covered = |words: &[Word]| self.allow.iter().any(|rule| rule.covers(words));
        let all = script.commands().iter().all(|command| covered(&command.words));
        if script.form() == Form::Plain && all && !script.commands().is_empty() {
            Ruling::Allowed
        } else {
            Ruling::Ask
        }
    }

    /// What the rules say of what could not be read: nobody can tell what is in it.
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
