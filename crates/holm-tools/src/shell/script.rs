//! A script as the list of its commands, read by a real Bash parser.
//!
//! Two questions are asked of a script, and they err on opposite sides. *May this pass unasked?*
//! needs certainty: only literal commands qualify, so anything unknown to the reader makes the
//! script [`ScriptComplexity::Involved`]. *Is something in it forbidden?* needs thoroughness: every
//! command is collected, wherever it hides. Words that are made at run time
//! are kept as [`ScriptWord::Made`].
//!
//! It judges nothing: `rules/allow.rs` and `rules/deny.rs` do. The parts of the reader are
//! `script/script_reader.rs` (statements), `script/word.rs` (words), `script/substitution.rs` and
//! `script/here_document.rs`.

mod here_document;
mod script_reader;
mod substitution;
mod word;

use std::sync::Arc;

use self::script_reader::parse;
use self::substitution::CommandSubstitutions;

/// The longest script. All of it must fit on the screen of the person who approves it, and the
/// kernel shows no more.
pub const MAX_SCRIPT: usize = 16_000;

/// A script that was parsed.
///
/// ```
/// use holm_tools::shell::{ScriptComplexity, ShellScript};
/// let script = ShellScript::read("git status && cargo test")?;
/// assert_eq!(script.form(), ScriptComplexity::Plain);
/// assert_eq!(script.commands().len(), 2);
/// assert_eq!(ShellScript::read("git status > ~/.bashrc")?.form(), ScriptComplexity::Involved);
/// # Ok::<(), holm_tools::shell::ScriptReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellScript {
    commands: Vec<ScriptCommand>,
    assignments: Vec<ShellAssignment>,
    /// Whether a value in it is expanded a second time, as by `${x@P}`.
    expands_values: bool,
    /// Whether output goes to a file.
    writes_files: bool,
    form: ScriptComplexity,
}

/// A variable that a script sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellAssignment {
    pub(super) name: String,
    pub(super) value: ScriptWord,
    /// Whether programs get it: it comes before a command, or is exported by the same statement.
    pub(super) is_exported: bool,
}

/// Whether a script consists of plainly written commands only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptComplexity {
    /// Only commands of plain words, joined by `;`, `&&`, `||`, `|` or line ends.
    Plain,
    /// Something that needs a person: redirections, expansions,
    /// assignments, substitutions, loops, functions.
    Involved,
}

/// One command: a program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptCommand {
    /// The program's name first.
    pub words: Vec<ScriptWord>,
    /// The text of the statement that feeds it, where its input may be written
    /// there: pipes and here-documents.
    pub(super) input: Option<Arc<str>>,
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptWord {
    /// A literal word, exactly as the program will see it, at most in quotes.
    Plain(String),
    /// Its value is known, although it is spelled differently.
    Known(String),
    /// It is made when the script runs.
    Made,
}

/// Why a script cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScriptReadError {
    /// It is longer than a person could be shown.
    #[error("the script is longer than {MAX_SCRIPT} bytes; write it to a file and run that")]
    TooLong,
    /// It is not valid Bash.
    #[error("the script is not valid Bash; check quotes and brackets")]
    Syntax,
    /// It holds a character that ends texts in C.
    #[error("the script contains a zero byte; remove it")]
    ZeroByte,
}

impl ShellScript {
    /// Parses a script into its commands.
    ///
    /// # Errors
    ///
    /// Where it is too long or no Bash; such a script passes no rule.
    pub fn read(text: &str) -> Result<Self, ScriptReadError> {
        if text.len() > MAX_SCRIPT {
            return Err(ScriptReadError::TooLong);
        }
        if text.contains('\0') {
            return Err(ScriptReadError::ZeroByte);
        }
        let mut script = parse(text, 0)?;
        // A shell takes these out before it reads, in other places than the parser does.
        if text.contains("\\\n") {
            let joined = parse(&text.replace("\\\n", ""), 0)?;
            script.commands.extend(joined.commands);
            script.assignments.extend(joined.assignments);
            script.expands_values |= joined.expands_values;
            script.writes_files |= joined.writes_files;
            script.form = ScriptComplexity::Involved;
        }
        if is_deceptive(text) {
            script.form = ScriptComplexity::Involved;
        }
        Ok(script)
    }

    /// A single command of these words, which no shell reads.
    #[must_use]
    pub fn of_words(words: &[String]) -> Self {
        let known = |word: &String| {
            if is_deceptive(word) || word.contains('\n') {
                ScriptWord::Known(word.clone())
            } else {
                ScriptWord::Plain(word.clone())
            }
        };
        let commands = if words.is_empty() {
            Vec::new()
        } else {
            vec![ScriptCommand { words: words.iter().map(known).collect(), input: None }]
        };
        Self {
            commands,
            assignments: Vec::new(),
            expands_values: false,
            writes_files: false,
            form: ScriptComplexity::Plain,
        }
    }

    /// Every command, also those in substitutions, functions and branches.
    #[must_use]
    pub fn commands(&self) -> &[ScriptCommand] {
        &self.commands
    }

    /// Every variable that is set, before a command or alone.
    pub(super) fn assignments(&self) -> &[ShellAssignment] {
        &self.assignments
    }

    /// Whether a value in it is expanded a second time.
    pub(super) fn expands_values(&self) -> bool {
        self.expands_values
    }

    /// Whether the shell itself writes output to a file.
    pub(super) fn writes_files(&self) -> bool {
        self.writes_files
    }

    /// The substitutions in a text that the shell expands, as scripts. Returns `None` if one of
    /// them has no clear end.
    pub(super) fn substitutions(text: &str) -> Option<Vec<String>> {
        match substitution::substitutions(text) {
            CommandSubstitutions::Scripts(scripts) => Some(scripts),
            CommandSubstitutions::Unclosed => None,
        }
    }

    /// How much of it is plain to see.
    #[must_use]
    pub fn form(&self) -> ScriptComplexity {
        self.form
    }
}

impl ScriptWord {
    /// The value that the program sees, if it is known.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Plain(text) | Self::Known(text) => Some(text),
            Self::Made => None,
        }
    }

    /// The word, if it is written exactly as the program sees it.
    pub(super) fn plain(&self) -> Option<&str> {
        match self {
            Self::Plain(text) => Some(text),
            Self::Known(_) | Self::Made => None,
        }
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Plain(one), Self::Plain(other)) => Self::Plain(one + &other),
            (Self::Plain(one) | Self::Known(one), Self::Plain(other) | Self::Known(other)) => {
                Self::Known(one + &other)
            }
            (Self::Made, _) | (_, Self::Made) => Self::Made,
        }
    }
}

/// Whether a text has characters that are displayed differently from what they are.
fn is_deceptive(text: &str) -> bool {
    holm_kernel::visible(text).len() != text.len()
}
