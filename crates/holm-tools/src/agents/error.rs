//! Errors in an agent's file, each with its line and what to do. Errors that appear only beside
//! other agents, such as a cycle, are in `agent_set.rs`. `front_matter.rs` uses these errors too.

/// An agent's file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct AgentFileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong on that line.
    pub problem: AgentFileErrorKind,
}

/// What is wrong with an agent's file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentFileErrorKind {
    /// It has no head.
    #[error(
        "the front matter is missing; begin the file with a line `---`, its name and description, and \
        another `---`"
    )]
    NoHead,
    /// The head does not end.
    #[error("the front matter is not closed; end it with a line `---`")]
    Unclosed,
    /// The head is too long.
    #[error("the front matter has more than {most} lines; move long text below it")]
    TooLong {
        /// How many it may have.
        most: usize,
    },
    /// The file is too large.
    #[error("the file is larger than {most} bytes; a system prompt of that size leaves no room for work")]
    TooLarge {
        /// How large it may be.
        most: usize,
    },
    /// A line has no key.
    #[error("expected `key: value`")]
    NoKey,
    /// A line in a list is not an item.
    #[error("expected `- item`, as in the lines before")]
    NoItem,
    /// A list does not end.
    #[error("the list is not closed on its line; end it with ]")]
    OpenList,
    /// A text in quotes does not end, or something follows it.
    #[error("the quotes do not match; close them, or write \\\" inside them")]
    OpenQuote,
    /// A text begins with a sign that means something elsewhere.
    #[error("put this text in quotes")]
    NotPlain,
    /// A key occurs twice.
    #[error("`{key}` is set twice; keep one")]
    Twice { key: String },
    /// A key is missing.
    #[error("`{key}` is missing")]
    Missing { key: &'static str },
    /// A key is missing, and the file has a similar one.
    #[error("unknown key `{wrote}`, and `{key}` is missing; did you mean `{key}`?")]
    Misspelt { wrote: String, key: &'static str },
    /// A value is not what its key needs.
    #[error("`{key}` must be {expected}")]
    BadValue { key: String, expected: &'static str },
    /// A limit is unknown. A key that was meant to limit an agent must not be ignored.
    #[error("unknown limit `{key}`; use {known}")]
    UnknownLimit { key: String, known: &'static str },
    /// A grant cannot be parsed.
    #[error("`{grant}` is not a valid grant: {reason}")]
    BadGrant { grant: String, reason: String },
}

impl AgentFileErrorKind {
    pub(crate) fn at(self, line: usize) -> AgentFileError {
        AgentFileError { line, problem: self }
    }
}
