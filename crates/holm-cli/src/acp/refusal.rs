//! Translates Holm's errors into the errors of the protocol.

use agent_client_protocol::{Error, ErrorCode};
use holm::kernel::visible;

use crate::exit::{CommandError, CommandExit};

/// The request cannot be what was meant.
pub(super) fn invalid(why: impl Into<String>) -> Error {
    Error::new(Error::invalid_params().code, visible(&why.into()))
}

/// It cannot be done here.
pub(super) fn failed(why: impl Into<String>) -> Error {
    Error::new(Error::internal_error().code, visible(&why.into()))
}

/// An error of the command. A key that is missing is the editor's cue to ask for one.
pub(super) fn refused(error: &anyhow::Error) -> Error {
    let exit = error.downcast_ref::<CommandError>().map_or(CommandExit::Failed, |trouble| trouble.exit);
    let code: ErrorCode = match exit {
        CommandExit::Usage | CommandExit::Missing | CommandExit::NoAnswer => Error::invalid_params().code,
        CommandExit::Provider => Error::auth_required().code,
        CommandExit::Done | CommandExit::Failed | CommandExit::Limit | CommandExit::Cancelled => {
            Error::internal_error().code
        }
    };
    Error::new(code, visible(&format!("{error:#}")))
}
