//! Kills a working agent at journal boundaries and at random instants, and checks with an
//! independent witness what really happened.
//!
//! The agent runs in a process of its own: this same program, started with the word `child`. It
//! makes 200 calls against the provider double, each of which appends a line to a file. It is
//! killed with SIGKILL, started again, and so on until it has finished. Then the file, which no
//! part of Holm has written, is compared with the journal. A call that succeeded has left its line
//! exactly once, a call that was interrupted is *unknown* and has left at most one, and no call is
//! missing.
//!
//!     cargo test -p holm --test kill                 every 13th boundary, 16 random instants
//!     HOLM_KILL_STRIDE=1 HOLM_RANDOM_KILLS=3800 cargo test -p holm --test kill
//!     cargo test -p holm --test kill -- SEED         the same with other random instants
//!
//! The program is its own harness because libtest cannot start itself as something else.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is its own harness, and its child reports by words"
)]

mod case;
mod child;
mod mortal;
mod oracle;
mod provider;

use std::{
    env,
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Instant, SystemTime},
};

use case::{Case, Tally};
use mortal::{Moment, When};

/// Kills at random instants unless `HOLM_RANDOM_KILLS` says otherwise; the boundaries come on top.
const RANDOM_KILLS: u64 = 16;

/// How far the boundaries lie apart unless `HOLM_KILL_STRIDE` says otherwise: 1 takes every one of
/// them. The seed says which is the first, so that other runs try others.
const STRIDE: u64 = 13;

/// How often one run is killed at random instants before it may finish.
const KILLS_PER_RUN: u64 = 4;

/// How often instants are drawn again in place of those that came too late. Nine of
/// ten are in time.
const DRAWS: u64 = 12;

/// As many as the machine has cores to spare: the instants are spread by the load, not
/// by the clock alone.
const WORKERS: usize = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == "child") {
        return child::main(arguments.get(1..).unwrap_or_default());
    }
    let seed = arguments.iter().find_map(|word| word.parse().ok()).unwrap_or_else(now);
    println!("seed {seed}");
    match sweep(seed) {
        Ok(tally) => {
            for fault in &tally.faults {
                println!("FAULT with seed {seed}: {fault}");
            }
            println!("{tally}");
            let Tally { kills, lost, doubled, .. } = tally;
            println!("RESULT crash.binary seed={seed} kills={kills} lost={lost} doubled={doubled}");
            if tally.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(why) => {
            println!("FAILED with seed {seed}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn sweep(seed: u64) -> Result<Tally, String> {
    let began = Instant::now();
    let clean = Case::new("clean", Vec::new()).play()?;
    if clean.kills != 0 || clean.unknown() != 0 || clean.told == 0 {
        return Err(format!("a run that nobody kills knows all its outcomes and tells of them: {clean}"));
    }
    let clean_micros = began.elapsed().as_micros().max(1);
    println!("clean: {} appends, {clean_micros} µs", clean.appends);
    let random = from_environment("HOLM_RANDOM_KILLS", RANDOM_KILLS)?;
    let stride = from_environment("HOLM_KILL_STRIDE", STRIDE)?.max(1);
    let boundaries = boundaries(clean.appends, stride, seed);
    let mut tally = play_all(&boundaries)?;
    let mut state = seed;
    // Some instants fall after the process has ended by itself; they are no kills, so others are drawn.
    for draw in 0..DRAWS {
        let missing = random.saturating_sub(tally.kills_at_random);
        if missing == 0 {
            break;
        }
        tally.add(play_all(&at_random(&mut state, draw, missing, clean_micros))?);
    }
    if tally.kills_at_random < random || tally.kills_at_boundaries < boundaries.len() as u64 {
        return Err(format!("too few kills hit a living process: {tally}"));
    }
    if tally.ran_unanswered == 0 || tally.never_ran == 0 {
        return Err(format!("both kinds of unknown must occur, or the sweep shows nothing: {tally}"));
    }
    Ok(tally)
}

fn from_environment(name: &str, otherwise: u64) -> Result<u64, String> {
    let Ok(text) = env::var(name) else { return Ok(otherwise) };
    text.parse().map_err(|_| format!("{name} is no number: {text}"))
}

/// Boundaries that lie so far apart, from both sides.
fn boundaries(appends: u64, stride: u64, seed: u64) -> Vec<Case> {
    let some = (1..=appends).filter(|nth| nth % stride == seed % stride);
    let sides = some.flat_map(|nth| [When::Before, When::After].map(|when| (nth, when)));
    sides
        .map(|(nth, when)| Case::new(format!("append {nth} {when:?}"), vec![Moment::Append { nth, when }]))
        .collect()
}

/// Runs that are killed so often in all, if every instant is in time.
fn at_random(state: &mut u64, draw: u64, kills: u64, clean_micros: u128) -> Vec<Case> {
    (0..kills.div_ceil(KILLS_PER_RUN))
        .map(|index| {
            let moments = (0..KILLS_PER_RUN).map(|_| random_moment(state, clean_micros)).collect();
            Case::new(format!("random {draw}.{index}"), moments)
        })
        .collect()
}

fn random_moment(state: &mut u64, clean_micros: u128) -> Moment {
    let within = u64::try_from(clean_micros / 2).unwrap_or(u64::MAX).max(1);
    Moment::After { micros: splitmix(state) % within }
}

/// `SplitMix64`, so that a printed seed is all that is needed to draw the same instants again.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

fn play_all(cases: &[Case]) -> Result<Tally, String> {
    let (next, outcome) = (AtomicUsize::new(0), Mutex::new(Ok(Tally::default())));
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let played = case.play().map_err(|why| format!("{}: {why}", case.name()));
                    let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
                    let Ok(tally) = outcome.as_mut() else { return };
                    match played {
                        Ok(more) => tally.add(more),
                        Err(why) => *outcome = Err(why),
                    }
                }
            });
        }
    });
    outcome.into_inner().unwrap_or_else(PoisonError::into_inner)
}
