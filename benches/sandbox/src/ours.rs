//! Our own calls.

use std::time::{Duration, Instant};

use holm_grants::{GrantSet, Policy};
use holm_sandbox::{Access, Call, Guest, Limits, Sandbox, Settings};
use holm_tools::shipped_guests::{self, LazyWasmHost, ShippedTool};
use holm_tools::wasm::{WasmHost, WasmSettings};

use crate::figures::{Figures, RUNNING};
use crate::guests;

const CALLS: usize = 20_000;

pub(crate) fn measure(figures: &mut Figures) -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::new(Settings::new()?)?;
    let load = |bytes: Vec<u8>| sandbox.load(&bytes, &mut |_| {});
    let none = || Call::new(Access::none());
    let text = load(guests::text(0)?)?;
    figures.take("text", CALLS, || {
        let outcome = sandbox.run_here(&text, none().input("some input"));
        assert!(outcome.succeeded());
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build()?;
    figures.take("text, own thread", CALLS, || {
        let outcome = runtime.block_on(sandbox.run(&text, none().input("some input")));
        assert!(outcome.succeeded());
    });

    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("file.txt"), "x".repeat(4_000))?;
    let policy = Policy { grants: GrantSet::parse(["read:*.txt"])?, ..Policy::default() };
    let access = Access::open(policy, Some(folder.path()))?;
    for (module, command, wat, access, len) in [
        ("module", "command", guests::hello()?, Access::none(), 5),
        ("module reads", "command reads", guests::reads()?, access.clone(), 4_000),
    ] {
        for (name, bytes) in [(module, wat.clone()), (command, guests::command(&wat)?)] {
            let guest = load(bytes)?;
            figures.take(name, CALLS, || {
                let outcome = sandbox.run_here(&guest, Call::new(access.clone()).arg("tool"));
                assert_eq!(outcome.stdout.len(), len, "{outcome:?}");
            });
        }
    }
    shipped_here(figures, &sandbox, &access)?;
    memory(figures, &sandbox)?;
    cold(figures)?;
    Ok(())
}

/// Guests that come with the program, on the thread that calls: what the sandbox itself takes for them.
fn shipped_here(
    figures: &mut Figures,
    sandbox: &Sandbox,
    access: &Access,
) -> Result<(), Box<dyn std::error::Error>> {
    for (row, name, access, input) in [
        ("guest: base64", "base64", Access::none(), r#"{"text":"some text"}"#),
        ("guest: read", "read", access.clone(), r#"{"path":"file.txt"}"#),
    ] {
        let Some(shipped) = shipped_guests::all().iter().find(|guest| guest.name() == name) else {
            figures.missing(row);
            continue;
        };
        let guest = sandbox.load(&shipped.bytes()?, &mut |_| {})?;
        figures.take(row, CALLS, || {
            let outcome = sandbox.run_here(&guest, Call::new(access.clone()).input(input));
            assert!(matches!(outcome.reply, Some(Ok(_))), "{outcome:?}");
        });
    }
    Ok(())
}

/// How much memory a tool takes that nobody calls, and how much a guest that runs.
fn memory(figures: &mut Figures, sandbox: &Sandbox) -> Result<(), Box<dyn std::error::Error>> {
    const TOOLS: u32 = 20;
    let before = resident();
    let idle: Vec<Guest> = (1..=TOOLS)
        .map(|salt| Ok(sandbox.load(&guests::text(salt)?, &mut |_| {})?))
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    let after = resident();
    figures.note("memory of an idle tool", kib(before, after, u64::from(TOOLS)), "KiB");
    drop(idle);

    const GUESTS: u64 = 60;
    let sleeper = sandbox.load(&guests::sleeps()?, &mut |_| {})?;
    let limits = Limits { time: Duration::from_secs(60), ..Limits::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let run = || -> Vec<_> {
        (0..GUESTS).map(|_| sandbox.run(&sleeper, Call::new(Access::none()).limits(limits))).collect()
    };
    // The first time each takes a thread and a place in the pool, and both stay.
    let before = resident();
    let first = run();
    settle();
    figures.note(RUNNING, kib(before, resident(), GUESTS), "KiB");
    drop(first);
    settle();
    let before = resident();
    let live = run();
    settle();
    figures.note("memory of a running guest where others ran before", kib(before, resident(), GUESTS), "KiB");
    drop(live);
    drop(runtime);
    Ok(())
}

/// How long a sandbox takes to start, and a guest from the cache; then everything that comes with the program.
fn cold(figures: &mut Figures) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let settings = || -> Result<Settings, Box<dyn std::error::Error>> {
        Ok(Settings { cache: Some(folder.path().join("cache")), ..Settings::new()? })
    };
    let millis = |began: Instant| began.elapsed().as_secs_f64() * 1e3;
    let bytes = guests::command(&guests::hello()?)?;
    let began = Instant::now();
    Sandbox::new(settings()?)?.load(&bytes, &mut |_| {})?;
    figures.note("a sandbox and a command, compiled", millis(began), "ms");
    let began = Instant::now();
    let sandbox = Sandbox::new(settings()?)?;
    figures.note("a sandbox", millis(began), "ms");
    let began = Instant::now();
    sandbox.load(&bytes, &mut |_| {})?;
    figures.note("a command from the cache", millis(began), "ms");

    let host = WasmHost::new(sandbox, WasmSettings::default());
    let began = Instant::now();
    let tools = ShippedTool::all(&LazyWasmHost::from(host.clone())).count();
    figures.note("the shipped tools, as a run is told of them", millis(began), "ms");
    figures.note("shipped tools that are prepared", tools as f64, "");
    let began = Instant::now();
    let opened = shipped_guests::all().iter().filter(|guest| guest.is_prepared());
    let opened: Vec<_> = opened.map(|guest| guest.open(&host, &mut |_| {})).collect::<Result<_, _>>()?;
    figures.note("all shipped tools, taken out and ready to be called", millis(began), "ms");
    drop(opened);
    Ok(())
}

/// Gives threads the time to do what they were told; how long that takes is not what is measured.
fn settle() {
    std::thread::sleep(Duration::from_secs(2));
}

fn kib(before: u64, after: u64, shared_by: u64) -> f64 {
    after.saturating_sub(before) as f64 / shared_by as f64
}

/// Resident memory of this process in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|number| number.parse().ok()).unwrap_or(0)
}
