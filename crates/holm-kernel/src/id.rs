//! Newtypes for every id and unit, so that the compiler catches a time used as a price.
//!
//! Ids come from counters of the run (`run/mod.rs`): the same inputs give the same ids on every
//! host, and no id is random. Arithmetic saturates, because no input may cause a panic. Names of
//! runs are texts of the host (`holm-runtime/src/journal/name.rs`); ids that providers need are
//! made in `protocol/id.rs`.

use core::fmt;

use holm_read::Read;
use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read,
        )]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Wraps a plain number.
            pub const fn new(value: u64) -> Self {
                Self(value)
            }

            pub const fn value(self) -> u64 {
                self.0
            }
        }

        impl holm_read::MapKey for $name {
            fn of(name: &str) -> Option<Self> {
                holm_read::MapKey::of(name).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(out, "{}", self.0)
            }
        }
    };
}

/// An id that is also a [`CallId`].
macro_rules! work_id {
    ($(#[$doc:meta])* $name:ident) => {
        number! { $(#[$doc])* $name }

        impl From<$name> for CallId {
            fn from(id: $name) -> Self {
                Self(id.0)
            }
        }

        impl PartialEq<$name> for CallId {
            fn eq(&self, id: &$name) -> bool {
                self.0 == id.0
            }
        }
    };
}

number! {
    /// The id of any work of the host, for what concerns all kinds of it: stopping it, billing it,
    /// tables of it. Each kind has an id type of its own, so that an answer cannot name work of
    /// another kind. All of them come from one counter: a number names one piece of work.
    ///
    /// ```compile_fail,E0308
    /// use holm_kernel::{Effect, Input, ToolOutput};
    ///
    /// fn answer(effect: Effect) -> Option<Input> {
    ///     let Effect::CallModel { call, .. } = effect else { return None };
    ///     // A tool's result for a model call does not compile.
    ///     Some(Input::ToolFinished { call, result: ToolOutput::text("done") })
    /// }
    /// ```
    CallId
}
work_id! {
    /// The id of one model call: a turn, a summary or an attempt at a skill.
    ModelCallId
}
work_id! {
    /// The id of one tool call, also if a child run carries it out. Providers have names of their
    /// own for calls ([`ToolCall::id`](crate::ToolCall)).
    ToolCallId
}
work_id! {
    /// The id of one question to people and hooks about a call ([`Proposal`](crate::Proposal)).
    QuestionId
}
work_id! {
    /// The id of one question to hooks about anything else ([`Consultation`](crate::Consultation)).
    ConsultationId
}
work_id! {
    /// The id of one check of a result ([`CheckRequest`](crate::CheckRequest)).
    CheckId
}
number! {
    /// The id of one message of a run; it counts from 0 and is never reused.
    MessageId
}
number! {
    /// The position of a record in its journal; record 0 is `Started`.
    Seq
}
number! {
    /// Milliseconds since an epoch that the host chooses; clamped to be monotonic within a run.
    Timestamp
}
number! {
    /// Money in billionths of a US dollar, so that sums are exact on every host.
    NanoUsd
}

impl Timestamp {
    /// This time plus a span of milliseconds, saturating.
    #[must_use]
    pub const fn plus(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds since `earlier`; zero if `earlier` is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl NanoUsd {
    pub const ZERO: Self = Self(0);

    /// The sum; it saturates at the maximum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// What is left after taking `other` away; zero if that would be negative.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// The id of an event: the record that caused it, and its position among that record's events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Read)]
pub struct EventId {
    /// The record whose handling emitted the event.
    pub record: Seq,
    /// 0 for the first event of that record.
    pub index: u64,
}
