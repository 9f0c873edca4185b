//! Where the figures come from: times mean nothing without the machine.

use std::{fs, process::Command, thread};

use serde::Serialize;

/// What is known of the machine.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// Cores that may be used.
    pub cores: u64,
    /// The processor.
    pub cpu: String,
    /// The compiler on the path, which is the one that built this.
    pub rustc: String,
    /// Processes that wanted to run in the last minute, before the measurement; more than cores means noise.
    pub load: Option<f64>,
}

impl Machine {
    /// Whether others were at work.
    pub fn is_busy(&self) -> bool {
        self.load.is_some_and(|load| load > self.cores as f64 / 2.0)
    }
}

/// Looks at the machine.
pub fn look() -> Machine {
    let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
    Machine { cores, cpu: cpu(), rustc: rustc(), load: load() }
}

fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| format!("an {} processor", std::env::consts::ARCH), |(_, name)| name.trim().into())
}

fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    text.map_or_else(|| "rustc of unknown version".into(), |text| text.trim().into())
}

fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}
