//! How much more two threads do than one, and beside it how much more two programs do that share nothing.
//!
//! The second figure is what the machine can give: where its two processors are halves of one core, nothing gets twice as much
//! out of it. Where two threads do as much as two programs, they do not hold each other up.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use holm_grants::{GrantSet, Policy};
use holm_sandbox::{Access, Call, Guest, Sandbox, Settings};
use holm_tools::shipped_guests;
use tempfile::TempDir;

use crate::figures::Figures;
use crate::guests;

type Failure = Box<dyn std::error::Error>;

/// What is called.
pub(crate) const WORKS: [&str; 3] = ["text", "base64", "read"];
/// Where a program that is to work alone finds what it is to call.
const ALONE: &str = "HOLM_BENCH_ALONE";
/// How long one round takes. Many short ones, because the best of them counts: others use the machine, too.
const ROUND: Duration = Duration::from_millis(300);
const ROUNDS: usize = 10;

/// Names of the figures about one guest.
pub(crate) fn threads_beside_one(work: &str) -> String {
    format!("`{work}`: calls of two threads beside one")
}

pub(crate) fn threads_beside_programs(work: &str) -> String {
    format!("`{work}`: calls of two threads beside two programs")
}

pub(crate) fn measure(figures: &mut Figures) -> Result<(), Failure> {
    for name in WORKS {
        if !figures.wants(name) {
            continue;
        }
        let Some(work) = Work::prepare(name)? else { continue };
        eprintln!("measuring {name} on two threads");
        let mut programs = [Program::start(name)?, Program::start(name)?];
        let [mut thread, mut threads, mut program, mut both] = [0.0_f64; 4];
        for _ in 0..ROUNDS {
            thread = thread.max(work.rate(1));
            threads = threads.max(work.rate(2));
            program = program.max(Program::rate(&mut programs[..1])?);
            both = both.max(Program::rate(&mut programs)?);
        }
        figures.note(format!("`{name}`: calls a second of one thread"), thread, "");
        figures.note(format!("`{name}`: calls a second of two threads"), threads, "");
        figures.note(format!("`{name}`: calls of two programs beside one"), both / program, "times");
        figures.note(threads_beside_one(name), threads / thread, "times");
        figures.note(threads_beside_programs(name), threads / both, "times");
    }
    Ok(())
}

/// Where this program was started to work alone: does that, and says how it ended.
pub(crate) fn alone() -> Option<ExitCode> {
    let name = std::env::var(ALONE).ok()?;
    Some(match serve(&name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("could not measure {name}: {error}");
            ExitCode::FAILURE
        }
    })
}

/// One rate for each line that comes, until none comes any more.
fn serve(name: &str) -> Result<(), Failure> {
    let work = Work::prepare(name)?.ok_or("it is not there")?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", work.rate(1))?;
    for line in std::io::stdin().lines() {
        line?;
        writeln!(out, "{}", work.rate(1))?;
    }
    Ok(())
}

/// One guest, ready to be called.
struct Work {
    sandbox: Sandbox,
    guest: Guest,
    grants: &'static [&'static str],
    input: &'static str,
    folder: TempDir,
}

impl Work {
    /// Nothing where the guest is not shipped with this build.
    fn prepare(name: &str) -> Result<Option<Self>, Failure> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("file.txt"), "x".repeat(4_000))?;
        let shipped = || shipped_guests::all().iter().find(|guest| guest.name() == name);
        let (grants, input): (&[&str], _) = match name {
            "read" => (&["read:*.txt"], r#"{"path":"file.txt"}"#),
            _ => (&[], r#"{"text":"some text"}"#),
        };
        let bytes = match (name, shipped()) {
            ("text", _) => guests::text(0)?,
            (_, Some(shipped)) => shipped.bytes()?,
            (_, None) => return Ok(None),
        };
        let sandbox = Sandbox::new(Settings::new()?)?;
        let guest = sandbox.load(&bytes, &mut |_| {})?;
        Ok(Some(Self { sandbox, guest, grants, input, folder }))
    }

    fn access(&self) -> Result<Access, Failure> {
        let policy = Policy { grants: GrantSet::parse(self.grants.iter().copied())?, ..Policy::default() };
        Ok(Access::open(policy, Some(self.folder.path()))?)
    }

    /// Calls a second of so many threads together.
    fn rate(&self, threads: usize) -> f64 {
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(|| self.thread())).collect();
            all.into_iter().filter_map(|thread| thread.join().ok()).sum()
        })
    }

    fn thread(&self) -> f64 {
        // Each thread has its own, as calls of two sessions have.
        let access = self.access().expect("a folder");
        let (began, mut calls) = (Instant::now(), 0.0);
        while began.elapsed() < ROUND {
            let call = Call::new(access.clone()).input(self.input);
            assert!(self.sandbox.run_here(&self.guest, call).succeeded());
            calls += 1.0;
        }
        calls / began.elapsed().as_secs_f64()
    }
}

/// This program once more, with a sandbox of its own.
struct Program {
    child: Child,
    orders: Option<ChildStdin>,
    rates: Lines<BufReader<ChildStdout>>,
}

impl Program {
    fn start(name: &str) -> Result<Self, Failure> {
        let mut child = Command::new(std::env::current_exe()?)
            .env(ALONE, name)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = child.stdin.take();
        let rates = BufReader::new(child.stdout.take().ok_or("it has no output")?).lines();
        let mut program = Self { child, orders, rates };
        // The first is for warming up, and says that it is ready.
        program.told()?;
        Ok(program)
    }

    /// Calls a second of all of them together, at the same time.
    fn rate(programs: &mut [Self]) -> Result<f64, Failure> {
        for program in &mut *programs {
            program.orders.as_mut().ok_or("it takes no orders")?.write_all(b"\n")?;
        }
        programs.iter_mut().map(Self::told).sum()
    }

    fn told(&mut self) -> Result<f64, Failure> {
        Ok(self.rates.next().ok_or("it ended early")??.parse()?)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.child.wait();
    }
}
