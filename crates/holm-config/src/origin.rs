//! Records where a value comes from.

use std::{fmt, path::PathBuf};

use holm_grants::escaped;

/// The source of a setting. Later layers win, within their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The user's own file.
    User,
    /// The project's file, which a stranger may have written.
    Project,
    Environment,
    Flag,
    Policy,
}

impl Layer {
    /// The name of the layer.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::Flag => "flag",
            Self::Policy => "policy",
        }
    }
}

/// Where a value was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A line of a file.
    File {
        layer: Layer,
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// An environment variable, by its name.
    Variable(String),
    /// A flag, as it is typed.
    Flag(&'static str),
}

impl Origin {
    #[must_use]
    pub const fn layer(&self) -> Layer {
        match self {
            Self::File { layer, .. } => *layer,
            Self::Variable(_) => Layer::Environment,
            Self::Flag(_) => Layer::Flag,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line, .. } => write!(out, "{}:{line}", escaped(&path.to_string_lossy())),
            Self::Variable(name) => write!(out, "${}", escaped(name)),
            Self::Flag(flag) => out.write_str(flag),
        }
    }
}

/// A value with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Value<T> {
    /// A value that a flag sets.
    pub const fn flag(flag: &'static str, value: T) -> Self {
        Self { value, origin: Origin::Flag(flag) }
    }
}
