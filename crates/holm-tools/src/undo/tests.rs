use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

use holm_grants::FilePath;
use holm_kernel::IdempotencyKey;

use super::*;

struct Scene {
    folder: tempfile::TempDir,
    undo: UndoStore,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let undo = UndoStore::open(folder.path().join("undo")).unwrap();
        Self { folder, undo }
    }

    fn at(&self) -> FilePath {
        self.folder.path().join("work").canonicalize().unwrap().to_str().unwrap().parse().unwrap()
    }

    fn file(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join("work").join(path)
    }

    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.file(path)).ok()
    }

    /// What a tool does: the record first, then the change.
    fn change(&self, key: u8, path: &str, after: Option<&str>) {
        let before = fs::read(self.file(path)).ok();
        let mode = fs::metadata(self.file(path)).map_or(0, |found| found.permissions().mode() & 0o777);
        let before = before.as_deref().map(|bytes| (bytes, mode));
        let path: FilePath = path.parse().unwrap();
        self.undo.keep(calls(&[key])[0], &self.at(), &path, before, after.map(str::as_bytes)).unwrap();
        match after {
            Some(text) => fs::write(self.file(path.as_str()), text).unwrap(),
            None => fs::remove_file(self.file(path.as_str())).unwrap(),
        }
    }

    fn verdicts(&self, keys: &[u8]) -> Vec<(String, UndoVerdict)> {
        let plan = self.undo.plan(&calls(keys)).unwrap();
        plan.steps.iter().map(|step| (step.path.to_string(), step.verdict)).collect()
    }
}

fn calls(keys: &[u8]) -> Vec<IdempotencyKey> {
    keys.iter().map(|key| IdempotencyKey::from_bytes([*key; 16])).collect()
}

#[test]
fn the_files_of_a_turn_are_what_they_were_before_it() {
    let scene = Scene::new();
    fs::write(scene.file("old"), "one").unwrap();
    fs::write(scene.file("gone"), "precious").unwrap();
    fs::set_permissions(scene.file("gone"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::write(scene.file("other"), "another turn").unwrap();
    scene.change(1, "old", Some("two"));
    scene.change(2, "old", Some("three"));
    scene.change(2, "new", Some("made"));
    scene.change(2, "gone", None);
    scene.change(3, "other", Some("changed by another turn"));
    let plan = scene.undo.plan(&calls(&[1, 2, 2])).unwrap();
    assert!(plan.steps.iter().all(|step| step.verdict == UndoVerdict::Ready), "{plan:?}");
    let restored = scene.undo.restore(&plan, &[], OperationLabel::default()).unwrap();
    let restored: Vec<String> = restored.restored.iter().map(ToString::to_string).collect();
    assert_eq!(restored, ["gone", "new", "old"]);
    assert_eq!(scene.text("old").as_deref(), Some("one"));
    assert_eq!(scene.text("new"), None);
    assert_eq!(scene.text("gone").as_deref(), Some("precious"));
    assert_eq!(scene.file("gone").metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert_eq!(scene.text("other").as_deref(), Some("changed by another turn"));
    // A turn is undone once; then the turn before it is the last.
    assert_eq!(scene.undo.plan(&calls(&[1, 2])).unwrap().steps, []);
    assert_eq!(scene.undo.keys().unwrap().len(), 1);
}

#[test]
fn a_file_that_changed_since_is_named_and_nothing_is_restored_until_it_is_forced() {
    let scene = Scene::new();
    fs::write(scene.file("a"), "1").unwrap();
    fs::write(scene.file("b"), "1").unwrap();
    scene.change(1, "a", Some("2"));
    scene.change(1, "b", Some("2"));
    fs::write(scene.file("b"), "mine").unwrap();
    assert_eq!(scene.verdicts(&[1]), [("a".into(), UndoVerdict::Ready), ("b".into(), UndoVerdict::Changed)]);
    let plan = scene.undo.plan(&calls(&[1])).unwrap();
    assert_eq!(
        scene.undo.restore(&plan, &[], OperationLabel::default()),
        Err(UndoError::Changed { paths: vec!["b".into()] })
    );
    assert_eq!((scene.text("a").unwrap(), scene.text("b").unwrap()), ("2".into(), "mine".into()));
    let forced = [TreePath::new("b").unwrap()];
    assert_eq!(scene.undo.restore(&plan, &forced, OperationLabel::default()).unwrap().restored.len(), 2);
    assert_eq!((scene.text("a").unwrap(), scene.text("b").unwrap()), ("1".into(), "1".into()));
}

#[test]
fn what_a_person_changed_between_two_calls_of_a_turn_counts_as_changed() {
    let scene = Scene::new();
    fs::write(scene.file("a"), "1").unwrap();
    scene.change(1, "a", Some("2"));
    fs::write(scene.file("a"), "2 and mine").unwrap();
    scene.change(1, "a", Some("3 and mine"));
    assert_eq!(scene.verdicts(&[1]), [("a".into(), UndoVerdict::Changed)]);
}

#[test]
fn a_change_that_was_recorded_and_never_made_stands_in_nobodys_way() {
    let scene = Scene::new();
    let recorded = |before: &str, after: &str| {
        let path = "a".parse().unwrap();
        let before = Some((before.as_bytes(), 0o644));
        scene.undo.keep(calls(&[1])[0], &scene.at(), &path, before, Some(after.as_bytes())).unwrap();
    };
    fs::write(scene.file("a"), "1").unwrap();
    scene.change(1, "a", Some("2"));
    recorded("2", "lost with its process");
    assert_eq!(scene.verdicts(&[1]), [("a".into(), UndoVerdict::Ready)]);
    scene.change(1, "a", Some("3"));
    recorded("3", "lost with its process");
    assert_eq!(scene.verdicts(&[1]), [("a".into(), UndoVerdict::Ready)]);
    let plan = scene.undo.plan(&calls(&[1])).unwrap();
    scene.undo.restore(&plan, &[], OperationLabel::default()).unwrap();
    assert_eq!(scene.text("a").as_deref(), Some("1"));
}

#[test]
fn what_already_is_as_it_was_needs_nothing() {
    let scene = Scene::new();
    fs::write(scene.file("a"), "1").unwrap();
    scene.change(1, "a", Some("2"));
    scene.change(1, "made", Some("x"));
    fs::write(scene.file("a"), "1").unwrap();
    fs::remove_file(scene.file("made")).unwrap();
    assert_eq!(
        scene.verdicts(&[1]),
        [("a".into(), UndoVerdict::Already), ("made".into(), UndoVerdict::Already)]
    );
    let plan = scene.undo.plan(&calls(&[1])).unwrap();
    assert_eq!(scene.undo.restore(&plan, &[], OperationLabel::default()), Ok(UndoOutcome::default()));
}

#[test]
fn a_file_whose_folder_is_gone_comes_back_with_its_folder() {
    let scene = Scene::new();
    fs::create_dir(scene.file("deep")).unwrap();
    fs::write(scene.file("deep/a"), "1").unwrap();
    scene.change(1, "deep/a", None);
    fs::remove_dir(scene.file("deep")).unwrap();
    let plan = scene.undo.plan(&calls(&[1])).unwrap();
    scene.undo.restore(&plan, &[], OperationLabel::default()).unwrap();
    assert_eq!(scene.text("deep/a").as_deref(), Some("1"));
}

#[test]
fn damage_is_told_and_nothing_is_made_up() {
    let scene = Scene::new();
    fs::write(scene.file("a"), "1").unwrap();
    scene.change(1, "a", Some("2"));
    let kept =
        fs::read_dir(scene.folder.path().join("undo/contents")).unwrap().next().unwrap().unwrap().path();
    fs::write(&kept, "other").unwrap();
    let plan = scene.undo.plan(&calls(&[1])).unwrap();
    assert!(matches!(
        scene.undo.restore(&plan, &[], OperationLabel::default()),
        Err(UndoError::Damaged { .. })
    ));
    assert_eq!(scene.text("a").as_deref(), Some("2"));
    let record =
        fs::read_dir(scene.folder.path().join("undo/records")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&record).unwrap();
    for broken in [
        "",
        "{}",
        &text.replace("\"version\":2", "\"version\":3"),
        &text.replace("\"path\":\"a\"", "\"path\":\"../a\""),
    ] {
        fs::write(&record, broken).unwrap();
        assert!(matches!(scene.undo.plan(&calls(&[1])), Err(UndoError::Damaged { .. })), "{broken}");
    }
}

#[test]
fn records_are_private_and_pruned_with_their_contents() {
    let scene = Scene::new();
    fs::write(scene.file("a"), "secret").unwrap();
    scene.change(1, "a", Some("2"));
    for entry in ["undo/records", "undo/contents"] {
        let folder = scene.folder.path().join(entry);
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        for file in fs::read_dir(folder).unwrap() {
            assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    assert_eq!(scene.undo.prune(KEPT, MOST_KEPT), Ok(0));
    assert_eq!(scene.undo.keys().unwrap().len(), 1);
    assert_eq!(scene.undo.prune(Duration::ZERO, MOST_KEPT), Ok(1));
    assert_eq!(scene.undo.keys().unwrap().len(), 0);
    assert_eq!(fs::read_dir(scene.folder.path().join("undo/contents")).unwrap().count(), 0);
}

#[test]
fn nothing_is_pruned_while_something_is_being_kept() {
    let scene = Scene::new();
    // A writer holds this lock shared, from writing the content until the record is written.
    let lock = fs::File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(scene.folder.path().join("undo/lock"));
    let lock = lock.unwrap();
    lock.lock_shared().unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let undo = scene.undo.clone();
    let pruning = std::thread::spawn(move || tell.send(undo.prune(KEPT, MOST_KEPT)).unwrap());
    assert!(told.recv_timeout(Duration::from_millis(300)).is_err(), "it did not wait");
    lock.unlock().unwrap();
    assert_eq!(told.recv_timeout(Duration::from_secs(20)).unwrap(), Ok(0));
    pruning.join().unwrap();
}

#[test]
fn the_oldest_contents_go_when_there_are_too_many_and_undo_says_so() {
    let scene = Scene::new();
    fs::write(scene.file("a"), "1".repeat(100)).unwrap();
    fs::write(scene.file("b"), "b".repeat(100)).unwrap();
    scene.change(1, "a", Some(&"2".repeat(100)));
    scene.change(1, "a", Some(&"3".repeat(100)));
    scene.change(2, "b", Some("new"));
    assert_eq!(scene.undo.prune(KEPT, 250), Ok(0));
    assert_eq!(fs::read_dir(scene.folder.path().join("undo/contents")).unwrap().count(), 2);
    let plan = scene.undo.plan(&calls(&[1])).unwrap();
    let refused = scene.undo.restore(&plan, &[], OperationLabel::default()).unwrap_err();
    assert!(refused.to_string().ends_with("its content was deleted to free space"), "{refused}");
    assert_eq!(scene.text("a"), Some("3".repeat(100)), "nothing in between is taken for the first");
    let plan = scene.undo.plan(&calls(&[2])).unwrap();
    scene.undo.restore(&plan, &[], OperationLabel::default()).unwrap();
    assert_eq!(scene.text("b"), Some("b".repeat(100)));
}

#[test]
fn a_content_that_is_kept_again_is_as_young_as_its_last_record() {
    let scene = Scene::new();
    for (key, text) in [(1, "same"), (2, "other"), (3, "same")] {
        fs::write(scene.file("a"), text).unwrap();
        scene.change(key, "a", Some("done"));
    }
    assert_eq!(scene.undo.prune(KEPT, 4), Ok(0));
    let plan = scene.undo.plan(&calls(&[3])).unwrap();
    scene.undo.restore(&plan, &[], OperationLabel::default()).unwrap();
    assert_eq!(scene.text("a").as_deref(), Some("same"));
}

#[test]
fn calls_are_found_by_the_folder_in_which_they_worked() {
    let scene = Scene::new();
    scene.change(1, "a.txt", Some("one"));
    assert_eq!(scene.undo.keys_in(&scene.at()).unwrap(), scene.undo.keys().unwrap());
    assert_eq!(scene.undo.keys().unwrap().len(), 1);
    assert!(scene.undo.keys_in(&"/elsewhere".parse().unwrap()).unwrap().is_empty());
}
