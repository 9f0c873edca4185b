//! Instructions, counted by callgrind: the one figure that a busy machine does not change.
//!
//! Each piece of work is run twice under callgrind, once whole and once only prepared; the difference is the work.

use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

/// Runs this program under callgrind with each of the argument lists and gives the totals.
///
/// # Errors
/// Says why there are no counts.
pub fn totals(jobs: &[Vec<String>], folder: &Path) -> Result<BTreeMap<Vec<String>, u64>, String> {
    quiet(Command::new("valgrind").arg("--version"))
        .map_err(|_| String::from("valgrind was not found; `scripts/setup bench` installs it"))?;
    let waiting = Mutex::new(jobs.to_vec());
    let done = Mutex::new(BTreeMap::new());
    let work = || -> Result<(), String> {
        while let Some(job) = waiting.lock().ok().and_then(|mut waiting| waiting.pop()) {
            let total = run(&job, folder)?;
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

fn run(job: &[String], folder: &Path) -> Result<u64, String> {
    let path = folder.join(format!("callgrind.wire.{}.out", job.join(".")));
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
