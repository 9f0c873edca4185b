//! The kinds of power, and the word in front of the colon for each.

/// A kind of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Reading files.
    Read,
    /// Writing files.
    Write,
    /// Connecting to hosts.
    Fetch,
    /// Seeing environment variables.
    Env,
    /// Running programs.
    Exec,
    /// Sending secrets to hosts.
    Secret,
    /// Starting agents.
    Spawn,
    /// Calling tools.
    Tool,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] =
        [Self::Read, Self::Write, Self::Fetch, Self::Env, Self::Exec, Self::Secret, Self::Spawn, Self::Tool];

    /// The word in front of the colon.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Fetch => "fetch",
            Self::Env => "env",
            Self::Exec => "exec",
            Self::Secret => "secret",
            Self::Spawn => "spawn",
            Self::Tool => "tool",
        }
    }

    /// Splits `kind:value`.
    pub(crate) fn split(text: &str) -> Result<(Self, &str), crate::GrantError> {
        let (word, value) = text.split_once(':').ok_or(crate::GrantError::NoKind)?;
        match Self::ALL.into_iter().find(|kind| kind.as_str() == word) {
            Some(kind) => Ok((kind, value)),
            None if crate::AllowanceKind::parse(word).is_some() => {
                Err(crate::GrantError::Consumable { kind: word.into() })
            }
            None => Err(crate::GrantError::UnknownKind),
        }
    }
}
