//! The modes that an editor lists: those that the policy of this machine allows, and no wider one.

use agent_client_protocol::{
    Error,
    v1::schema::{SessionMode, SessionModeId, SessionModeState},
};
use holm::grants::Mode;

use super::refusal::invalid;

/// The modes of a session that has this one now and may have no wider one than the most.
pub(super) fn state(now: Mode, most: Mode) -> SessionModeState {
    let offered = Mode::ALL.into_iter().filter(|mode| *mode <= most).map(offered).collect();
    SessionModeState::new(id(now), offered)
}

/// The mode of an id, if a session may have it.
pub(super) fn read(wanted: &SessionModeId, most: Mode) -> Result<Mode, Error> {
    let mode: Mode = wanted.0.parse().map_err(|error| invalid(format!("{error}")))?;
    if mode > most {
        return Err(invalid(format!("the policy of this machine allows at most mode {most}")));
    }
    Ok(mode)
}

/// How the protocol names a mode.
pub(super) fn id(mode: Mode) -> SessionModeId {
    SessionModeId::new(mode.as_str())
}

fn offered(mode: Mode) -> SessionMode {
    let (name, about) = match mode {
        Mode::Plan => ("Plan", "Reads, but changes nothing"),
        Mode::Default => ("Default", "Asks about every write and every command"),
        Mode::AcceptEdits => ("Accept edits", "Changes files without asking; asks about commands"),
        Mode::Full => ("Full", "Does not ask about anything that is granted"),
    };
    SessionMode::new(id(mode), name).description(about.to_owned())
}

#[cfg(test)]
mod tests;
