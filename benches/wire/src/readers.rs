//! Who reads the streams: Holm, what most programs use, and the least that any reader must do.

mod floor;
mod holm;
mod peer;

use bytes::Bytes;

use crate::streams::Stream;

/// A reader by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// Holm as a host uses it.
    Holm,
    /// Holm with every event parsed by serde: what its short cuts save.
    HolmSerde,
    /// The `eventsource-stream` crate and a struct of owned strings for each event.
    Peer,
    /// The next blank line by memchr, and a struct that borrows; no event names, no cut bytes, no tool calls.
    Floor,
}

impl Reader {
    /// All of them, in the report's order.
    pub const ALL: [Self; 4] = [Self::Holm, Self::HolmSerde, Self::Peer, Self::Floor];

    /// Its name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holm => "holm",
            Self::HolmSerde => "holm-serde",
            Self::Peer => "eventsource-stream",
            Self::Floor => "floor",
        }
    }

    /// The reader of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reader| reader.name() == name)
    }

    /// Whether it can read a stream.
    pub fn reads(self, stream: Stream) -> bool {
        match self {
            Self::Holm | Self::HolmSerde | Self::Peer => true,
            Self::Floor => matches!(
                stream,
                Stream::ChatRepeating | Stream::ChatIds | Stream::ChatChanging | Stream::ChatVaried
            ),
        }
    }

    /// Reads a whole stream, piece by piece.
    pub fn read(self, stream: Stream, pieces: &[Bytes]) -> Said {
        match self {
            Self::Holm => holm::read(stream, pieces),
            Self::HolmSerde => holm::read_by_serde(stream, pieces),
            Self::Peer => peer::read(stream, pieces),
            Self::Floor => floor::read(pieces),
        }
    }
}

/// What a reply said; every reader must find the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The text.
    pub text: String,
    /// The reasoning.
    pub thinking: String,
    /// The arguments of the call, if there was one.
    pub arguments: String,
}

#[cfg(test)]
mod tests;
