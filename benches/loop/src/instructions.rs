//! Instructions of every loop, counted by callgrind: the one figure that a busy machine does not change.
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

use crate::systems::System;

/// Counts instructions of whole runs. Profiles are left in `folder` for a closer look.
///
/// # Errors
/// Says why there are no counts.
pub fn count(turns: &[u64], folder: &Path) -> Result<BTreeMap<(System, u64), u64>, String> {
    quiet(Command::new("valgrind").arg("--version"))
        .map_err(|_| String::from("valgrind was not found; `scripts/setup bench` installs it"))?;
    eprintln!("counting instructions (one or two minutes)");
    let profiles = profiles(turns);
    let totals = run_all(&profiles, folder)?;
    let mut counts = BTreeMap::new();
    for &(system, at, part) in &profiles {
        let (Part::Whole, Some(whole)) = (part, totals.get(&(system, at, part))) else { continue };
        let set_up = totals.get(&(system, 1, Part::SetUp)).copied().unwrap_or(0);
        counts.insert((system, at), whole.saturating_sub(set_up));
    }
    Ok(counts)
}

/// Which part of a session is profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Whole,
    SetUp,
}

type Profile = (System, u64, Part);

/// The longest last, because work is taken from the end.
fn profiles(turns: &[u64]) -> Vec<Profile> {
    let mut profiles: Vec<Profile> = System::ALL.into_iter().map(|system| (system, 1, Part::SetUp)).collect();
    profiles.extend(turns.iter().flat_map(|&at| System::ALL.map(|system| (system, at, Part::Whole))));
    // The loop whose cost grows fastest decides how long all of this takes.
    profiles.sort_by_key(|&(system, at, _)| (at, system == System::Clark));
    profiles
}

/// One profile a core at a time: instruction counts do not mind company.
fn run_all(profiles: &[Profile], folder: &Path) -> Result<BTreeMap<Profile, u64>, String> {
    let waiting = Mutex::new(profiles.to_vec());
    let done = Mutex::new(BTreeMap::new());
    let workers = thread::available_parallelism().map_or(1, usize::from).min(profiles.len());
    let work = || -> Result<(), String> {
        while let Some(profile) = waiting.lock().ok().and_then(|mut waiting| waiting.pop()) {
            let total = run(profile, folder)?;
            done.lock().map_err(|_| String::from("a worker has panicked"))?.insert(profile, total);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(String::from("a worker has panicked")))
        })
    })?;
    done.into_inner().map_err(|_| String::from("a worker has panicked"))
}

fn run((system, turns, part): Profile, folder: &Path) -> Result<u64, String> {
    let what = match part {
        Part::Whole => "one",
        Part::SetUp => "set-up",
    };
    let path = folder.join(format!("callgrind.{what}.{}.{turns}.out", system.name()));
    let exe = env::current_exe().map_err(|error| error.to_string())?;
    let mut out_file = std::ffi::OsString::from("--callgrind-out-file=");
    out_file.push(&path);
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind").arg(out_file).arg(exe).args([what, system.name(), &turns.to_string()]);
    quiet(&mut command)?;
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
