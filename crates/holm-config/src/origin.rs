//! Records where a value comes from: the layer, and the file with its line, the variable or the
//! flag. It decides nothing; `layers.rs` does. Every setting keeps its origin, because `holm
//! config` shows it.

use std::{fmt, path::PathBuf};

use holm_grants::escaped;

/// The source of a setting. Later layers win, within their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigLayer {
    /// The user's own file.
    User,
    /// The project's file, which a stranger may have written.
    Project,
    Environment,
    Flag,
    Policy,
}

impl ConfigLayer {
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
pub enum SettingOrigin {
    /// A line of a file.
    File {
        layer: ConfigLayer,
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// An environment variable, by its name.
    Variable(String),
    /// A flag, as the user types it.
    Flag(&'static str),
    /// What the user chose for the folder.
    FolderTrust,
}

impl SettingOrigin {
    #[must_use]
    pub const fn layer(&self) -> ConfigLayer {
        match self {
            Self::File { layer, .. } => *layer,
            Self::Variable(_) => ConfigLayer::Environment,
            Self::Flag(_) => ConfigLayer::Flag,
            Self::FolderTrust => ConfigLayer::User,
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line, .. } => write!(out, "{}:{line}", escaped(&path.to_string_lossy())),
            Self::Variable(name) => write!(out, "${}", escaped(name)),
            Self::Flag(flag) => out.write_str(flag),
            Self::FolderTrust => out.write_str("holm trust"),
        }
    }
}

/// A value with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingValue<T> {
    pub value: T,
    pub origin: SettingOrigin,
}

impl<T> SettingValue<T> {
    /// A value that a flag sets.
    pub const fn flag(flag: &'static str, value: T) -> Self {
        Self { value, origin: SettingOrigin::Flag(flag) }
    }
}
