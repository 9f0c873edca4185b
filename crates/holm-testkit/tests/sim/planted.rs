//! Plants defects in the kernel and in the simulated host, one at a time: random scripts must find each within so many
//! tries, and the script that found it must find it again, and find nothing once it is taken out.
//!
//! `PROPTEST_CASES` says how many tries there are, `SIM_SEED` where the random numbers begin, `PLANTED` which one alone is
//! planted. `make planted` tries them all.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Mutex,
};

use holm_testkit::planted::{self as host, kernel};
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::{Config, TestRunner},
};

use crate::strategy::{Case, case};
use crate::{ENOUGH, play, rng, seed, violations};

/// Defects that the naive kernel must notice by itself, without any promise. It does not look at the transcript, so it
/// cannot see `history_hole`; the others that are missing here need situations that it may leave before they come.
const NOTICED: [&str; 24] = [
    "runs_again",
    "dispatch_unheard",
    "denial_passes",
    "missing_grant_passes",
    "mode_ignored",
    "level_unasked",
    "marks_ignored",
    "lease_never_ends",
    "lease_outlives_grants",
    "late_verdict_counts",
    "approval_outlives_change",
    "permission_remembered",
    "steering_lost",
    "follow_up_lost",
    "billed_twice",
    "budget_unseen",
    "turns_unseen",
    "clock_runs_back",
    "call_id_reused",
    "timer_forgotten",
    "question_forgotten",
    "model_forgotten",
    "cancel_unheard",
    "order_lost",
];

/// As many scripts as find at least so many defects: what a quick look must show.
const SOME: u32 = 400;
const MOST: usize = 36;

/// Plants one defect, wherever it belongs, and takes every other out; false if there is none of this name.
fn plant(name: &str) -> bool {
    let (in_kernel, in_host) = (kernel::plant(name), host::plant(name));
    in_kernel || in_host
}

/// What became of one defect.
struct Search {
    name: &'static str,
    came: Came,
}

enum Came {
    /// After so many scripts, by this promise.
    Found { tries: u32, promise: String },
    /// Not within the tries.
    Missed { tries: u32 },
    /// The script that found it finds something else when it is played again, or finds something without it.
    Unsure(String),
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.came {
            Came::Found { tries, promise } => write!(f, "{:24} {tries:7}  {promise}", self.name),
            Came::Missed { tries } => write!(f, "{:24}  MISSED in {tries} scripts", self.name),
            Came::Unsure(why) => write!(f, "{:24}  UNSURE: {why}", self.name),
        }
    }
}

/// Who looks for a defect.
type Looks = fn(&Case) -> Option<String>;

/// What the promises have to say of a case; a panic is something too.
fn said(case: &Case) -> Option<String> {
    let played = catch_unwind(AssertUnwindSafe(|| violations(&play(case))));
    match played {
        Ok(found) => found.first().map(ToString::to_string),
        Err(_) => Some("it panicked".into()),
    }
}

/// What the naive kernel alone has to say of it.
fn differs(case: &Case) -> Option<String> {
    let played = catch_unwind(AssertUnwindSafe(|| play(case).naive.difference));
    let difference = played.ok().flatten()?;
    Some(format!("record {}: {}", difference.seq, difference.message))
}

/// Looks for one defect in this thread.
fn search(name: &'static str, tries: u32, said: Looks) -> Search {
    let mut runner =
        TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng(seed(), 0));
    let strategy = case();
    for number in 1..=tries {
        let case = strategy.new_tree(&mut runner).expect("a script").current();
        assert!(plant(name), "{name} is no defect");
        let first = said(&case);
        let Some(promise) = first else { continue };
        let again = said(&case);
        plant("");
        let without = said(&case);
        let came = match (again, without) {
            (Some(again), None) if again == promise => Came::Found { tries: number, promise },
            (again, without) => Came::Unsure(format!("{promise}; again {again:?}; without it {without:?}")),
        };
        return Search { name, came };
    }
    plant("");
    Search { name, came: Came::Missed { tries } }
}

/// Looks for the defects that are wanted, on all cores.
fn search_all(names: &[&'static str], tries: u32, looks: Looks) -> Vec<Search> {
    let only = std::env::var("PLANTED").ok();
    let wanted = |name: &&'static str| only.as_ref().is_none_or(|only| only == name);
    let left: Mutex<Vec<&'static str>> = Mutex::new(names.iter().copied().filter(wanted).collect());
    let found = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(name) = left.lock().expect("a list").pop() else { return };
                    let search = search(name, tries, looks);
                    found.lock().expect("a list").push(search);
                }
            });
        }
    });
    let mut found = found.into_inner().expect("a list");
    found.sort_by_key(|search| search.name);
    found
}

/// What became of each, a line for each.
fn table(found: &[Search]) -> String {
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    format!("SIM_SEED={}\n{}", seed(), lines.join("\n"))
}

fn is_found(search: &Search) -> bool {
    matches!(search.came, Came::Found { .. })
}

#[test]
fn every_planted_defect_is_found_and_its_script_shows_it_again() {
    let tries = Config::default().cases;
    let names: Vec<&'static str> = kernel::NAMES.into_iter().chain(host::NAMES).collect();
    let found = search_all(&names, tries, said);
    println!("{}", table(&found));
    let held = found.iter().filter(|search| is_found(search)).count();
    println!("RESULT sim.planted seed={} planted={} found={held} tries={tries}", seed(), found.len());
    assert!(!found.is_empty(), "PLANTED names no defect");
    assert!(names.len() > host::NAMES.len(), "this kernel has no switches; run `make planted`");
    // Some hundred scripts find most of them; that all are found takes as many as `make planted` plays.
    let least = match tries {
        _ if tries >= ENOUGH => found.len(),
        _ if tries >= SOME && found.len() > 1 => MOST,
        _ => 0,
    };
    assert!(held >= least, "{held} were found, and {least} must be; see above");
}

#[test]
fn the_naive_kernel_notices_planted_defects_by_itself() {
    let tries = Config::default().cases;
    let found = search_all(&kernel::NAMES, tries, differs);
    println!("{}", table(&found));
    let held = found.iter().filter(|search| is_found(search)).count();
    println!("RESULT sim.planted.naive seed={} planted={} noticed={held} tries={tries}", seed(), found.len());
    let missed = found.iter().filter(|search| !is_found(search) && NOTICED.contains(&search.name));
    let missed: Vec<&str> = missed.map(|search| search.name).collect();
    assert!(tries < ENOUGH || missed.is_empty(), "not noticed: {missed:?}");
}
