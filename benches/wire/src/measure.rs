//! How long each reader takes for each stream, in rounds: the readers take turns in short slices, so that a disturbance of
//! the machine meets all of them.

use std::{
    collections::BTreeMap,
    hint::black_box,
    time::{Duration, Instant},
};

use bytes::Bytes;
use serde::Serialize;

use crate::{readers::Reader, streams::Stream};

/// How often every reader gets its slice.
const ROUNDS: usize = 7;

/// How long a slice lasts, one whole stream at least: seven rounds of 17 of them stay near ten seconds.
const SLICE: Duration = Duration::from_millis(80);

/// What was measured of one reader on one stream.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// The stream.
    pub stream: &'static str,
    /// The reader.
    pub reader: &'static str,
    /// Events of the stream.
    pub events: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Millions of bytes a second: the middle of all passes.
    #[serde(rename = "median_mb_s")]
    pub speed: f64,
    /// The same of the quickest pass, which is what a quiet machine would come near.
    #[serde(rename = "quickest_mb_s")]
    pub quickest: f64,
    /// Instructions for an event, where they could be counted.
    pub instructions: Option<f64>,
}

/// Measures all readers on all streams that they read.
pub fn all() -> Vec<Figure> {
    let streams = Stream::ALL.map(|stream| (stream, stream.pieces()));
    let mut samples: BTreeMap<(Stream, Reader), Vec<f64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for (stream, pieces) in &streams {
            for reader in Reader::ALL.into_iter().filter(|reader| reader.reads(*stream)) {
                slice(reader, *stream, pieces, samples.entry((*stream, reader)).or_default());
            }
        }
    }
    let figure = |((stream, reader), mut samples): ((Stream, Reader), Vec<f64>)| {
        let (_, pieces) = streams.iter().find(|(known, _)| *known == stream)?;
        let bytes = pieces.iter().map(Bytes::len).sum::<usize>() as u64;
        let speed = |seconds: f64| bytes as f64 / seconds / 1e6;
        Some(Figure {
            stream: stream.name(),
            reader: reader.name(),
            events: pieces.len() as u64,
            bytes,
            speed: speed(median(&mut samples)),
            quickest: speed(samples.first().copied().unwrap_or(f64::NAN)),
            instructions: None,
        })
    };
    samples.into_iter().filter_map(figure).collect()
}

/// Adds counted instructions (of whole streams) to the figures.
pub fn add_instructions(figures: &mut [Figure], counts: &BTreeMap<Vec<String>, u64>) {
    for figure in figures {
        let whole = counts.get(&vec![figure.reader.to_owned(), figure.stream.to_owned()]);
        figure.instructions = whole.map(|whole| *whole as f64 / figure.events as f64);
    }
}

/// The middle of some samples; the later of two. The samples are in order afterwards.
pub fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

fn slice(reader: Reader, stream: Stream, pieces: &[Bytes], samples: &mut Vec<f64>) {
    let slice = Instant::now();
    loop {
        let begun = Instant::now();
        black_box(reader.read(stream, black_box(pieces)));
        samples.push(begun.elapsed().as_secs_f64());
        if slice.elapsed() >= SLICE {
            return;
        }
    }
}
