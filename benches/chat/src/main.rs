//! Drives chats on a terminal with a provider on this machine, and reports what they cost: Holm's, and beside it those of codex
//! and opencode. Nothing here is a test: figures depend on the machine and are only printed.

mod contender;
mod frames;
#[path = "../../startup/src/keep.rs"]
mod keep;
mod metronome;
mod provider;
mod pty;
mod report;
#[path = "../../kit/src/request.rs"]
mod request;
mod shown;

use std::{
    env,
    path::PathBuf,
    process::exit,
    thread,
    time::{Duration, Instant},
};

use contender::Contender;
use metronome::Metronome;
use provider::{LAST_WORD, Provider};
use pty::Pty;
use report::Figure;

/// How long a stream lasts that frames are counted in.
const STREAM: Duration = Duration::from_secs(10);
/// How long nothing happens while rest is measured.
const REST: Duration = Duration::from_secs(10);
/// Starts whose first screens are timed, and the longest that they may take together.
const STARTS: usize = 20;
const MOST_STARTING: Duration = Duration::from_secs(90);
/// Turns after which memory is measured, unless `TURNS` says otherwise.
const TURNS: usize = 1_000;
/// Tokens of a turn's answer.
const ANSWER: usize = 60;

fn main() {
    let [holm, peers] = [named("HOLM_BIN"), named("HOLM_STARTUP_PEERS")];
    let turns = env::var("TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(TURNS);
    let (mut figures, mut not_driven) = (Vec::new(), Vec::new());
    for contender in Contender::all(&holm, &peers) {
        eprintln!("measuring {}", contender.name);
        match measured(&contender, turns) {
            Ok(figure) => figures.push(figure),
            Err(why) => not_driven.push((contender.name, why)),
        }
    }
    print!("{}", report::markdown(&figures, &not_driven));
    keep::keep("chat", &report::json(&figures));
    // A chat that loses what was said to it has no figures that count.
    if !figures.iter().any(|figure| figure.name == "holm" && figure.cut.is_none()) {
        exit(1);
    }
}

/// What the script beside this says.
fn named(name: &str) -> PathBuf {
    let Some(value) = env::var_os(name) else {
        eprintln!("{name} is not set; run scripts/bench chat");
        exit(2);
    };
    value.into()
}

fn measured(contender: &Contender, turns: usize) -> Result<Figure, String> {
    let mut figure = Figure { name: contender.name, ..Figure::default() };
    starts(contender, &mut figure)?;
    streams(contender, &mut figure)?;
    talks(contender, turns, &mut figure)?;
    Ok(figure)
}

/// From the start of the process to the first screen, and until something can be said.
fn starts(contender: &Contender, figure: &mut Figure) -> Result<(), String> {
    let provider = Provider::start(Duration::ZERO, 1);
    let (mut first, mut ready) = (Vec::new(), Vec::new());
    let all = Instant::now();
    // One more, first, so that the file is in memory.
    for round in 0..=STARTS {
        let began = Instant::now();
        let mut chat = Pty::chat(contender, &provider)?;
        chat.until(contender.first_word())?;
        let painted = began.elapsed();
        chat.until(contender.ready_word())?;
        if round > 0 {
            first.push(painted);
            ready.push(began.elapsed());
        }
        chat.leave();
        if all.elapsed() > MOST_STARTING && !first.is_empty() {
            break;
        }
    }
    first.sort();
    ready.sort();
    let middle = |times: &[Duration]| times.get(times.len() / 2).copied().unwrap_or_default();
    figure.first = (middle(&first), first.last().copied().unwrap_or_default());
    figure.ready = middle(&ready);
    Ok(())
}

/// Frames, bytes and processor time while 200 tokens a second stream in, and while nothing happens.
fn streams(contender: &Contender, figure: &mut Figure) -> Result<(), String> {
    let tokens = 200 * usize::try_from(STREAM.as_secs()).unwrap_or(10);
    let provider = Provider::start(Duration::from_millis(5), tokens);
    let mut chat = Pty::chat(contender, &provider)?;
    chat.until(contender.ready_word())?;
    chat.until_quiet();
    chat.forget();
    chat.says("go");
    chat.until("word")?;
    let (cpu, metronome) = (chat.cpu(), Metronome::start());
    let (began, bytes, frames) = (Instant::now(), chat.bytes(), chat.frames());
    // Somewhat less than all of it, so that the end is not measured.
    thread::sleep(STREAM.mul_f32(0.8));
    let took = began.elapsed().as_secs_f64();
    let (bytes, gaps, frames) = (chat.bytes() - bytes, chat.gaps(frames), chat.frames() - frames);
    let busy = (chat.cpu() - cpu).as_secs_f64() / took * 100.0;
    figure.timer = metronome.stop();
    figure.stream = (frames as f64 / took, bytes / frames.max(1), busy);
    let gap = |of: usize| gaps.get(gaps.len().saturating_sub(1) * of / 100).copied().unwrap_or_default();
    figure.gaps = [gap(50), gap(95), gap(100)];
    chat.until(LAST_WORD)?;
    thread::sleep(Duration::from_secs(2));
    let (began, cpu, bytes) = (Instant::now(), chat.cpu(), chat.bytes());
    thread::sleep(REST);
    let idle = (chat.cpu() - cpu).as_secs_f64() / began.elapsed().as_secs_f64() * 100.0;
    figure.rest = (idle, chat.bytes() - bytes);
    chat.leave();
    Ok(())
}

/// Memory after many turns in one session, and what a key draws then.
fn talks(contender: &Contender, turns: usize, figure: &mut Figure) -> Result<(), String> {
    let provider = Provider::start(Duration::ZERO, ANSWER);
    let mut chat = Pty::chat(contender, &provider)?;
    chat.until(contender.ready_word())?;
    chat.until_quiet();
    figure.memory = chat.memory();
    let (began, mut took) = (Instant::now(), Vec::new());
    while took.len() < turns && began.elapsed() < contender.longest_talk() {
        let before = provider.answered();
        chat.says(&format!("turn {}", took.len()));
        let said = Instant::now();
        if let Err(why) = provider.until_answered(before + 1) {
            // What stands on the screen says where the prompt went.
            figure.cut = Some(format!("{why}; {}", chat.shown()));
            break;
        }
        // A screen of the same words may have nothing new to write, so what is waited for is that nothing moves any more.
        thread::sleep(Duration::from_millis(20));
        chat.until_quiet();
        // Only until the last of it was there: the wait that finds it out is not the program's.
        took.push(chat.last().saturating_duration_since(said));
    }
    figure.turns = (took.len(), chat.memory());
    let part = took.len().div_ceil(10);
    figure.turn.0 = mean(&took);
    figure.growth = (mean(&took[..part]), mean(&took[took.len() - part..]));
    let bytes = chat.bytes();
    chat.types("x");
    thread::sleep(Duration::from_millis(200));
    chat.until_quiet();
    figure.turn.1 = chat.bytes() - bytes;
    chat.leave();
    Ok(())
}

fn mean(times: &[Duration]) -> Duration {
    times.iter().sum::<Duration>() / u32::try_from(times.len().max(1)).unwrap_or(u32::MAX)
}
