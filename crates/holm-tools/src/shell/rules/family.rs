//! The commands that one answer of a user covers beyond the command that was shown: those with the
//! same beginning, a few look-ups of git together, or everything of a build program.
//!
//! It decides nothing: `approval_gate.rs` offers a family and remembers the answer, and `allow.rs`
//! says which commands a rule covers. A family covers exactly what its rules cover.

use std::fmt;
use std::str::FromStr;

use super::rule::{CommandRule, CommandRuleError, TrailingWords};
use crate::shell::script::{ScriptComplexity, ScriptWord, ShellScript};

/// Git commands that only look, which one answer covers together.
const GIT_LOOKS: [&str; 3] = ["status", "diff", "log"];

/// Build programs whose commands one answer covers together. They run code of the workspace, so
/// they are offered in the jail only.
const BUILDERS: &[&str] = &["cargo"];

/// Rules that one answer gives together.
///
/// ```
/// use holm_tools::shell::{CommandFamily, ShellScript};
/// let scope = |text: &str| {
///     let script = ShellScript::read(text).unwrap();
///     CommandFamily::suggest(&script, true).map(|family| family.scope())
/// };
/// let git = "git status, git diff and git log, each with any names and display options";
/// assert_eq!(scope("git diff --stat").as_deref(), Some(git));
/// let cargo = "every plain cargo command, in the jail; cargo runs code of this workspace";
/// assert_eq!(scope("cargo test").as_deref(), Some(cargo));
/// assert_eq!(scope("ls -l").as_deref(), Some("every plain command that starts with ls"));
/// assert_eq!(scope("npm test"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFamily {
    rules: Vec<CommandRule>,
    kind: FamilyKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FamilyKind {
    /// Commands with the same beginning.
    Beginning,
    GitLooks,
    /// A program that runs code of the workspace.
    Builder,
}

impl CommandFamily {
    /// The family of a script of one plain command; `None` if no other command is safe to cover.
    /// Programs that run code of the workspace have one only if commands are confined.
    #[must_use]
    pub fn suggest(script: &ShellScript, is_confined: bool) -> Option<Self> {
        let Some(rule) = CommandRule::suggest(script) else {
            return builder(script)
                .filter(|_| is_confined)
                .map(|rule| Self::of(vec![rule], FamilyKind::Builder));
        };
        let looks = git_looks();
        Some(if looks.contains(&rule) {
            Self::of(looks, FamilyKind::GitLooks)
        } else {
            Self::of(vec![rule], FamilyKind::Beginning)
        })
    }

    const fn of(rules: Vec<CommandRule>, kind: FamilyKind) -> Self {
        Self { rules, kind }
    }

    /// The rules that the answer gives.
    #[must_use]
    pub fn rules(&self) -> &[CommandRule] {
        &self.rules
    }

    /// The beginning of the covered commands, for a line that has little room.
    #[must_use]
    pub fn beginning(&self) -> String {
        match self.kind {
            FamilyKind::Beginning | FamilyKind::Builder => {
                let beginnings: Vec<String> = self.rules.iter().map(CommandRule::beginning).collect();
                beginnings.join(", ")
            }
            FamilyKind::GitLooks => format!("git {}", GIT_LOOKS.join("|")),
        }
    }

    /// What the answer covers, in words.
    #[must_use]
    pub fn scope(&self) -> String {
        match self.kind {
            FamilyKind::Beginning => {
                let scopes: Vec<String> = self.rules.iter().map(CommandRule::scope).collect();
                scopes.join(", ")
            }
            FamilyKind::GitLooks => {
                "git status, git diff and git log, each with any names and display options".into()
            }
            FamilyKind::Builder => {
                let name = self.beginning();
                format!("every plain {name} command, in the jail; {name} runs code of this workspace")
            }
        }
    }
}

fn git_looks() -> Vec<CommandRule> {
    let rule = |command: &str| CommandRule {
        words: vec!["git".into(), command.into()],
        options: std::collections::BTreeSet::new(),
        rest: TrailingWords::Listed,
    };
    GIT_LOOKS.into_iter().map(rule).collect()
}

/// The rule for all commands of a build program.
fn builder(script: &ShellScript) -> Option<CommandRule> {
    let ([command], ScriptComplexity::Plain) = (script.commands(), script.form()) else { return None };
    let words: Vec<&str> = command.words.iter().map(ScriptWord::plain).collect::<Option<_>>()?;
    let name = words.first().filter(|name| BUILDERS.contains(name))?;
    Some(CommandRule {
        words: vec![(*name).to_owned()],
        options: std::collections::BTreeSet::new(),
        rest: TrailingWords::Any,
    })
}

impl fmt::Display for CommandFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.rules.iter().map(ToString::to_string).collect();
        f.write_str(&rules.join(", "))
    }
}

/// The family of one rule.
impl FromStr for CommandFamily {
    type Err = CommandRuleError;

    fn from_str(text: &str) -> Result<Self, CommandRuleError> {
        text.parse().map(|rule| Self::of(vec![rule], FamilyKind::Beginning))
    }
}
