//! One run, killed at the given moments and started again until it ends.

use std::{
    fmt, io,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{mortal::Moment, oracle, provider};

/// Far longer than a run takes; a run that is not done by then hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A schedule of deaths.
pub(crate) struct Case {
    name: String,
    moments: Vec<Moment>,
}

impl Case {
    pub(crate) fn new(name: impl Into<String>, moments: Vec<Moment>) -> Self {
        Self { name: name.into(), moments }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Plays it to the end and asks the oracle.
    pub(crate) fn play(&self) -> Result<Tally, String> {
        let folder = folder().map_err(|error| format!("no folder: {error}"))?;
        let double = provider::start().map_err(|error| format!("no provider: {error}"))?;
        let base = double.base(holm::wire::Format::OpenaiChat);
        let mut tally = Tally { runs: 1, ..Tally::default() };
        for moment in &self.moments {
            match live(folder.path(), &base, *moment)? {
                Death::Killed => tally.count_kill(*moment),
                Death::Ended { .. } => break,
            }
        }
        // The last life is not disturbed. It may find the run ended already.
        let Death::Ended { appends, process } = live(folder.path(), &base, Moment::Never)? else {
            return Err("somebody else killed the last process".into());
        };
        tally.appends = appends;
        oracle::judge(folder.path(), process, &mut tally)?;
        for fault in &mut tally.faults {
            *fault = format!("{}: {fault}", self.name);
        }
        Ok(tally)
    }
}

/// In memory where there is such a place: a kill is not a power loss, so nothing is proven by
/// waiting for a disk.
fn folder() -> io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("holm-kill-");
    if memory.is_dir() { builder.tempdir_in(memory) } else { builder.tempdir() }
}

enum Death {
    Killed,
    Ended { appends: u64, process: u32 },
}

fn live(folder: &Path, base: &str, moment: Moment) -> Result<Death, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = folder.to_str().ok_or("the folder's name is no text")?;
    let mut child = Command::new(program)
        .args(["child", folder, base, &moment.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("no child: {error}"))?;
    let process = child.id();
    if let Moment::After { micros } = moment {
        thread::sleep(Duration::from_micros(micros));
        // One that has ended already is not there to be killed.
        let _ = child.kill();
    }
    let status = wait(&mut child).map_err(|error| error.to_string())?;
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if was_killed(status) {
        return Ok(Death::Killed);
    }
    if !status.success() {
        return Err(format!("the child failed ({status}): {}", String::from_utf8_lossy(&output.stderr)));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let appends = said.trim().parse().map_err(|_| format!("the child said `{said}`"))?;
    Ok(Death::Ended { appends, process })
}

fn wait(child: &mut Child) -> io::Result<ExitStatus> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() > until {
            child.kill()?;
            return Err(io::Error::other("the child hung"));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn was_killed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    const SIGKILL: i32 = 9;
    status.signal() == Some(SIGKILL)
}

/// What was seen, over one run or many.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) runs: u64,
    pub(crate) kills: u64,
    pub(crate) kills_at_boundaries: u64,
    pub(crate) kills_at_random: u64,
    /// Of the last process of one run.
    pub(crate) appends: u64,
    pub(crate) succeeded: u64,
    /// The line was there, and the journal says that the outcome is unknown.
    pub(crate) ran_unanswered: u64,
    /// The line was not there, and the journal says that the outcome is unknown.
    pub(crate) never_ran: u64,
    /// Lines beyond the first of calls that may run twice.
    pub(crate) ran_again: u64,
    /// Events that the last process of a run told, each of which the replay told too.
    pub(crate) told: u64,
    /// Calls of which the journal knows nothing, or which it calls done and whose
    /// line is not there.
    pub(crate) lost: u64,
    /// Lines beyond the first of calls that must not run twice.
    pub(crate) doubled: u64,
    /// What was lost and doubled, in words.
    pub(crate) faults: Vec<String>,
}

impl Tally {
    pub(crate) fn unknown(&self) -> u64 {
        self.ran_unanswered + self.never_ran
    }

    fn count_kill(&mut self, moment: Moment) {
        self.kills += 1;
        match moment {
            Moment::Append { .. } => self.kills_at_boundaries += 1,
            Moment::After { .. } => self.kills_at_random += 1,
            Moment::Never => {}
        }
    }

    pub(crate) fn add(&mut self, more: Self) {
        self.runs += more.runs;
        self.kills += more.kills;
        self.kills_at_boundaries += more.kills_at_boundaries;
        self.kills_at_random += more.kills_at_random;
        self.succeeded += more.succeeded;
        self.ran_unanswered += more.ran_unanswered;
        self.never_ran += more.never_ran;
        self.ran_again += more.ran_again;
        self.told += more.told;
        self.lost += more.lost;
        self.doubled += more.doubled;
        self.faults.extend(more.faults);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} runs of {} calls; {} kills ({} at journal boundaries, {} at random instants); {} calls succeeded, \
             {} ran and were not answered, {} never ran, {} idempotent ones ran again; {} events told; {} lost, {} doubled",
            self.runs,
            provider::CALLS,
            self.kills,
            self.kills_at_boundaries,
            self.kills_at_random,
            self.succeeded,
            self.ran_unanswered,
            self.never_ran,
            self.ran_again,
            self.told,
            self.lost,
            self.doubled,
        )
    }
}
