//! Translates Holm's errors into the errors of the protocol.

use agent_client_protocol::{Error, ErrorCode};
use holm::kernel::visible;

use crate::exit::{Exit, Trouble};

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
    let exit = error.downcast_ref::<Trouble>().map_or(Exit::Failed, |trouble| trouble.exit);
    let code: ErrorCode = match exit {
        Exit::Usage | Exit::Missing | Exit::NoAnswer => Error::invalid_params().code,
        Exit::Provider => Error::auth_required().code,
        Exit::Done | Exit::Failed | Exit::Limit | Exit::Cancelled => Error::internal_error().code,
    };
    Error::new(code, visible(&format!("{error:#}")))
}
