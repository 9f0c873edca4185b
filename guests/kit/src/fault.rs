//! The errors of a guest.

use std::fmt;

/// Why a call failed. The text is for the model, so it says what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestError {
    /// The arguments do not fit the tool.
    Usage(String),
    Failed(String),
    /// The work ended with a status of its own and has already written its message.
    Status(u8),
}

impl GuestError {
    /// A failure of the work itself.
    #[must_use]
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// A failure of the system, with the operation and its object.
    #[must_use]
    pub fn io(verb: &str, path: &str, error: &std::io::Error) -> Self {
        Self::Failed(format!("could not {verb} {path}: {}", reason(error)))
    }

    /// The status that a process ends with.
    #[must_use]
    pub const fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
            Self::Status(status) => *status,
        }
    }
}

/// The error in words that help; the system's own message has a number and no advice.
fn reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "this tool was not granted that".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is no folder".to_owned(),
        ErrorKind::AlreadyExists => "it exists already".to_owned(),
        ErrorKind::DirectoryNotEmpty => "the folder is not empty".to_owned(),
        _ => error.to_string(),
    }
}

impl fmt::Display for GuestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Failed(text) => f.write_str(text),
            Self::Status(status) => write!(f, "ended with status {status}"),
        }
    }
}

impl std::error::Error for GuestError {}
