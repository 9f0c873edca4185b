//! The one thing that does grow with the history: copying the encoded messages into the request.
//!
//! It is measured apart from the loop, beside a bare copy of as many bytes, because no loop can avoid it and none
//! should cost more than it.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use holm_bench_kit::{System as _, median, script};
use serde::Serialize;

use crate::systems::System;

/// Samples of each copy.
const SAMPLES: usize = 31;

/// How long one sample lasts, so that short copies are not drowned by the clock.
const SAMPLE: Duration = Duration::from_millis(2);

/// How fast a body of one size is copied, in billions of bytes a second.
#[derive(Debug, Clone, Serialize)]
pub struct Copied {
    /// Turns of the run whose body this is.
    pub turns: u64,
    /// Bytes of the request.
    pub bytes: u64,
    /// Into a buffer that is kept from request to request.
    pub reused: f64,
    /// Into a new buffer.
    pub fresh: f64,
    /// A bare copy between two buffers that exist.
    pub bare: f64,
    /// Microseconds that the copy into a kept buffer takes.
    pub micros: f64,
}

/// Measures the copy at all numbers of turns.
pub fn all(turns: &[u64]) -> Vec<Copied> {
    turns.iter().map(|&turns| one(turns)).collect()
}

fn one(turns: u64) -> Copied {
    let mut session = System::Holm.prepare(turns);
    session.run();
    let body = session.body();
    let closing = format!(r#"],"tools":[{{"type":"function","parameters":{}}}]}}"#, script::SCHEMA);
    let bytes = body.len() + closing.len();
    let mut kept = Vec::with_capacity(bytes);
    let reused = seconds(|| {
        kept.clear();
        assemble(&mut kept, body, closing.as_bytes());
        black_box(kept.as_slice());
    });
    let fresh = seconds(|| {
        let mut request = Vec::with_capacity(bytes);
        assemble(&mut request, body, closing.as_bytes());
        black_box(request.as_slice());
    });
    let source = vec![7_u8; bytes];
    let mut target = vec![0_u8; bytes];
    let bare = seconds(|| {
        target.copy_from_slice(black_box(&source));
        black_box(target.as_slice());
    });
    let speed = |seconds: f64| bytes as f64 / seconds / 1e9;
    Copied {
        turns,
        bytes: bytes as u64,
        reused: speed(reused),
        fresh: speed(fresh),
        bare: speed(bare),
        micros: reused * 1e6,
    }
}

fn assemble(request: &mut Vec<u8>, body: &[u8], closing: &[u8]) {
    request.extend_from_slice(black_box(body));
    request.extend_from_slice(closing);
}

/// Seconds that `work` takes, the middle of several samples.
fn seconds(mut work: impl FnMut()) -> f64 {
    let mut samples = [0.0; SAMPLES];
    for sample in &mut samples {
        let begun = Instant::now();
        let mut times = 0_u32;
        while begun.elapsed() < SAMPLE {
            // The clock is read once in many copies, or it would be part of them.
            for _ in 0..16 {
                work();
            }
            times += 16;
        }
        *sample = begun.elapsed().as_secs_f64() / f64::from(times);
    }
    median(&mut samples)
}
