//! An undo whose process is killed before each of its steps: every file is the old one or the new
//! one, and the next call completes the undo. The same for taking an undo back, and for the undo of
//! several calls that leaves what somebody else changed (a rewind).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

#[expect(dead_code, reason = "the scripts of the other test are not needed here")]
mod common;

use std::{
    fs, os::unix::process::ExitStatusExt as _, path::Path, process::Command, sync::atomic::AtomicUsize,
    sync::atomic::Ordering,
};

use common::{Listing, Seen, compare, folder, list, run};
use holm_undo::{Coverage, OperationLabel, UndoArchive};

const KEY: &str = "0123456789abcdef0123456789abcdef";
/// The child's folder, what it does, and the step before which it is killed.
const CHILD: &str = "HOLM_UNDO_CHILD";

const SETUP: &[u8] = b"mkdir -p a/b c/d e; for n in 1 2 3 4 5 6; do echo $n > a/b/$n; echo $n > c/$n; done; echo x > c/d/x; \
    ln -s b a/link; ln c/1 c/one; echo run > e/run; chmod 755 e/run; echo file > file; mkdir closed; echo in > closed/in; \
    chmod 555 closed; mkdir becomes; echo 1 > becomes/1; ln c/6 e/six";
const SCRIPT: &[u8] = b"rm -rf a/b; echo changed > c/1; sed -i s/2/two/ c/2; mv c/3 e/three; chmod 600 e/run c/4; ln -sfn c a/link; \
    rm file; mkdir file; echo in > file/in; mkdir file/deep; rm -rf becomes; echo now-a-file > becomes; chmod 755 closed; \
    rm closed/in; chmod 555 closed; mkdir -p new/er; echo 1 > new/er/1; rm -rf c/d; ln -s elsewhere c/d; ln -f c/5 c/4; rm e/six; \
    cp c/6 e/six; ln -s x a/new";

#[test]
fn a_killed_undo_leaves_each_file_old_or_new_and_the_next_call_completes_it() {
    if let Ok(order) = std::env::var(CHILD) {
        return child(&order);
    }
    let folder = folder();
    let root = folder.path().canonicalize().unwrap().join("work");
    fs::create_dir(&root).unwrap();
    run(&root, SETUP);
    let old = list(&root);
    let store = UndoArchive::open(root.with_file_name("undo")).unwrap();
    let command = store.begin(KEY, &root, &Coverage::default()).unwrap();
    run(&root, SCRIPT);
    assert_eq!(command.finish().unwrap().lost, []);
    let new = list(&root);
    assert!(compare(&old, &new).is_err());
    let mut kills = 0;
    for (what, from, to) in [("undo", &new, &old), ("redo", &old, &new)] {
        for step in 0.. {
            let is_killed = start(&root, what, step);
            if is_killed {
                kills += 1;
                check(from, to, &list(&root), &format!("{what}, step {step}"));
                let resumed = store.resume().unwrap();
                assert!(
                    resumed.iter().all(|resumed| resumed.changed.is_empty()),
                    "{what} {step}: {resumed:?}"
                );
                if resumed.is_empty() {
                    // It was killed before it had begun.
                    compare(from, &list(&root)).unwrap();
                    continue;
                }
            }
            compare(to, &list(&root))
                .or_else(|lines| without_links(what, lines))
                .unwrap_or_else(|lines| panic!("{what}, step {step}\n{lines}"));
            if !is_killed && what == "undo" {
                break;
            }
            // Back to where it was, for the next step.
            let plan = store.plan([KEY]).unwrap();
            match what {
                "undo" => drop(store.revert(Some(&root), &[]).unwrap()),
                _ => drop(store.restore(&plan, &[], OperationLabel::default()).unwrap()),
            }
            compare(from, &list(&root)).or_else(|lines| without_links("redo", lines)).unwrap();
            if !is_killed {
                break;
            }
        }
    }
    println!("RESULT {kills} kills");
    assert!(kills > 100, "only {kills}");
}

/// Redo does not make hard links again.
fn without_links(what: &str, lines: String) -> Result<(), String> {
    if what == "redo" && lines.starts_with("hard links") { Ok(()) } else { Err(lines) }
}

/// Every path is as before or as after; one that changes its kind may be absent in between, and a
/// folder gets its mode last.
fn check(from: &Listing, to: &Listing, now: &Listing, case: &str) {
    let is_draft = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with(".holm-undo-");
    let is_folder = |seen: Option<&Seen>| matches!(seen, Some(Seen::Folder { .. }));
    for path in from.paths.keys().chain(to.paths.keys()).chain(now.paths.keys()) {
        let (old, new, found) = (from.paths.get(path), to.paths.get(path), now.paths.get(path));
        let is_between = match found {
            None => is_folder(old) != is_folder(new),
            Some(Seen::Folder { .. }) => is_folder(old) || is_folder(new),
            Some(_) => is_draft(path),
        };
        // A file's content and mode are two steps only if the content stays.
        assert!(
            found == old || found == new || is_between,
            "{case}: {}: {found:?}, not {old:?} or {new:?}",
            path.display()
        );
    }
}

fn start(root: &Path, what: &str, step: usize) -> bool {
    let order = format!("{what} {step} {}", root.display());
    start_test("a_killed_undo_leaves_each_file_old_or_new_and_the_next_call_completes_it", &order)
}

/// Runs a test of this file as the child that gets this order. Says whether it was killed.
fn start_test(name: &str, order: &str) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name]);
    command.env(CHILD, order);
    let ended = command.output().unwrap();
    if ended.status.signal() == Some(9) {
        return true;
    }
    assert!(ended.status.success(), "{ended:?}");
    false
}

/// The store of a child, which kills the child before one of its steps.
fn deadly_store(order: &str) -> (UndoArchive, &str, &Path) {
    let [what, step, root] = order.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    let (step, root): (usize, &Path) = (step.parse().unwrap(), Path::new(root));
    let count = AtomicUsize::new(0);
    let kill = move || {
        if count.fetch_add(1, Ordering::SeqCst) == step {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
        }
    };
    (UndoArchive::open(root.with_file_name("undo")).unwrap().before_steps(kill), what, root)
}

fn child_of_rewind(order: &str) {
    let (store, _, _) = deadly_store(order);
    let mut plan = store.plan(KEYS).unwrap();
    let left: Vec<String> =
        store.leave_changed(&mut plan, &[]).unwrap().iter().map(|step| step.path.to_string()).collect();
    assert_eq!(left, LEFT);
    store.restore(&plan, &[], OperationLabel::default()).unwrap();
}

fn child(order: &str) {
    let (store, what, root) = deadly_store(order);
    if what == "undo" {
        let plan = store.plan([KEY]).unwrap();
        assert!(!plan.steps.is_empty());
        store.restore(&plan, &[], OperationLabel::default()).unwrap();
    } else {
        store.revert(Some(root), &[]).unwrap();
    }
}

/// The keys of the calls that are rewound together.
const KEYS: [&str; 3] = [
    "11111111111111111111111111111111",
    "22222222222222222222222222222222",
    "33333333333333333333333333333333",
];
const STEPS: [&[u8]; 3] = [
    b"rm -rf a/b; echo changed > c/1; mv c/3 e/three; rm file; mkdir file; echo in > file/in; chmod 600 e/run",
    b"echo again > c/1; echo mine-later > c/2; rm -rf becomes; echo now-a-file > becomes; mkdir -p new/er; echo 1 > new/er/1",
    b"rm -rf new/er; echo 2 > new/2; ln -sfn c a/link; echo third > c/1; rm c/5; echo other > c/4",
];
/// What somebody else does after the calls: these paths are left as they are.
const MINE: &[u8] = b"echo mine > c/2; rm becomes; ln -s elsewhere becomes";
const LEFT: [&str; 3] = ["becomes", "becomes/1", "c/2"];

#[test]
fn a_killed_rewind_is_completed_and_what_somebody_changed_is_never_touched() {
    if let Ok(order) = std::env::var(CHILD) {
        return child_of_rewind(&order);
    }
    let folder = folder();
    let root = folder.path().canonicalize().unwrap().join("work");
    fs::create_dir(&root).unwrap();
    run(&root, SETUP);
    let old = list(&root);
    let store = UndoArchive::open(root.with_file_name("undo")).unwrap();
    for (key, script) in KEYS.into_iter().zip(STEPS) {
        let command = store.begin(key, &root, &Coverage::default()).unwrap();
        run(&root, script);
        command.finish().unwrap();
    }
    run(&root, MINE);
    let new = list(&root);
    let (mut kills, mut rewound) = (0, None);
    for step in 0.. {
        let is_killed = start_test(
            "a_killed_rewind_is_completed_and_what_somebody_changed_is_never_touched",
            &format!("rewind {step} {}", root.display()),
        );
        if is_killed {
            kills += 1;
            let now = list(&root);
            is_left_alone(&new, &now, &format!("step {step}"));
            check(&new, rewound.as_ref().unwrap_or(&old), &without_left(&now, &new), &format!("step {step}"));
            if store.resume().unwrap().is_empty() {
                compare(&new, &list(&root)).or_else(|lines| without_links("redo", lines)).unwrap();
                continue;
            }
        }
        let now = list(&root);
        is_left_alone(&new, &now, &format!("after step {step}"));
        match &rewound {
            // The first one that was completed is like each later one, and like the old tree elsewhere.
            Some(rewound) => compare(rewound, &now).unwrap(),
            None => {
                check(&old, &old, &without_left(&now, &old), "the first rewind");
                rewound = Some(now);
            }
        }
        if !is_killed {
            break;
        }
        store.revert(Some(&root), &[]).unwrap();
        compare(&new, &list(&root)).or_else(|lines| without_links("redo", lines)).unwrap();
    }
    println!("RESULT {kills} kills of a rewind");
    assert!(kills > 20, "only {kills}");
}

/// Whether the paths that somebody else changed are as they were.
fn is_left_alone(new: &Listing, now: &Listing, case: &str) {
    for path in LEFT.iter().map(Path::new) {
        assert_eq!(now.paths.get(path), new.paths.get(path), "{case}: {}", path.display());
    }
}

/// A tree in which the paths that were left are as in another one.
fn without_left(now: &Listing, other: &Listing) -> Listing {
    let mut now = now.clone();
    for path in LEFT.iter().map(Path::new) {
        now.paths.remove(path);
        if let Some(seen) = other.paths.get(path) {
            now.paths.insert(path.to_owned(), seen.clone());
        }
    }
    now
}
