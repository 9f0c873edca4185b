//! Instructions, counted by callgrind: the one figure that a busy machine does not change.
//!
//! Each session is run twice under callgrind, once whole and once only set up; the difference is the run from its
//! prompt to its answer. Only instructions of the program are counted: what the system does for a thread that is
//! started is not among them. Callgrind's processor has no SHA instructions, so SHA-256 is counted in its long form.

use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

use crate::System;

/// Counts instructions of whole runs, by the system's name and the number of turns. Profiles of `bench` are left in
/// `folder` for a closer look.
///
/// # Errors
/// Says why there are no counts.
pub fn count<S: System>(
    bench: &str,
    turns: &[u64],
    folder: &Path,
) -> Result<BTreeMap<(&'static str, u64), u64>, String> {
    eprintln!("counting instructions (a few minutes)");
    let totals = totals(bench, &jobs::<S>(turns), folder)?;
    let mut counts = BTreeMap::new();
    for system in S::ALL.iter().map(|system| system.name()) {
        let set_up = totals.get(&job("set-up", system, 1)).copied().unwrap_or(0);
        for &at in turns {
            let Some(whole) = totals.get(&job("one", system, at)) else { continue };
            counts.insert((system, at), whole.saturating_sub(set_up));
        }
    }
    Ok(counts)
}

/// Runs this program under callgrind with each of the argument lists and gives the totals. The last list is begun
/// first, so the longest stands at the end.
///
/// # Errors
/// Says why there are no counts.
pub fn totals(
    bench: &str,
    jobs: &[Vec<String>],
    folder: &Path,
) -> Result<BTreeMap<Vec<String>, u64>, String> {
    quiet(Command::new("valgrind").arg("--version"))
        .map_err(|_| String::from("valgrind was not found; `scripts/setup bench` installs it"))?;
    let waiting = Mutex::new(jobs.to_vec());
    let done = Mutex::new(BTreeMap::new());
    // One profile a core at a time: instruction counts do not mind company.
    let work = || -> Result<(), String> {
        while let Some(job) = waiting.lock().ok().and_then(|mut waiting| waiting.pop()) {
            let total = run(bench, &job, folder)?;
            done.lock().map_err(|_| String::from("a worker has panicked"))?.insert(job, total);
        }
        Ok(())
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(String::from("a worker has panicked")))
        })
    })?;
    done.into_inner().map_err(|_| String::from("a worker has panicked"))
}

fn jobs<S: System>(turns: &[u64]) -> Vec<Vec<String>> {
    let names = || S::ALL.iter().map(|system| system.name());
    let set_ups = names().map(|name| job("set-up", name, 1));
    let whole = turns.iter().flat_map(|&at| names().map(move |name| job("one", name, at)));
    set_ups.chain(whole).collect()
}

fn job(what: &str, system: &str, turns: u64) -> Vec<String> {
    vec![what.into(), system.into(), turns.to_string()]
}

fn run(bench: &str, job: &[String], folder: &Path) -> Result<u64, String> {
    let path = folder.join(format!("callgrind.{bench}.{}.out", job.join(".")));
    let exe = env::current_exe().map_err(|error| error.to_string())?;
    let mut out_file = std::ffi::OsString::from("--callgrind-out-file=");
    out_file.push(&path);
    quiet(Command::new("valgrind").arg("--tool=callgrind").arg(out_file).arg(exe).args(job))?;
    let profile = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    total(&profile).ok_or_else(|| format!("{} names no total", path.display()))
}

fn quiet(command: &mut Command) -> Result<(), String> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("valgrind ended with {status}")),
        Err(error) => Err(error.to_string()),
    }
}

/// The sum over the whole profile.
fn total(profile: &str) -> Option<u64> {
    let named = |name| profile.lines().find_map(|line| line.strip_prefix(name));
    named("totals: ").or_else(|| named("summary: "))?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests;
