//! One rule: the beginning of a command, its text form, and which words it covers as an allow rule.
//! How a deny rule matches is in `deny.rs`; what the inner command of a wrapper may be is in
//! `allow.rs`. A rule that cannot be written down and read back is never suggested.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::programs;
use crate::shell::script::{ScriptComplexity, ScriptWord, ShellScript};

/// The longest rule in bytes: a person reads it at a glance.
const MAX_RULE: usize = 512;

/// The beginning of a command, written as it is typed.
///
/// An allow rule covers a command that begins with the same words and has exactly the options that
/// the rule names: `ls -l` covers `ls -l src`, and neither `ls -R` nor `ls src`, because an option
/// such as `--dry-run` may be what makes a command harmless. Options that only change what
/// `git status`, `diff`, `log` and `show` print need no name: `git log` covers `git log --oneline`.
/// More words may follow, and an option may have any value, only if
/// the program takes nothing but texts and files, as `ls` and `git log` do: `npm test` covers
/// exactly that command. A star at the end accepts all further words: `cargo test *`. For a
/// program that runs others, a rule covers what another rule covers: `timeout *` and `git status`
/// together cover `timeout 5 git status`. Builtins that evaluate their words, such as `read` and
/// `printf -v`, are never covered.
///
/// A deny rule matches a command of that program whose subcommand comes next, with any
/// options in between: `git push` also matches `git -C elsewhere push`. Options that the rule
/// names must be present.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CommandRule {
    pub(super) words: Vec<String>,
    /// As they were written, each with its value if it has one behind `=`.
    pub(super) options: BTreeSet<String>,
    pub(super) rest: TrailingWords,
}

/// The words that may follow those of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrailingWords {
    /// Plain words, and the options that the rule names.
    Listed,
    Any,
}

/// A text is not a valid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a valid rule: {why}; write the beginning of one command in plain words, such as \
     git status or cargo test *"
)]
pub struct CommandRuleError {
    text: String,
    why: &'static str,
}

impl CommandRule {
    /// The rule that "this prefix" would remember for a script of one plain command. Returns `None`
    /// if no beginning is safe to remember. A beginning is safe only for programs that do what
    /// their name says and run nothing from the workspace.
    ///
    /// ```
    /// use holm_tools::shell::{CommandRule, ShellScript};
    /// let suggest = |text: &str| {
    ///     CommandRule::suggest(&ShellScript::read(text).unwrap()).map(|rule| rule.to_string())
    /// };
    /// assert_eq!(suggest("git status --short src").as_deref(), Some("git status"));
    /// assert_eq!(suggest("ls -l src").as_deref(), Some("ls *"));
    /// assert_eq!(suggest("python3 -c 'print(1)'"), None);
    /// ```
    #[must_use]
    pub fn suggest(script: &ShellScript) -> Option<Self> {
        let ([command], ScriptComplexity::Plain) = (script.commands(), script.form()) else { return None };
        let words: Vec<&str> = command.words.iter().map(ScriptWord::plain).collect::<Option<_>>()?;
        let length = programs::prefix_length(&words)?;
        let (words, rest) = words.split_at_checked(length)?;
        let takes_all = programs::is_safe_with_all_options(words);
        let options = rest.iter().filter(|word| is_option(word) && !takes_all).map(|word| option_name(word));
        let options = options.filter(|name| !programs::only_changes_display(words, name));
        let options = options.map(str::to_owned).collect();
        let rule = Self {
            words: words.iter().map(ToString::to_string).collect(),
            options,
            rest: if takes_all { TrailingWords::Any } else { TrailingWords::Listed },
        };
        // Only what can be written down and read back is remembered.
        (rule.to_string().parse().as_ref() == Ok(&rule)).then_some(rule)
    }

    /// Whether its text is read as the same words again: it is stored and shown without quotes.
    fn is_written_plainly(&self) -> bool {
        let words = self.words.iter().chain(&self.options).map(|word| ScriptWord::Plain(word.clone()));
        let read = ShellScript::read(&self.beginning());
        read.is_ok_and(|script| match script.commands() {
            [command] => command.words.iter().eq(&words.collect::<Vec<_>>()),
            _ => false,
        })
    }

    /// The beginning of the covered commands, as it is typed.
    #[must_use]
    pub fn beginning(&self) -> String {
        let words: Vec<&str> = self.words.iter().chain(&self.options).map(String::as_str).collect();
        words.join(" ")
    }

    /// What this allow rule covers, in words. Only commands of plain words are covered, so that none
    /// does more than it shows.
    ///
    /// ```
    /// use holm_tools::shell::CommandRule;
    /// let scope = |text: &str| text.parse::<CommandRule>().unwrap().scope();
    /// assert_eq!(scope("ls *"), "every plain command that starts with ls");
    /// assert_eq!(scope("git log"), "git log with any names and display options");
    /// assert_eq!(scope("git branch -a"), "git branch -a with any names, and no other options");
    /// assert_eq!(scope("npm test"), "exactly npm test");
    /// ```
    #[must_use]
    pub fn scope(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let beginning = self.beginning();
        match (self.rest, self.options.is_empty()) {
            (TrailingWords::Any, _) => format!("every plain command that starts with {beginning}"),
            (TrailingWords::Listed, _) if !programs::takes_texts(&words) => format!("exactly {beginning}"),
            (TrailingWords::Listed, true) if programs::has_display_options(&words) => {
                format!("{beginning} with any names and display options")
            }
            (TrailingWords::Listed, false) if programs::has_display_options(&words) => {
                format!("{beginning} with any names and further display options")
            }
            (TrailingWords::Listed, true) => format!("{beginning} with any names, and no options"),
            (TrailingWords::Listed, false) => format!("{beginning} with any names, and no other options"),
        }
    }

    /// Whether commands that this allow rule covers may run code of the workspace, which
    /// a model can change.
    #[must_use]
    pub fn may_run_workspace(&self) -> bool {
        programs::may_run_workspace(&self.words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Whether an allow rule covers these words. The inner commands of a program that runs
    /// others are checked separately.
    pub(super) fn covers(&self, words: &[&str]) -> bool {
        let Some((first, rest)) = words.split_at_checked(self.words.len()) else { return false };
        if first != self.words || programs::evaluates(words) {
            return false;
        }
        let takes_texts = programs::takes_texts(first) || matches!(words, ["command", "-v" | "-V", _]);
        let is_named =
            |word: &str, option: &str| word == option || (takes_texts && option_name(word) == option);
        let listed = |word: &&str| {
            if is_option(word) {
                let is_one = self.options.iter().any(|option| is_named(word, option));
                is_one || programs::only_changes_display(first, option_name(word))
            } else {
                takes_texts
            }
        };
        let has_all = self.options.iter().all(|option| rest.iter().any(|word| is_named(word, option)));
        has_all && (self.rest == TrailingWords::Any || rest.iter().all(listed))
    }

    /// Whether this allow rule covers a single command and nothing more.
    ///
    /// ```
    /// use holm_tools::shell::CommandRule;
    /// let is_exact = |text: &str| text.parse::<CommandRule>().unwrap().is_exact();
    /// assert!(is_exact("npm test") && is_exact("cargo build --release"));
    /// assert!(!is_exact("cargo test *") && !is_exact("ls -l") && !is_exact("git status"));
    /// ```
    #[must_use]
    pub fn is_exact(&self) -> bool {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let takes_texts = programs::takes_texts(&words) || words == ["command"];
        self.rest == TrailingWords::Listed && !takes_texts
    }
}

/// Whether a word is more than a plain one: an option, the end of options, or a
/// setting such as `SHELL=/bin/x`.
fn is_option(word: &str) -> bool {
    word.starts_with('-') || word.starts_with('+') || word.starts_with('@') || word.contains('=')
}

/// An option without its value.
pub(super) fn option_name(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

impl FromStr for CommandRule {
    type Err = CommandRuleError;

    fn from_str(text: &str) -> Result<Self, CommandRuleError> {
        let error = |why| CommandRuleError { text: text.chars().take(80).collect(), why };
        let (body, rest) = match text.strip_suffix(" *") {
            Some(body) => (body, TrailingWords::Any),
            None => (text, TrailingWords::Listed),
        };
        if text.len() > MAX_RULE {
            return Err(error("it is too long"));
        }
        let not_one = "it is not one command";
        let script = ShellScript::read(body).map_err(|_| error(not_one))?;
        let ([command], ScriptComplexity::Plain) = (script.commands(), script.form()) else {
            return Err(error(not_one));
        };
        let (mut words, mut options) = (Vec::new(), BTreeSet::new());
        for word in &command.words {
            let ScriptWord::Plain(word) = word else {
                return Err(error("it contains a variable, a pattern or a substitution"));
            };
            if is_option(word) {
                options.insert(word.to_owned());
            } else if !options.is_empty() {
                return Err(error("a word follows an option"));
            } else if word.is_empty() || word.contains(char::is_whitespace) {
                return Err(error("a word is empty or contains a blank"));
            } else {
                words.push(word.clone());
            }
        }
        if words.is_empty() {
            return Err(error("it names no program"));
        }
        let rule = Self { words, options, rest };
        if rule.is_written_plainly() { Ok(rule) } else { Err(error("a word needs quotes")) }
    }
}

impl fmt::Display for CommandRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.beginning())?;
        match self.rest {
            TrailingWords::Listed => Ok(()),
            TrailingWords::Any => f.write_str(" *"),
        }
    }
}

impl TryFrom<String> for CommandRule {
    type Error = CommandRuleError;

    fn try_from(text: String) -> Result<Self, CommandRuleError> {
        text.parse()
    }
}

impl From<CommandRule> for String {
    fn from(rule: CommandRule) -> Self {
        rule.to_string()
    }
}
