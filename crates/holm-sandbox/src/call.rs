//! The inputs of one call. A guest can use nothing else.
//!
//! It is a builder without effects: every power is added by name, and a new call has none. The
//! policy and its directories are in `files/access.rs`, the numbers in `limits.rs`; `state.rs`
//! turns a call into what the guest sees. Arguments, input and variables may hold secrets, so debug
//! output shows only their sizes.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::files::GuestAccess;
use crate::limits::GuestLimits;
use crate::net::OutboundNetwork;
use crate::nondeterminism::{GuestClock, GuestRandomness};
use crate::owner_shares::CallOwner;

/// One call of a guest, with only the inputs that were added by name.
///
/// ```
/// use holm_sandbox::{GuestAccess, GuestCall};
/// let call = GuestCall::new(GuestAccess::none()).arg("base64").arg("--decode").stdin("aGk=");
/// # let _ = call;
/// ```
#[derive(Clone)]
pub struct GuestCall {
    pub(crate) access: GuestAccess,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: Bytes,
    pub(crate) input: String,
    pub(crate) limits: GuestLimits,
    pub(crate) clock: GuestClock,
    pub(crate) randomness: GuestRandomness,
    pub(crate) outbound: Option<Arc<dyn OutboundNetwork>>,
    pub(crate) party: Option<CallOwner>,
}

impl GuestCall {
    /// A call with these grants, the default limits, and nothing else.
    #[must_use]
    pub fn new(access: GuestAccess) -> Self {
        Self {
            access,
            args: Vec::new(),
            env: Vec::new(),
            stdin: Bytes::new(),
            input: String::new(),
            limits: GuestLimits::default(),
            clock: GuestClock::default(),
            randomness: GuestRandomness::default(),
            outbound: None,
            party: None,
        }
    }

    /// Adds an argument of the command line. The first is the program's own name.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments of the command line.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Offers an environment variable. The guest sees it if an `env:` grant admits its name.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the guest's standard input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Bytes>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets the input text of a guest of the text world.
    #[must_use]
    pub fn input(mut self, text: impl Into<String>) -> Self {
        self.input = text.into();
        self
    }

    #[must_use]
    pub fn limits(mut self, limits: GuestLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets which time the guest sees.
    #[must_use]
    pub fn clock(mut self, clock: GuestClock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets which random numbers the guest sees.
    #[must_use]
    pub fn randomness(mut self, randomness: GuestRandomness) -> Self {
        self.randomness = randomness;
        self
    }

    /// Gives the guest access to the network, as far as its `fetch:` grants go.
    #[must_use]
    pub fn outbound(mut self, outbound: Arc<dyn OutboundNetwork>) -> Self {
        self.outbound = Some(outbound);
        self
    }

    /// Sets the party that the call counts for. However many calls a party has, the others
    /// still find a place.
    #[must_use]
    pub fn party(mut self, party: CallOwner) -> Self {
        self.party = Some(party);
        self
    }
}

/// Arguments, input and environment may hold secrets, so only their sizes are shown.
impl fmt::Debug for GuestCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuestCall")
            .field("policy", self.access.policy())
            .field("args", &self.args.len())
            .field("env", &self.env.len())
            .field("stdin", &self.stdin.len())
            .field("input", &self.input.len())
            .field("limits", &self.limits)
            .field("clock", &self.clock)
            .field("randomness", &self.randomness)
            .field("outbound", &self.outbound.is_some())
            .field("party", &self.party)
            .finish()
    }
}
