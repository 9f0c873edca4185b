//! Puts load on `holm serve` and reports what it costs: many sessions that are watched, some of which stream, each piece timed
//! from the provider to the watcher; then the server is killed in the middle, started again, and every session must go on.
//!
//! `LOAD_SESSIONS` (10,000), `LOAD_STREAMS` (1,000), `LOAD_RATE` (20 pieces a second), `LOAD_SECONDS` (20) and `LOAD_USERS` (20)
//! say how much. It fails if a piece is lost, a session does not go on, or the server needs more than 1 GiB.

mod files;
mod house;
mod http;
mod provider;
mod tally;
mod watcher;

use std::{
    env,
    sync::Arc,
    time::{Duration, Instant},
};

use house::House;
use provider::Provider;
use tally::Tally;
use watcher::Watcher;

/// The most that the server may hold in memory: what the aim is.
const MOST_BYTES: u64 = 1 << 30;
/// How long the slowest step may take before the benchmark gives up.
const PATIENCE: Duration = Duration::from_secs(1_800);
/// Requests that are under way at once while sessions are made.
const AT_ONCE: usize = 16;

/// How much load.
#[derive(Debug, Clone, Copy)]
struct Size {
    sessions: usize,
    streams: usize,
    rate: u32,
    seconds: u32,
    users: usize,
}

impl Size {
    fn from_environment() -> Self {
        let number = |name: &str, usual: usize| {
            env::var(name)
                .map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
        };
        let sessions = number("LOAD_SESSIONS", 10_000).max(1);
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).max(1);
        Self {
            sessions,
            streams: number("LOAD_STREAMS", 1_000).clamp(1, sessions),
            rate: small(number("LOAD_RATE", 20)),
            seconds: small(number("LOAD_SECONDS", 20)),
            users: number("LOAD_USERS", 20).max(1),
        }
    }

    /// Pieces of one reply.
    fn pieces(self) -> u32 {
        self.rate * self.seconds
    }
}

/// A session and who it belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Seat {
    pub(crate) session: String,
    pub(crate) token: Arc<str>,
}

fn main() {
    let size = Size::from_environment();
    // The watchers, the connections to the provider at both ends, and what else there is.
    files::raise(u64::try_from(size.sessions + 2 * size.streams + 1_000).unwrap_or(u64::MAX));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(run(size));
}

async fn run(size: Size) {
    println!("{size:?}");
    let provider = Provider::start(size.rate, size.pieces()).await;
    let mut house = House::start(&provider.base()).await;
    let base = house.resident();
    let tokens = house.tokens(size.users).await;
    let seats: Vec<Seat> = (0..size.sessions)
        .map(|number| Seat {
            session: format!("load-{number}"),
            token: Arc::clone(&tokens[number % tokens.len()]),
        })
        .collect();
    let began = Instant::now();
    house.make(&seats, AT_ONCE).await;
    println!("made {} sessions in {} s", seats.len(), began.elapsed().as_secs());
    let tally = Arc::new(Tally::new(size.pieces()));
    for seat in &seats {
        tokio::spawn(Watcher::new(house.address(), seat.clone(), Arc::clone(&tally)).watch());
    }
    until("all watchers are connected", || tally.connected() == size.sessions).await;
    let connected = house.resident();
    let each = connected.saturating_sub(base) / u64::try_from(size.sessions).unwrap_or(1).max(1);
    println!(
        "memory: {} MiB at the start, {} MiB connected, {} KiB a session",
        base >> 20,
        connected >> 20,
        each >> 10
    );

    // Those that stream are spread over all users.
    let streaming = &seats[..size.streams];
    house.prompt(streaming, AT_ONCE).await;
    until("all replies have come", || tally.ended() == size.streams).await;
    let (peak, (p50, p99)) = (house.peak(), tally.latency());
    println!("streamed: {} pieces, {} lost", tally.pieces(), tally.lost());
    println!("added latency: p50 {} ms, p99 {} ms", p50.as_secs_f64() * 1e3, p99.as_secs_f64() * 1e3);
    println!("memory: {} MiB at most", peak >> 20);
    let lost = tally.lost();

    tally.again();
    house.prompt(streaming, AT_ONCE).await;
    tokio::time::sleep(Duration::from_secs(u64::from(size.seconds) / 2)).await;
    let killed = Instant::now();
    house.kill().await;
    house.restart().await;
    println!("killed with SIGKILL, listening again after {} ms", killed.elapsed().as_millis());
    until("all watchers are connected again", || tally.connected() == size.sessions).await;
    until("all sessions have gone on to their end", || tally.ended() == size.streams).await;
    println!(
        "all {} watchers are back and all {} runs have ended after {} s",
        size.sessions,
        size.streams,
        killed.elapsed().as_secs()
    );
    let after = tally.lost();
    println!("after the restart: {after} lost");
    assert_eq!((lost, after), (0, 0), "pieces were lost");
    assert!(peak.max(house.peak()) <= MOST_BYTES, "the server needed more than 1 GiB");
}

/// Waits for something that takes its time.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "gave up waiting until {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
