//! What the wire is meant to reach, beside what it reached. A missed aim is shown, never an error.

use serde::Serialize;

use crate::{encode::Encoded, measure::Figure, readers::Reader, report::number, streams::Stream};

/// How much faster than the peer where consecutive events are alike.
const REPEATING: f64 = 10.0;
/// How much faster than the peer otherwise.
const OTHERWISE: f64 = 2.5;
/// How much more writing a turn's messages may take at the last turn than at the first: ours is the same, but an allocator
/// that holds more takes a little longer.
const GROWTH: f64 = 1.25;

/// One aim and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aim {
    /// What is aimed at.
    pub aim: String,
    /// What was measured.
    pub measured: String,
    /// Whether that is enough; none when it was not measured.
    pub met: Option<bool>,
}

/// Compares the figures with the aims.
pub fn judge(figures: &[Figure], encoded: &[Encoded]) -> Vec<Aim> {
    let mut aims = Vec::new();
    for stream in Stream::ALL {
        aims.extend(faster(figures, stream, Reader::Holm, least(stream)));
    }
    for one in encoded {
        let Some(first) = encoded.iter().find(|first| first.format == one.format && first.turn < one.turn)
        else {
            continue;
        };
        let measured = ratio(one.new_instructions, first.new_instructions);
        aims.push(Aim {
            aim: format!(
                "{}: instructions to write a turn at {}, by those at {} ≤ {}",
                one.format,
                one.turn,
                first.turn,
                number(GROWTH)
            ),
            measured: measured.map_or_else(|| "not measured".into(), number),
            met: measured.map(|measured| measured <= GROWTH),
        });
    }
    aims
}

/// The figure of one reader on one stream.
pub fn find<'f>(figures: &'f [Figure], stream: &str, reader: Reader) -> Option<&'f Figure> {
    figures.iter().find(|figure| figure.stream == stream && figure.reader == reader.name())
}

fn least(stream: Stream) -> f64 {
    match stream {
        Stream::ChatRepeating | Stream::ChatIds | Stream::Anthropic | Stream::Responses => REPEATING,
        Stream::ChatChanging | Stream::ChatVaried => OTHERWISE,
    }
}

/// By time and by instructions, which a busy machine does not change.
fn faster(figures: &[Figure], stream: Stream, reader: Reader, least: f64) -> Option<Aim> {
    let holm = find(figures, stream.name(), reader)?;
    let peer = find(figures, stream.name(), Reader::Peer)?;
    // The quickest passes: a disturbance can only make a pass slower, and it meets some readers more than others.
    let by_time = holm.quickest / peer.quickest;
    let by_instructions = ratio(peer.instructions, holm.instructions);
    let counted =
        by_instructions.map_or_else(String::new, |times| format!(" ({}× fewer instructions)", number(times)));
    Some(Aim {
        aim: format!(
            "{}: {} faster than {} ≥ {}×",
            stream.name(),
            reader.name(),
            Reader::Peer.name(),
            number(least)
        ),
        measured: format!("{}×{counted}", number(by_time)),
        met: Some(by_time >= least),
    })
}

fn ratio(over: Option<f64>, under: Option<f64>) -> Option<f64> {
    Some(over? / under?)
}

#[cfg(test)]
pub(crate) mod tests;
