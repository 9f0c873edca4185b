use std::fs;

use crate::{OperationLabel, TreePath, UndoOutcome, UndoStep, UndoVerdict, tests::Scene};

fn path(text: &str) -> TreePath {
    TreePath::new(text).unwrap()
}

fn named(steps: &[UndoStep]) -> Vec<String> {
    steps.iter().map(|step| step.path.to_string()).collect()
}

/// Undoes the calls of these keys and leaves what changed since. Returns what was left.
fn rewind(scene: &Scene, keys: &[&str], forced: &[TreePath]) -> (Vec<String>, UndoOutcome) {
    let mut plan = scene.store.plan(keys.iter().copied()).unwrap();
    let left = scene.store.leave_changed(&mut plan, forced).unwrap();
    (named(&left), scene.store.restore(&plan, forced, OperationLabel::default()).unwrap())
}

#[test]
fn a_file_that_somebody_changed_is_left_and_everything_else_is_restored() {
    let scene = Scene::new();
    scene.write("a", "1").write("b", "1").write("c", "1");
    scene.command("k1", || {
        scene.write("a", "2").write("b", "2");
    });
    scene.command("k2", || {
        scene.write("a", "3").write("c", "2");
    });
    scene.write("b", "mine");
    let (left, outcome) = rewind(&scene, &["k1", "k2"], &[]);
    assert_eq!(left, ["b"]);
    assert_eq!(outcome.restored.len(), 2);
    let texts = ["a", "b", "c"].map(|name| scene.text(name).unwrap());
    assert_eq!(texts, ["1", "mine", "1"]);
    // The records are still there, so the file that was left can be restored later.
    assert_eq!(scene.store.keys().unwrap(), ["k1".to_owned(), "k2".to_owned()].into());
    let (left, _) = rewind(&scene, &["k1", "k2"], &[path("b")]);
    assert_eq!((left, scene.text("b").as_deref()), (Vec::new(), Some("1")));
    assert!(scene.store.keys().unwrap().is_empty());
}

#[test]
fn a_file_that_was_restored_and_changed_by_a_later_call_is_restored_again() {
    let scene = Scene::new();
    scene.write("a", "1").write("b", "1");
    scene.command("k1", || {
        scene.write("a", "2");
    });
    scene.command("k2", || {
        scene.write("a", "3").write("b", "2");
    });
    scene.write("b", "mine");
    assert_eq!(rewind(&scene, &["k1", "k2"], &[]).0, ["b"]);
    scene.command("k3", || {
        scene.write("a", "5");
    });
    let (left, _) = rewind(&scene, &["k1", "k2", "k3"], &[path("b")]);
    assert!(left.is_empty(), "{left:?}");
    assert_eq!((scene.text("a").as_deref(), scene.text("b").as_deref()), (Some("1"), Some("1")));
}

#[test]
fn what_was_left_stays_when_the_undo_is_taken_back() {
    let scene = Scene::new();
    scene.write("a", "1").write("b", "1");
    scene.command("k1", || {
        scene.write("a", "2").write("b", "2");
    });
    scene.write("b", "mine");
    assert_eq!(rewind(&scene, &["k1"], &[]).0, ["b"]);
    scene.store.revert(Some(&scene.root()), &[]).unwrap();
    assert_eq!((scene.text("a").as_deref(), scene.text("b").as_deref()), (Some("2"), Some("mine")));
    assert_eq!(scene.store.keys().unwrap(), ["k1".to_owned()].into());
}

#[test]
fn what_lies_in_a_folder_that_is_something_else_now_is_left_with_it() {
    let scene = Scene::new();
    scene.write("d/deep/x", "1").write("e", "1");
    scene.command("k1", || {
        fs::remove_dir_all(scene.at("d")).unwrap();
        scene.write("e", "2");
    });
    scene.write("d", "a file of mine");
    let (left, _) = rewind(&scene, &["k1"], &[]);
    assert_eq!(left, ["d", "d/deep", "d/deep/x"]);
    assert_eq!((scene.text("d").as_deref(), scene.text("e").as_deref()), (Some("a file of mine"), Some("1")));
}

#[test]
fn a_folder_with_another_mode_keeps_nothing_in_it_from_being_restored() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new();
    scene.write("d/x", "1");
    let chmod = |mode| fs::set_permissions(scene.at("d"), fs::Permissions::from_mode(mode)).unwrap();
    chmod(0o755);
    scene.command("k1", || {
        chmod(0o700);
        scene.write("d/x", "2");
    });
    chmod(0o750);
    assert_eq!(rewind(&scene, &["k1"], &[]).0, ["d"]);
    assert_eq!(scene.text("d/x").as_deref(), Some("1"));
}

#[test]
fn hard_links_to_a_file_that_was_left_are_not_made_again() {
    use std::os::unix::fs::MetadataExt as _;
    let scene = Scene::new();
    scene.write("a", "1");
    fs::hard_link(scene.at("a"), scene.at("b")).unwrap();
    scene.command("k1", || {
        fs::remove_file(scene.at("b")).unwrap();
        scene.write("b", "2");
    });
    scene.write("b", "mine");
    assert_eq!(rewind(&scene, &["k1"], &[]).0, ["b"]);
    assert_eq!((scene.text("a").as_deref(), scene.text("b").as_deref()), (Some("1"), Some("mine")));
    let inode = |name| fs::metadata(scene.at(name)).unwrap().ino();
    assert_ne!(inode("a"), inode("b"));
}

#[test]
fn the_changes_of_calls_are_listed_without_a_look_at_the_workspace() {
    let scene = Scene::new();
    scene.write("a", "1");
    scene.command("k1", || {
        scene.write("a", "2").write("b", "1");
    });
    scene.store.keep("k2", &scene.root(), path("c"), None, Some(b"1")).unwrap();
    let changes = scene.store.changes_of(["k1", "k2", "k3"]).unwrap();
    let count = |key: &str| changes.get(key).map(|changes| (changes.paths.len(), changes.is_command));
    assert_eq!((count("k1"), count("k2"), count("k3")), (Some((2, true)), Some((1, false)), None));
}

#[test]
fn a_preview_has_the_content_now_and_the_content_that_would_come_back() {
    let scene = Scene::new();
    scene.write("a", "old").write("gone", "was").write("large", "12345");
    scene.command("k1", || {
        scene.write("a", "new").write("made", "x").write("large", "1");
        fs::remove_file(scene.at("gone")).unwrap();
        fs::create_dir(scene.at("folder")).unwrap();
    });
    let plan = scene.store.plan(["k1"]).unwrap();
    let seen = |name: &str| {
        let step = plan.steps.iter().find(|step| step.path == path(name)).unwrap();
        assert_eq!(step.verdict, UndoVerdict::Ready);
        let contents = scene.store.contents_of(step, 4)?;
        Some((String::from_utf8(contents.now).unwrap(), String::from_utf8(contents.target).unwrap()))
    };
    let pair = |now: &str, target: &str| Some((now.to_owned(), target.to_owned()));
    assert_eq!(seen("a"), pair("new", "old"));
    assert_eq!(seen("made"), pair("x", ""));
    assert_eq!(seen("gone"), pair("", "was"));
    assert_eq!((seen("large"), seen("folder")), (None, None));
}
