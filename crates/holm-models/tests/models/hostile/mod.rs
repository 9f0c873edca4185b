//! A provider that does everything wrong that can be thought of, in every format.
//!
//! For anything that it sends, the run ends, no tool runs that the journal does not know, no call
//! runs twice, and memory stays small. How a misbehaving reply is classified does not matter here:
//! `formats.rs` tests that where it is promised.
//!
//!     cargo test -p holm-models --test models hostile                       one seed
//!     HOLM_HOSTILE_SEEDS=6 cargo test -p holm-models --test models hostile -- --nocapture

mod endless;
mod table;

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use holm_grants::{Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{Config, Input, ModelSpec, Prompt, Started, ToolOutput, ToolSpec, journal};
use holm_models::HttpTimeouts;
use holm_runtime::{Driver, FastClock, MemoryJournal, RunHost, tool_fn};
use holm_testkit::double::{Act, Double};
use holm_wire::Format;

use crate::stage::{FORMATS, TIMEOUTS, client_with};
use table::Kind;

/// Fewer kinds mean that some were lost.
const FEWEST_KINDS: usize = 120;

/// How long a run may take on a machine that is busy with something else. On an idle one it takes milliseconds, and where a
/// provider falls silent as long as `IDLE`.
const LONGEST: Duration = Duration::from_secs(120);

/// How long a silent provider is waited for here.
const IDLE: Duration = Duration::from_secs(1);

/// The most that the journal of one run may hold: several times what the largest reply of the table has.
const MOST_WRITTEN: usize = 32 << 20;

/// The most that the whole test program may ever have held, the tests beside this one included, which hold a few MiB. What is
/// kept without bound passes it: an endless answer goes on to four times as much.
const MOST_MEMORY_KIB: u64 = 256 << 10;

/// How long the end of a connection is waited for that the client has let go of.
const HANGING_UP: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_provider_hangs_nothing_doubles_no_tool_and_fills_no_memory() {
    let (kinds, endless) = (Arc::new(table::all()), endless::all());
    let names: BTreeSet<&str> = kinds.iter().chain(&endless).map(|kind| kind.name.as_str()).collect();
    assert_eq!(names.len(), kinds.len() + endless.len(), "a kind stands twice");
    assert!(kinds.len() >= FEWEST_KINDS, "{} kinds", kinds.len());
    let formats = FORMATS.map(|format| {
        let kinds = Arc::clone(&kinds);
        tokio::spawn(async move { play_all(format, &kinds).await })
    });
    let (mut runs, began) = (0, Instant::now());
    for format in formats {
        runs += format.await.unwrap();
    }
    let (first, held) = (began.elapsed().as_secs(), peak_kib());
    runs += play_endless(&endless).await;
    println!(
        "RESULT wire.hostile runs={runs} kinds={} endless={} formats={} hangs=0 doubled=0 peak_kib={} seconds={} \
         (before what never ends: {held} KiB, {first} s)",
        kinds.len() + endless.len(),
        endless.len(),
        FORMATS.len(),
        peak_kib(),
        began.elapsed().as_secs(),
    );
}

/// Plays every kind that does not end, once in each format and one after the other, so that what is held can be told; how
/// many runs that were.
async fn play_endless(kinds: &[Kind]) -> usize {
    check_memory("all that ends");
    for kind in kinds {
        for format in FORMATS {
            let what = format!("{format:?}, {}", kind.name);
            let run = tokio::time::timeout(LONGEST, play(format, kind.acts(0), &what));
            let Ok(double) = run.await else { panic!("{what}: it hangs") };
            let left = tokio::task::block_in_place(|| double.wait_until_left(1, HANGING_UP));
            assert!(left, "{what}: it was taken to the last byte");
            check_memory(&what);
        }
    }
    kinds.len() * FORMATS.len()
}

fn check_memory(what: &str) {
    let peak = peak_kib();
    assert!(peak < MOST_MEMORY_KIB, "{what}: {peak} KiB");
}

/// Plays every kind with every seed; how many runs that were.
async fn play_all(format: Format, kinds: &[Kind]) -> usize {
    let seeds = std::env::var("HOLM_HOSTILE_SEEDS").map_or(1, |seeds| seeds.parse().unwrap());
    let mut runs = 0;
    for seed in 0..seeds {
        for kind in kinds {
            let what = format!("{format:?}, {}, seed {seed}", kind.name);
            let run = play(format, kind.acts(seed), &what);
            assert!(tokio::time::timeout(LONGEST, run).await.is_ok(), "{what}: it hangs");
            runs += 1;
        }
    }
    runs
}

/// Plays one run from the prompt to its end. Returns the provider double.
async fn play(format: Format, acts: Vec<Act>, what: &str) -> Double {
    let double = Double::start(acts).unwrap();
    let timeouts = HttpTimeouts { idle: IDLE, ..TIMEOUTS };
    let (written, ran) = (MemoryJournal::new(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&ran);
    let host = RunHost::new(Arc::new(client_with(&double, format, timeouts)))
        .tool(tool_fn(doubler(), move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            async { ToolOutput::text("done") }
        }))
        .journal(written.clone())
        .clock(FastClock::new(1_000));
    let mut config = Config::new(ModelSpec::named("double/one"));
    config.models.push(ModelSpec::named("double/two"));
    config.tools = host.declarations();
    config.mode = Mode::Full;
    let mut driver = Driver::start(Started::new("run-1", 7, config), host).await.unwrap();
    driver.prompt(Prompt::text("Go on, please.")).await.unwrap();
    let text = written.text();
    assert!(text.len() < MOST_WRITTEN, "{what}: {} bytes of journal", text.len());
    let records = journal::decode_strict(text.as_bytes()).unwrap();
    let (mut dispatched, mut calls) = (0, BTreeSet::new());
    for record in &records {
        if let Ok(Input::Dispatched { call }) = record.payload().input() {
            dispatched += 1;
            calls.insert(format!("{call:?}"));
        }
    }
    assert_eq!(calls.len(), dispatched, "{what}: a call was dispatched twice");
    assert_eq!(ran.load(Ordering::SeqCst), dispatched, "{what}: a tool ran unwritten, or twice");
    assert_eq!(journal::replay(&records).unwrap().receipt(), driver.run().receipt(), "{what}");
    double
}

fn doubler() -> ToolSpec {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    ToolSpec::new("double", "Doubles a number.", Json::parse(schema).unwrap()).level(Level::None)
}

/// The most memory that this process has ever held.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}
