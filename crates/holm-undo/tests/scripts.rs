//! Random scripts over a workspace: after the undo, it is as it was, byte for byte, with modes and
//! links. `scripts/prove undo` runs it at full size.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

mod common;

use std::time::{Duration, Instant};

use common::{Dice, compare, folder, list, run, script, workspace};
use holm_undo::{Coverage, OperationLabel, PathState, UndoArchive};

/// From this many files on, the time of a warm image is held to its bound.
const FULL_SIZE: usize = 10_000;
/// The most that both images of a command may take if nothing changed.
const MOST_WARM: Duration = Duration::from_millis(150);

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().map_or(default, |text| text.parse().unwrap())
}

#[test]
fn after_any_script_and_its_undo_the_tree_is_the_same_and_the_undo_can_be_taken_back() {
    let (files, cases) = (number("HOLM_UNDO_FILES", 300), number("HOLM_CASES", 60));
    let seed = number("HOLM_SEED", 20_261_118) as u64;
    // The proof at full size measures, so it works on a disk.
    let folder = if files < FULL_SIZE { folder() } else { tempfile::tempdir().unwrap() };
    let root = folder.path().canonicalize().unwrap().join("work");
    workspace(&root, files);
    let store = UndoArchive::open(folder.path().join("undo")).unwrap();
    let coverage = Coverage::default();
    let old = list(&root);
    let (mut changes, mut slowest, mut undos) = (0, Duration::ZERO, Duration::ZERO);
    for case in 0..cases {
        let mut dice = Dice(seed.wrapping_add(case as u64 * 1_000_003));
        let key = format!("{case:032x}");
        let mut scripts = Vec::new();
        let mut keys = vec![key.clone()];
        let mut middle = None;
        // A turn may have several commands.
        for number in 0..=dice.roll(2) {
            let key = if number == 0 { key.clone() } else { format!("{:032x}", (number << 24) + case) };
            let text = script(&mut dice, &middle.take().unwrap_or_else(|| old.clone()));
            scripts.push(String::from_utf8_lossy(&text).into_owned());
            let start = Instant::now();
            let command = store.begin(&key, &root, &coverage).unwrap();
            slowest = slowest.max(start.elapsed());
            run(&root, &text);
            let found = command.finish().unwrap();
            changes += found.created + found.changed + found.deleted;
            assert_eq!((found.lost, found.left), (vec![], vec![]), "case {case}\n{scripts:#?}");
            keys.push(key);
            middle = Some(list(&root));
        }
        let new = middle.unwrap();
        let start = Instant::now();
        let plan = store.plan(keys.iter().map(String::as_str)).unwrap();
        let undone = store.restore(&plan, &[], OperationLabel::default());
        let undone = undone.unwrap_or_else(|error| panic!("case {case}: {error}\n{scripts:#?}"));
        undos += start.elapsed();
        assert_eq!((undone.lost, undone.kept), (vec![], vec![]), "case {case}\n{scripts:#?}");
        if let Err(lines) = compare(&old, &list(&root)) {
            panic!("case {case}\n{lines}\n{scripts:#?}");
        }
        // Redo brings back what the commands left, except pipes, and their undo is possible again.
        let has_pipe = |step: &holm_undo::UndoStep| matches!(step.left, PathState::Unkept { .. });
        if case % 5 == 0 && !plan.steps.is_empty() && !plan.steps.iter().any(has_pipe) {
            store.revert(Some(&root), &[]).unwrap();
            let again = list(&root);
            if let Err(lines) = compare(&new, &again).map_or_else(|lines| no_links(&lines), Ok) {
                panic!("case {case}, redone\n{lines}\n{scripts:#?}");
            }
            let plan = store.plan(keys.iter().map(String::as_str)).unwrap();
            store.restore(&plan, &[], OperationLabel::default()).unwrap();
            compare(&old, &list(&root))
                .unwrap_or_else(|lines| panic!("case {case}, again\n{lines}\n{scripts:#?}"));
        }
    }
    assert!(changes > cases, "the scripts did hardly anything");
    let (warm, processor) = warm(&store, &root);
    println!(
        "RESULT {cases} scripts over {} paths, {changes} changes undone; both images of a command warm {warm:?} ({processor:?} of the processor), \
        the slowest first image {slowest:?}, an undo on average {:?}",
        old.paths.len(),
        undos / u32::try_from(cases).unwrap(),
    );
    assert!(files < FULL_SIZE || warm <= MOST_WARM, "{warm:?}");
}

/// How long both images of a command take that changes nothing: the least, because other work on the
/// machine only adds to it, and the processor's time for one on average.
fn warm(store: &UndoArchive, root: &std::path::Path) -> (Duration, Duration) {
    // Files that changed just now are read again.
    std::thread::sleep(Duration::from_millis(2100));
    let mut times = Vec::new();
    let processor = processor_time();
    for number in 0..12 {
        let start = Instant::now();
        let command = store.begin(&format!("{number:030}ff"), root, &Coverage::default()).unwrap();
        let found = command.finish().unwrap();
        times.push(start.elapsed());
        assert_eq!(found, holm_undo::CommandChanges::default());
    }
    times.sort_unstable();
    (times[0], (processor_time() - processor) / 12)
}

/// The processor's time that this thread has used.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}

/// Redo does not make hard links again: only other differences count.
fn no_links(lines: &str) -> Result<(), String> {
    if lines.starts_with("hard links") { Ok(()) } else { Err(lines.to_owned()) }
}
