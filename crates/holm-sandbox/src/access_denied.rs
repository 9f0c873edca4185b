//! Records what a guest tried and was not allowed to do, so that the user can see it and grant it.
//!
//! It only records: files are decided in `files/guest_files.rs`, the network in `net.rs`, variables
//! in `state.rs`. Number and length of the entries are bounded, since a guest can be refused
//! without end. The text of a request is also the text of the smallest grant, so it must stay
//! parseable.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use holm_grants::AccessRequest;

/// One thing that was refused during a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessDenied {
    /// The action that the guest tried.
    pub wanted: DeniedAction,
    /// Why it did not get it.
    pub reason: DeniedReason,
}

/// An action that a guest tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeniedAction {
    /// Something that a grant could allow. The request's text is also the text
    /// of the smallest grant.
    Request(AccessRequest),
    /// To find out the addresses of a name.
    Lookup(String),
    /// To connect to an address without having asked for a name.
    Connect(SocketAddr),
    /// To wait for connections at an address. No grant allows this.
    Listen(SocketAddr),
    /// To make a symbolic link. No grant allows this.
    Link(String),
    /// To leave the directory that it was given, by `..`, an absolute path or an existing link.
    Outside(String),
    /// To open something that is neither a file nor a directory, or that the kernel makes up
    /// when it is read.
    Device(String),
    /// To send datagrams. No grant allows this.
    Datagrams,
}

/// The longest text of a guest's that is stored, in bytes: a name or a path that a user could
/// act on is shorter.
const MAX_TEXT: usize = 256;

impl DeniedAction {
    /// The same with the guest's text cut, so that the record stays small.
    fn shortened(self) -> Self {
        match self {
            Self::Lookup(text) => Self::Lookup(short(text)),
            Self::Link(text) => Self::Link(short(text)),
            Self::Outside(text) => Self::Outside(short(text)),
            Self::Device(text) => Self::Device(short(text)),
            // These were parsed, and their grammar has its own limits.
            Self::Request(_) | Self::Connect(_) | Self::Listen(_) | Self::Datagrams => self,
        }
    }
}

fn short(text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let end = text.floor_char_boundary(MAX_TEXT);
    // A new one, because a cut text keeps the memory that it had.
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// Why something was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeniedReason {
    /// No grant admits it; the grant with the request's own text would.
    Missing,
    /// A denial refuses it, even if a grant allows it.
    Denied(String),
    /// The call was given no way to the network.
    NoNetwork,
    /// The network's own rules refuse it, such as for a private address.
    Network(String),
    /// Nothing could allow it.
    Never,
}

impl fmt::Display for DeniedAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(request) => request.fmt(f),
            Self::Lookup(name) => write!(f, "fetch:tcp://{name}:*"),
            Self::Connect(address) => write!(f, "fetch:tcp://{address}"),
            Self::Listen(address) => write!(f, "listen at {address}"),
            Self::Link(path) => write!(f, "make the link {path}"),
            Self::Outside(path) => write!(f, "leave its directory for {path}"),
            Self::Device(path) => write!(f, "open the device {path}"),
            Self::Datagrams => f.write_str("send datagrams"),
        }
    }
}

impl fmt::Display for AccessDenied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = &self.wanted;
        match &self.reason {
            DeniedReason::Missing => write!(f, "missing grant {wanted}"),
            DeniedReason::Denied(denial) => write!(f, "{wanted} is denied by {denial}"),
            DeniedReason::NoNetwork => write!(f, "{wanted} is refused: the call has no network"),
            DeniedReason::Network(reason) => write!(f, "{wanted} is refused: {reason}"),
            DeniedReason::Never => write!(f, "refused to {wanted}"),
        }
    }
}

/// The refusals of one call, shared by everything that can refuse.
#[derive(Debug, Clone, Default)]
pub(crate) struct DenialLog(Arc<Mutex<DenialLogEntries>>);

/// The most different refusals that are recorded: enough to see a pattern, few enough that a guest
/// cannot fill memory with them.
const MAX_REFUSALS: usize = 64;

#[derive(Debug, Default)]
struct DenialLogEntries {
    refusals: Vec<AccessDenied>,
    unlisted: u64,
}

impl DenialLog {
    /// Writes one down; the same one only once.
    pub(crate) fn refuse(&self, wanted: DeniedAction, reason: DeniedReason) {
        let refusal = AccessDenied { wanted: wanted.shortened(), reason };
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if log.refusals.contains(&refusal) {
            return;
        }
        if log.refusals.len() < MAX_REFUSALS {
            log.refusals.push(refusal);
        } else {
            log.unlisted = log.unlisted.saturating_add(1);
        }
    }

    /// Everything so far, and how many did not fit.
    pub(crate) fn take(&self) -> (Vec<AccessDenied>, u64) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut log.refusals), std::mem::take(&mut log.unlisted))
    }
}

#[cfg(test)]
mod tests;
