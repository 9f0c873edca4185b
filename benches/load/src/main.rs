//! Puts load on `holm serve` and reports what it costs: many sessions that are watched, some of which stream, each piece timed
//! from the provider to the watcher; then the server is killed in the middle, started again, and every session must go on.
//!
//! `LOAD_SESSIONS` (10,000), `LOAD_STREAMS` (1,000), `LOAD_RATE` (20 pieces a second), `LOAD_SECONDS` (20) and `LOAD_USERS` (20)
//! say how much, `LOAD_PATIENCE` (2,700) how many seconds all of it may take. What was measured is told however it ends; it
//! fails if an aim is missed.

mod extent;
mod figures;
mod files;
mod house;
mod http;
mod provider;
#[path = "../../kit/src/request.rs"]
mod request;
mod tally;
mod watcher;

use std::{
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use extent::Extent;
use figures::Figures;
use house::House;
use provider::Provider;
use tally::Tally;
use watcher::Watcher;

/// Requests that are under way at once while sessions are made.
const AT_ONCE: usize = 16;
/// How often it is looked whether something has come about.
const LOOK: Duration = Duration::from_millis(50);
/// How long after the last request sessions that are only watched have been put out of the server's memory.
const SETTLED: Duration = Duration::from_secs(2 * house::IDLE);

/// A session and who it belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Seat {
    pub(crate) session: String,
    pub(crate) token: Arc<str>,
}

fn main() -> ExitCode {
    let size = match Extent::from_environment().and_then(|size| files::raise(size.files()).map(|()| size)) {
        Ok(size) => size,
        Err(trouble) => {
            eprintln!("{trouble}");
            return ExitCode::FAILURE;
        }
    };
    println!("{size:?}");
    let mut figures = Figures::default();
    let trouble = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime.block_on(bounded(size, &mut figures)).err(),
        Err(error) => Some(format!("no runtime: {error}")),
    };
    print!("{}", figures.text(size));
    if let Some(trouble) = &trouble {
        println!("\nIt ended early. {trouble}");
    }
    figures.write(size, trouble.as_deref());
    let is_met = figures.aims().iter().all(|(_, met)| *met == Some(true));
    if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All of it, for so long as it may take.
async fn bounded(size: Extent, figures: &mut Figures) -> Result<(), String> {
    let provider = Provider::start(size.rate, size.pieces()).await;
    let tally = Arc::new(Tally::new(size.pieces()));
    let mut house = House::start(&provider.base()).await?;
    let went = tokio::time::timeout(size.patience, run(size, &provider, &mut house, &tally, figures)).await;
    let trouble = match went {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(trouble)) => trouble,
        Err(_) => format!("it took more than {} s; see LOAD_PATIENCE", size.patience.as_secs()),
    };
    figures.so_far(&tally, house.peak());
    let step = figures.step;
    let (connected, ended, waiting) = (tally.connected(), tally.ended(), provider.waiting());
    let (pieces, lost, words) = (tally.pieces(), tally.lost(), house.last_words());
    Err(format!(
        "While {step}: {trouble}\n{connected} watchers were connected, {waiting} replies waited, {ended} runs had ended; {pieces} pieces \
         had come and {lost} were lost.\nThe server's last words: {words}"
    ))
}

async fn run(
    size: Extent,
    provider: &Provider,
    house: &mut House,
    tally: &Arc<Tally>,
    figures: &mut Figures,
) -> Result<(), String> {
    let seats = fill(size, house, tally, figures).await?;
    // Those that stream are spread over all users.
    let streaming = seats.get(..size.streams).unwrap_or(&seats);
    stream(streaming, provider, house, tally, figures).await?;
    kill(size, streaming, provider, house, tally, figures).await
}

/// Makes all sessions and lets somebody watch each.
async fn fill(
    size: Extent,
    house: &mut House,
    tally: &Arc<Tally>,
    figures: &mut Figures,
) -> Result<Vec<Seat>, String> {
    figures.step = "making sessions";
    figures.empty = Some(house.resident());
    let tokens = house.tokens(size.users).await?;
    let seat = |(number, token): (usize, &Arc<str>)| Seat {
        session: format!("load-{number}"),
        token: Arc::clone(token),
    };
    let seats: Vec<Seat> = (0..size.sessions).zip(tokens.iter().cycle()).map(seat).collect();
    let began = Instant::now();
    house.make(&seats, AT_ONCE).await?;
    figures.made = Some(began.elapsed().as_secs_f64());
    println!("made {} sessions in {:.1} s", seats.len(), began.elapsed().as_secs_f64());

    figures.step = "connecting watchers";
    let began = Instant::now();
    for seat in &seats {
        tokio::spawn(Watcher::new(house.address(), seat.clone(), Arc::clone(tally)).watch());
    }
    until(house, || tally.connected() == size.sessions).await?;
    figures.joined = Some(began.elapsed().as_secs_f64());
    tokio::time::sleep(SETTLED).await;
    figures.connected = Some(house.resident());
    println!("connected {} watchers in {:.1} s", seats.len(), began.elapsed().as_secs_f64());
    Ok(seats)
}

/// Asks all of them for something, and waits until each has a reply that waits to be let go.
async fn ask_all(seats: &[Seat], provider: &Provider, house: &mut House) -> Result<(), String> {
    house.prompt(seats, AT_ONCE).await?;
    until(house, || provider.waiting() >= seats.len()).await
}

/// Lets some stream, and times each piece.
async fn stream(
    streaming: &[Seat],
    provider: &Provider,
    house: &mut House,
    tally: &Tally,
    figures: &mut Figures,
) -> Result<(), String> {
    figures.step = "asking those that stream";
    ask_all(streaming, provider, house).await?;
    figures.step = "streaming";
    let began = Instant::now();
    provider.open();
    until(house, || tally.ended() >= streaming.len()).await?;
    (figures.streamed, figures.lost) = (Some(began.elapsed().as_secs_f64()), Some(tally.lost()));
    figures.so_far(tally, house.peak());
    println!("streamed {} pieces in {:.1} s", tally.pieces(), began.elapsed().as_secs_f64());
    Ok(())
}

/// Kills the server in the middle of all replies, starts it again, and waits until everything has come to its end.
async fn kill(
    size: Extent,
    streaming: &[Seat],
    provider: &Provider,
    house: &mut House,
    tally: &Tally,
    figures: &mut Figures,
) -> Result<(), String> {
    figures.step = "asking those that stream again";
    tally.again();
    provider.close();
    ask_all(streaming, provider, house).await?;
    provider.open();
    tokio::time::sleep(Duration::from_secs(u64::from(size.seconds)) / 2).await;

    figures.step = "killing the server";
    figures.under_way = Some(streaming.len().saturating_sub(tally.ended()));
    figures.peak = figures.peak.max(Some(house.peak()));
    let (killed, comings) = (Instant::now(), tally.comings());
    house.kill().await?;
    house.restart().await?;
    figures.listening = Some(killed.elapsed().as_secs_f64());

    figures.step = "connecting watchers after the kill";
    let all = |comings_now: usize| comings_now >= comings + size.sessions;
    until(house, || all(tally.comings()) && tally.connected() == size.sessions).await?;
    figures.back = Some(killed.elapsed().as_secs_f64());
    figures.step = "going on after the kill";
    until(house, || tally.ended() >= streaming.len()).await?;
    figures.resumed = Some(killed.elapsed().as_secs_f64());
    (figures.lost_after, figures.peak_after) = (Some(tally.lost()), Some(house.peak()));
    Ok(())
}

/// Waits for something that takes its time, for as long as the server is there.
async fn until(house: &mut House, is_so: impl Fn() -> bool) -> Result<(), String> {
    while !is_so() {
        house.check()?;
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}
