//! However the bytes of a stream are cut on their way, the turn is the same: every cut, every size of pieces, and cuts drawn by lot.
//!
//!     cargo test -p holm-models --test models splits
//!     HOLM_SPLITS=500000 cargo test --release -p holm-models --test models splits -- --nocapture

use holm_kernel::{Failure, Reply};
use holm_wire::{Format, ProviderCodec, StreamProgress};

use crate::{
    stage::{FORMATS, codec},
    streams::streams,
};

/// The default number of decodes. With it, long streams are split at some positions,
/// and not at each.
const DECODES: usize = 20_000;

/// The default number of single splits of one stream.
const CUTS: usize = 200;

/// The most cuts that are drawn for one decode.
const MOST_CUTS: u64 = 12;

/// What was decoded: the end, and every piece on the way.
type Turn = (Result<Reply, Failure>, Vec<String>);

#[test]
fn every_cut_of_every_stream_gives_the_same_turn() {
    let asked: Option<usize> = std::env::var("HOLM_SPLITS").ok().map(|text| text.parse().unwrap());
    let streams = streams(&FORMATS);
    let mut decodes = 0;
    for (format, stream) in &streams {
        let stride = if asked.is_some() { 1 } else { stream.len().div_ceil(CUTS).max(1) };
        decodes += every_cut(*format, stream, stride);
    }
    let mut lot = 1;
    for (format, stream) in streams.iter().cycle() {
        if decodes >= asked.unwrap_or(DECODES) {
            break;
        }
        decodes += by_lot(*format, stream, &mut lot);
    }
    println!(
        "RESULT wire.splits decodes={decodes} streams={} formats={} differences=0",
        streams.len(),
        FORMATS.len()
    );
}

/// One cut at each place, or at each of so many, and pieces of each of some sizes; how many decodes that were.
fn every_cut(format: Format, stream: &[u8], stride: usize) -> usize {
    let codec = codec(format);
    let whole = decode(codec.as_ref(), &[stream]);
    assert!(whole.0.is_ok(), "{format:?}: {whole:?}");
    for at in (0..=stream.len()).step_by(stride) {
        let (before, after) = stream.split_at(at);
        assert_eq!(decode(codec.as_ref(), &[before, after]), whole, "{format:?} cut at {at}");
    }
    let sizes = [1, 2, 3, 5, 7, 16, 61, 512];
    for size in sizes {
        let pieces: Vec<&[u8]> = stream.chunks(size).collect();
        assert_eq!(decode(codec.as_ref(), &pieces), whole, "{format:?} in pieces of {size}");
    }
    stream.len() / stride + 2 + sizes.len()
}

/// A hundred decodes with cuts that were drawn; how many that were.
fn by_lot(format: Format, stream: &[u8], lot: &mut u64) -> usize {
    const EACH: usize = 100;
    let codec = codec(format);
    let whole = decode(codec.as_ref(), &[stream]);
    for _ in 0..EACH {
        let mut places = vec![0, stream.len()];
        for _ in 0..2 + draw(lot, MOST_CUTS) {
            places.push(usize::try_from(draw(lot, stream.len() as u64 + 1)).unwrap());
        }
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect();
        assert_eq!(decode(codec.as_ref(), &pieces), whole, "{format:?} cut at {places:?}");
    }
    EACH + 1
}

fn decode(codec: &dyn ProviderCodec, pieces: &[&[u8]]) -> Turn {
    let mut decoder = codec.stream();
    let mut seen = Vec::new();
    for piece in pieces {
        if decoder.feed(piece, &mut |delta| seen.push(format!("{delta:?}"))) == StreamProgress::Ended {
            break;
        }
    }
    let result = decoder.finish(&mut |delta| seen.push(format!("{delta:?}")));
    (result, seen)
}

/// A number below a bound, the same in every run.
fn draw(lot: &mut u64, below: u64) -> u64 {
    *lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*lot >> 33) % below.max(1)
}
