//! Drives `holm chat` on a terminal with a provider on this machine, and reports what it costs. Nothing here is a test:
//! figures depend on the machine and are only printed.
//!
//! `HOLM` names the binary; without it the release binary is built first. `TURNS` is how many turns the memory is measured
//! after (1,000 unless said).

mod provider;
mod pty;

use std::{
    env,
    path::PathBuf,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use provider::Provider;
use pty::Pty;

/// How long a stream lasts that frames are counted in.
const STREAM: Duration = Duration::from_secs(10);
/// How long nothing happens while rest is measured.
const REST: Duration = Duration::from_secs(10);
/// Starts whose first screens are timed.
const STARTS: usize = 20;

fn main() {
    let holm = binary();
    println!("binary: {}", holm.display());
    first_paint(&holm);
    streaming(&holm);
    memory(&holm);
}

/// The binary to measure.
fn binary() -> PathBuf {
    if let Some(path) = env::var_os("HOLM") {
        return PathBuf::from(path);
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built =
        Command::new("cargo").args(["build", "--release", "-p", "holm-cli"]).current_dir(&root).status();
    assert!(built.is_ok_and(|status| status.success()), "holm could not be built");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    target.join("release/holm")
}

/// From the start of the process to a screen that can be typed on.
fn first_paint(holm: &PathBuf) {
    let provider = Provider::start(Duration::ZERO, 1);
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let mut chat = Pty::chat(holm, &provider);
        chat.until(|seen| seen.contains("/help"));
        times.push(began.elapsed());
        chat.leave();
    }
    times.sort();
    println!(
        "first screen: {} ms in the middle, {} ms at worst of {STARTS}",
        times[STARTS / 2].as_millis(),
        times[STARTS - 1].as_millis()
    );
}

/// Frames, bytes and processor time while 200 tokens a second stream in, and while nothing happens.
fn streaming(holm: &PathBuf) {
    let tokens = 200 * usize::try_from(STREAM.as_secs()).unwrap_or(10);
    let provider = Provider::start(Duration::from_millis(5), tokens);
    let mut chat = Pty::chat(holm, &provider);
    chat.until(|seen| seen.contains("done."));
    chat.types("go\r");
    chat.until(|seen| seen.contains("word"));
    let (began, cpu, bytes, frames) = (Instant::now(), chat.cpu(), chat.bytes(), chat.frames());
    // Somewhat less than all of it, so that the end is not measured.
    thread::sleep(STREAM.mul_f32(0.8));
    let (took, cpu) = (began.elapsed(), chat.cpu() - cpu);
    let (bytes, frames) = (chat.bytes() - bytes, chat.frames() - frames);
    println!(
        "200 tokens a second: {:.1} frames a second, {} bytes a frame, {:.1} % of a processor",
        frames as f64 / took.as_secs_f64(),
        bytes / frames.max(1),
        cpu.as_secs_f64() / took.as_secs_f64() * 100.0
    );
    chat.until(|seen| seen.contains("end."));
    thread::sleep(Duration::from_secs(2));
    let (cpu, bytes) = (chat.cpu(), chat.bytes());
    thread::sleep(REST);
    println!(
        "at rest for {} s: {} ms of a processor, {} bytes drawn",
        REST.as_secs(),
        (chat.cpu() - cpu).as_millis(),
        chat.bytes() - bytes
    );
    chat.leave();
}

/// Memory after many turns in one session.
fn memory(holm: &PathBuf) {
    let turns: usize = env::var("TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(1_000);
    let provider = Provider::start(Duration::ZERO, 60);
    let mut chat = Pty::chat(holm, &provider);
    chat.until(|seen| seen.contains("done."));
    println!("memory at the start: {} MiB", chat.resident() >> 20);
    let began = Instant::now();
    for turn in 1..=turns {
        chat.types(&format!("turn {turn}\r"));
        provider.until_answered(turn);
        // The run stands still when its line of state says nothing any more.
        chat.until_quiet();
    }
    println!(
        "memory after {turns} turns: {} MiB, {:.1} ms a turn",
        chat.resident() >> 20,
        began.elapsed().as_secs_f64() * 1_000.0 / turns as f64
    );
    let bytes = chat.bytes();
    chat.types("x");
    chat.until_quiet();
    println!("a key after {turns} turns: {} bytes drawn", chat.bytes() - bytes);
    chat.leave();
}
