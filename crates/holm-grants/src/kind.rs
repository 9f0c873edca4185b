//! The kinds of grants, and the word in front of the colon for each.
//!
//! It splits `kind:value` and finds typing mistakes that all kinds share. What a value may be is
//! decided by the parser of its kind, in `path/`, `net/`, `name.rs`, `program.rs` or `secret.rs`. A
//! new kind is added here first; the exhaustive matches in `grant.rs`, `request.rs` and
//! `template/fill.rs` then do not compile until they handle it. Kinds of amounts are in
//! `allowance.rs`.

/// A kind of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GrantKind {
    Read,
    Write,
    Fetch,
    Env,
    Exec,
    /// Sending secrets to hosts.
    Secret,
    Spawn,
    Tool,
}

impl GrantKind {
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

    /// Checks a value before it is read as a pattern. A leading space is a typing mistake: no user
    /// means a file whose name begins with one.
    pub(crate) fn check_value(self, value: &str) -> Result<(), crate::GrantError> {
        if value.starts_with(char::is_whitespace) {
            return Err(crate::GrantError::Space { kind: self.as_str() });
        }
        self.check_named(value)
    }

    /// Checks that a name is present, for the kinds whose values are names.
    pub(crate) fn check_named(self, value: &str) -> Result<(), crate::GrantError> {
        let example = match self {
            Self::Exec => "exec:git",
            Self::Env => "env:LANG",
            Self::Spawn => "spawn:reviewer",
            Self::Tool => "tool:grep",
            // The parsers of these kinds report their own mistakes.
            Self::Read | Self::Write | Self::Fetch | Self::Secret => return Ok(()),
        };
        if value.is_empty() {
            return Err(crate::GrantError::NoName { kind: self.as_str(), example });
        }
        Ok(())
    }

    /// Splits the text `kind:value` at the colon.
    pub(crate) fn split(text: &str) -> Result<(Self, &str), crate::GrantError> {
        let (word, value) = text.split_once(':').ok_or(crate::GrantError::NoKind)?;
        match Self::ALL.into_iter().find(|kind| kind.as_str() == word) {
            Some(kind) => Ok((kind, value)),
            None if crate::AllowanceKind::parse(word).is_some() => {
                Err(crate::GrantError::Consumable { kind: word.into() })
            }
            None => Err(Self::ALL
                .into_iter()
                .find(|kind| kind.as_str().eq_ignore_ascii_case(word))
                .map_or(crate::GrantError::UnknownKind, |kind| crate::GrantError::Capitals {
                    kind: kind.as_str(),
                })),
        }
    }
}
