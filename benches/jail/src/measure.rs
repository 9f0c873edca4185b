//! Times of one way, sorted.

use std::time::{Duration, Instant};

use crate::ways::{Starter, Way};

/// How many starts are measured.
const ROUNDS: usize = 80;
/// How many come before, so that the launcher runs and files are in memory.
const WARM_UP: usize = 5;

/// What one way costs from one size of process.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The way.
    pub way: Way,
    /// Whether the process was large.
    pub large: bool,
    /// The median.
    pub median: Duration,
    /// The quickest, which noise cannot touch.
    pub quickest: Duration,
    /// What one in twenty exceeds.
    pub slow: Duration,
}

/// Measures one way.
pub async fn measure(way: Way, large: bool) -> Result<Figure, String> {
    let starter = Starter::new(way)?;
    for _ in 0..WARM_UP {
        starter.start().await?;
    }
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        starter.start().await?;
        times.push(began.elapsed());
    }
    times.sort();
    let at = |part: usize| times.get(ROUNDS * part / 100).copied().unwrap_or_default();
    Ok(Figure { way, large, median: at(50), quickest: at(0), slow: at(95) })
}
