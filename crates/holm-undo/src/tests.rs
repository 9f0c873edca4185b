use std::{
    fs,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{MetadataExt as _, PermissionsExt as _, symlink},
        net::UnixListener,
    },
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;
use crate::{
    image::{Entry, EntryKind, Image},
    image_codec,
    path_state::LinkTarget,
    tree::Stamp,
};

/// The signature by which a folder says that it is a cache.
const CACHE: &str = "Signature: 8a477f597d28d172789f06886806bc55";

pub(crate) struct Scene {
    folder: tempfile::TempDir,
    pub(crate) store: UndoArchive,
    coverage: Coverage,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let store = UndoArchive::open(folder.path().join("undo")).unwrap();
        Self { folder, store, coverage: Coverage::default() }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> &Self {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
        self
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.at(path)).ok()
    }

    /// What a command does between two images.
    pub(crate) fn command(&self, key: &str, act: impl FnOnce()) -> CommandChanges {
        let command = self.store.begin(key, &self.root(), &self.coverage).unwrap();
        act();
        command.finish().unwrap()
    }

    fn undo(&self, key: &str) -> Result<UndoOutcome, UndoError> {
        let plan = self.store.plan([key])?;
        self.store.restore(&plan, &[], OperationLabel::default())
    }
}

fn path(text: &str) -> TreePath {
    TreePath::new(text).unwrap()
}

fn named(paths: &[UncoveredPath]) -> Vec<(String, UncoveredReason)> {
    paths.iter().map(|found| (found.path.to_string(), found.reason)).collect()
}

#[test]
fn a_path_stays_beneath_its_folder_and_is_shown_on_one_line() {
    for bad in ["", "/a", "a//b", "a/", ".", "a/./b", "../a", "a/../b", "a\0b"] {
        assert_eq!(TreePath::new(bad), Err(TreePathError), "{bad:?}");
    }
    let odd = TreePath::new(b"a\n\x1b[2J/\xff\xc3\xa9".to_vec()).unwrap();
    assert_eq!(odd.to_string(), "a\\n\\u{1b}[2J/\\xff\u{e9}");
    for path in [odd, path("plain")] {
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<TreePath>(&text).unwrap(), path, "{text}");
    }
    assert!(serde_json::from_str::<TreePath>("\"../a\"").is_err());
}

#[test]
fn a_hostile_tree_is_looked_at_without_waiting_and_without_leaving_it() {
    let scene = Scene::new();
    scene.write("a/file", "1");
    mknodat(CWD, scene.at("a/pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _socket = UnixListener::bind(scene.at("a/socket")).unwrap();
    symlink("..", scene.at("a/loop")).unwrap();
    symlink("/", scene.at("a/root")).unwrap();
    symlink("self", scene.at("self")).unwrap();
    let odd = scene.root().join(std::ffi::OsStr::from_bytes(b"odd\xff\n"));
    fs::write(&odd, "odd").unwrap();
    let outside = scene.folder.path().join("outside");
    fs::write(&outside, "mine").unwrap();
    symlink(&outside, scene.at("out")).unwrap();
    let found = scene.command("1", || {
        fs::remove_dir_all(scene.at("a")).unwrap();
        fs::remove_file(&odd).unwrap();
        fs::remove_file(scene.at("out")).unwrap();
        // A link in the place of a folder: what was beneath it must not be written through it.
        symlink(scene.folder.path(), scene.at("a")).unwrap();
    });
    let specials = ["a/pipe", "a/socket"].map(|path| (path.to_owned(), UncoveredReason::Special));
    assert_eq!(named(&found.lost), specials);
    scene.undo("1").unwrap();
    assert_eq!(scene.text("a/file").as_deref(), Some("1"));
    assert_eq!(fs::read_link(scene.at("a/root")).unwrap(), Path::new("/"));
    assert_eq!(fs::read_link(scene.at("out")).unwrap(), outside);
    assert_eq!(fs::read_to_string(&odd).unwrap(), "odd");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
    let mut beside: Vec<_> =
        fs::read_dir(scene.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    beside.sort();
    assert_eq!(beside, ["outside", "undo", "work"], "nothing was written outside");
}

#[test]
fn build_output_is_left_out_and_named_and_source_of_such_a_name_is_not() {
    let scene = Scene::new();
    scene.write(".gitignore", "/dist\n").write("dist/out.js", "built").write("lib/dist/source.js", "source");
    scene
        .write("node_modules/x/index.js", "x")
        .write("target/debug/x", "x")
        .write("target/CACHEDIR.TAG", CACHE);
    let all = ["dist", "lib", "node_modules", "target"];
    let found =
        scene.command("1", || all.iter().for_each(|name| fs::remove_dir_all(scene.at(name)).unwrap()));
    let left = ["dist", "node_modules", "target"].map(|path| (path.to_owned(), UncoveredReason::BuildOutput));
    assert_eq!(named(&found.lost), left);
    scene.undo("1").unwrap();
    assert_eq!(scene.text("lib/dist/source.js").as_deref(), Some("source"));
    assert!(!scene.at("node_modules").exists());
    // New build output is no loss, and an undo leaves it.
    let found = scene.command("2", || _ = scene.write("node_modules/y", "y").write("a", "a"));
    assert_eq!(
        (named(&found.left), found.lost),
        (vec![("node_modules".into(), UncoveredReason::BuildOutput)], vec![])
    );
    scene.undo("2").unwrap();
    assert!(scene.at("node_modules/y").exists() && !scene.at("a").exists());
}

#[test]
fn a_command_cannot_hide_what_it_does_by_making_a_folder_look_like_something_else() {
    let scene = Scene::new();
    for name in ["build", "bare", "out"] {
        scene.write(&format!("{name}/precious"), "1");
    }
    scene.command("1", || {
        for name in ["build", "bare", "out"] {
            fs::remove_file(scene.at(&format!("{name}/precious"))).unwrap();
        }
        scene.write("build/CACHEDIR.TAG", CACHE).write(".gitignore", "out\n").write("bare/HEAD", "ref: x");
        fs::create_dir(scene.at("bare/objects")).unwrap();
        fs::create_dir(scene.at("bare/refs")).unwrap();
    });
    scene.undo("1").unwrap();
    for name in ["build", "bare", "out"] {
        let names: Vec<_> =
            fs::read_dir(scene.at(name)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["precious"], "{name}");
    }
}

#[test]
fn of_a_repository_branches_come_back_and_nothing_that_git_runs() {
    let scene = Scene::new();
    scene.write(".git/HEAD", "ref: refs/heads/main").write(".git/refs/heads/main", "1111");
    scene
        .write(".git/objects/11/11", "object")
        .write(".git/config", "[core]")
        .write(".git/hooks/pre-commit", "old");
    symlink("/etc/x", scene.at(".git/refs/heads/link")).unwrap();
    let found = scene.command("1", || {
        scene.write(".git/HEAD", "ref: refs/heads/other").write(".git/refs/heads/other", "2222");
        fs::remove_file(scene.at(".git/refs/heads/main")).unwrap();
        fs::remove_file(scene.at(".git/refs/heads/link")).unwrap();
        fs::remove_file(scene.at(".git/hooks/pre-commit")).unwrap();
        scene.write(".git/config", "[core]\n\tpager = evil").write(".git/objects/22/22", "new");
    });
    assert_eq!((found.created, found.changed, found.deleted), (1, 1, 1));
    scene.undo("1").unwrap();
    assert_eq!(scene.text(".git/HEAD").as_deref(), Some("ref: refs/heads/main"));
    assert_eq!(scene.text(".git/refs/heads/main").as_deref(), Some("1111"));
    assert!(!scene.at(".git/refs/heads/other").exists() && scene.at(".git/objects/22/22").exists());
    assert!(!scene.at(".git/hooks/pre-commit").exists() && !scene.at(".git/refs/heads/link").is_symlink());
    assert_eq!(scene.text(".git/config").as_deref(), Some("[core]\n\tpager = evil"));
    // Without its objects a repository is not restored by halves, and a new one is not removed.
    let found = scene.command("2", || fs::remove_dir_all(scene.at(".git")).unwrap());
    assert_eq!(named(&found.lost), [(".git".to_owned(), UncoveredReason::Repository)]);
    assert_eq!(found.record, None);
    let found =
        scene.command("3", || _ = scene.write(".git/HEAD", "x").write("bare/HEAD", "x").write("a", "a"));
    assert_eq!(named(&found.left), [(".git".to_owned(), UncoveredReason::Repository)]);
    scene.undo("3").unwrap();
    assert!(scene.at(".git/HEAD").exists() && !scene.at("a").exists());
}

#[test]
fn a_large_file_is_named_and_never_removed() {
    let mut scene = Scene::new();
    let limits = CoverageLimits { file_bytes: 10, total_bytes: 25, ..CoverageLimits::default() };
    scene.coverage = Coverage::default().limits(limits);
    scene
        .write("large", "more than ten")
        .write("small", "1")
        .write("b", "1234567890")
        .write("c", "1234567890");
    scene.write("d", "1234567890");
    let found = scene.command("1", || {
        for name in ["large", "small", "b", "c", "d"] {
            fs::remove_file(scene.at(name)).unwrap();
        }
        scene.write("larger", "much more than ten");
    });
    let large = |path: &str| (path.to_owned(), UncoveredReason::TooLarge);
    // Small files are covered first.
    assert_eq!(named(&found.lost), [large("d"), large("large")]);
    assert_eq!(named(&found.left), [large("larger")]);
    scene.undo("1").unwrap();
    assert_eq!(scene.text("small").as_deref(), Some("1"));
    assert!(scene.at("larger").exists() && scene.at("b").exists() && scene.at("c").exists());
    let limits = CoverageLimits { entries: 3, ..CoverageLimits::default() };
    let coverage = Coverage::default().limits(limits);
    assert_eq!(
        scene.store.begin("2", &scene.root(), &coverage).unwrap_err(),
        UndoError::TooLarge { most: 3 }
    );
}

#[test]
fn what_the_host_excludes_is_not_stored() {
    let mut scene = Scene::new();
    scene.write("secret/key", "the planted word").write("open", "1").write("data/x", "of Holm");
    let coverage = Coverage::default().exclude(|path, _| path.as_bytes() == b"secret");
    scene.coverage = coverage.leave_out(&scene.at("data"));
    scene.command("1", || _ = scene.write("open", "2").write("secret/key", "x").write("data/x", "y"));
    scene.undo("1").unwrap();
    assert_eq!(scene.text("open").as_deref(), Some("1"));
    assert_eq!(
        (scene.text("secret/key").as_deref(), scene.text("data/x").as_deref()),
        (Some("x"), Some("y"))
    );
    let stored = fs::read_dir(scene.folder.path().join("undo/contents")).unwrap();
    let stored: Vec<String> =
        stored.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    assert!(stored.iter().all(|text| ["1", "2"].contains(&text.as_str())), "{stored:?}");
}

#[test]
fn a_path_that_changed_since_is_named_and_nothing_is_restored_until_it_is_forced() {
    let scene = Scene::new();
    scene.write("a", "1").write("b", "1").write("mode", "1");
    scene.command("1", || {
        scene.write("a", "2").write("b", "2").write("new/file", "2");
        fs::set_permissions(scene.at("mode"), fs::Permissions::from_mode(0o600)).unwrap();
    });
    scene.write("b", "mine").write("new/mine", "mine");
    fs::set_permissions(scene.at("mode"), fs::Permissions::from_mode(0o640)).unwrap();
    let paths = vec!["b".to_owned(), "mode".to_owned()];
    assert_eq!(scene.undo("1"), Err(UndoError::Changed { paths }));
    assert_eq!((scene.text("a").as_deref(), scene.text("b").as_deref()), (Some("2"), Some("mine")));
    let plan = scene.store.plan(["1"]).unwrap();
    let forced = [path("b"), path("mode")];
    let outcome = scene.store.restore(&plan, &forced, OperationLabel::default()).unwrap();
    assert_eq!((scene.text("a").as_deref(), scene.text("b").as_deref()), (Some("1"), Some("1")));
    // A folder with something of the user's stays.
    assert_eq!(outcome.kept, [path("new")]);
    assert_eq!(scene.text("new/mine").as_deref(), Some("mine"));
    // What was forced comes back too.
    scene.store.revert(Some(&scene.root()), &[]).unwrap();
    assert_eq!(scene.text("b").as_deref(), Some("mine"));
    assert_eq!(scene.at("mode").metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(scene.store.revert(Some(&scene.root()), &[]), Err(UndoError::NothingToRevert));
}

#[test]
fn a_folder_in_the_place_of_a_file_is_removed_only_if_nothing_else_is_in_it() {
    let scene = Scene::new();
    scene.write("a", "1");
    scene.command("1", || {
        fs::remove_file(scene.at("a")).unwrap();
        scene.write("a/in", "2");
    });
    scene.write("a/mine", "mine");
    assert_eq!(scene.undo("1"), Err(UndoError::Changed { paths: vec!["a".into()] }));
    assert_eq!(scene.text("a/mine").as_deref(), Some("mine"));
    fs::remove_file(scene.at("a/mine")).unwrap();
    scene.undo("1").unwrap();
    assert_eq!(scene.text("a").as_deref(), Some("1"));
}

#[test]
fn a_change_within_the_same_moment_and_of_the_same_size_is_seen() {
    let scene = Scene::new();
    scene.write("a", "1111");
    let time = fs::metadata(scene.at("a")).unwrap().modified().unwrap();
    scene.command("1", || {
        let file = fs::File::options().write(true).open(scene.at("a")).unwrap();
        std::io::Write::write_all(&mut &file, b"2222").unwrap();
        file.set_modified(time).unwrap();
    });
    scene.undo("1").unwrap();
    assert_eq!(scene.text("a").as_deref(), Some("1111"));
}

#[test]
fn what_a_command_did_whose_process_died_is_found_later() {
    let scene = Scene::new();
    scene.write("a", "1");
    let command = scene.store.begin("1", &scene.root(), &scene.coverage).unwrap();
    scene.write("a", "2");
    assert_eq!(scene.store.settle(&scene.root(), &scene.coverage), Ok(0), "it still runs");
    drop(command);
    assert_eq!(scene.store.settle(Path::new("/elsewhere"), &scene.coverage), Ok(0));
    assert_eq!(scene.store.settle(&scene.root(), &scene.coverage), Ok(1));
    assert_eq!(scene.store.settle(&scene.root(), &scene.coverage), Ok(0));
    scene.undo("1").unwrap();
    assert_eq!(scene.text("a").as_deref(), Some("1"));
    let command = scene.store.begin("2", &scene.root(), &scene.coverage).unwrap();
    command.cancel();
    assert_eq!(scene.store.settle(&scene.root(), &scene.coverage), Ok(0));
}

#[test]
fn file_tools_and_commands_of_one_turn_are_undone_together() {
    let scene = Scene::new();
    scene.write("a", "1").write("b", "1");
    let keep = |key: &str, name: &str, before: &str, after: &str| {
        let before = Some((before.as_bytes(), 0o644));
        scene.store.keep(key, &scene.root(), path(name), before, Some(after.as_bytes())).unwrap();
        scene.write(name, after);
    };
    keep("1", "a", "1", "2");
    scene.command("2", || _ = scene.write("a", "3").write("b", "3").write("c", "3"));
    keep("3", "a", "3", "4");
    let plan = scene.store.plan(["1", "2", "3"]).unwrap();
    assert!(plan.steps.iter().all(|step| step.verdict == UndoVerdict::Ready), "{plan:?}");
    scene.store.restore(&plan, &[], OperationLabel::default()).unwrap();
    assert_eq!((scene.text("a").as_deref(), scene.text("b").as_deref()), (Some("1"), Some("1")));
    assert!(!scene.at("c").exists() && scene.store.keys().unwrap().is_empty());
}

#[test]
fn bits_that_let_a_program_run_as_another_user_are_not_restored() {
    let scene = Scene::new();
    scene.write("tool", "1");
    fs::set_permissions(scene.at("tool"), fs::Permissions::from_mode(0o6755)).unwrap();
    scene.command("1", || fs::remove_file(scene.at("tool")).unwrap());
    scene.undo("1").unwrap();
    assert_eq!(scene.at("tool").metadata().unwrap().mode() & 0o7777, 0o755);
}

#[test]
fn contents_are_for_their_owner_and_are_stored_again_if_they_were_removed() {
    let scene = Scene::new();
    scene.write("a", "1").write("same", "1").write("b", "2");
    scene.command("1", || _ = scene.write("b", "3"));
    let contents = scene.folder.path().join("undo/contents");
    let names = || fs::read_dir(&contents).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(names().len(), 3, "each content is there once");
    for file in names() {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    // What the last image needs stays, and what a record needs.
    assert_eq!(scene.store.prune(KEPT, MOST_KEPT), Ok(0));
    assert_eq!(names().len(), 3);
    scene.store.prune_if_due(KEPT, MOST_KEPT).unwrap();
    assert_eq!(scene.store.prune_if_due(Duration::ZERO, 0), Ok(0), "it was just done");
    assert_eq!(names().len(), 3);
    scene.store.prune(Duration::from_secs(9), 0).unwrap();
    assert_eq!(names().len(), 0);
    let error = scene.undo("1").unwrap_err();
    assert!(error.to_string().contains("deleted to free space"), "{error}");
    scene.command("2", || fs::remove_file(scene.at("a")).unwrap());
    scene.undo("2").unwrap();
    assert_eq!(scene.text("a").as_deref(), Some("1"));
}

#[test]
fn an_image_is_read_as_it_was_written_and_a_damaged_one_is_not_read() {
    let stamp = Stamp { device: 1, inode: 2, size: 3, modified: -4, changed: 5, mode: 0o100_644, links: 2 };
    let entry = |name: &str, kind| Entry { path: path(name), stamp, kind };
    let image = Image {
        entries: vec![
            entry("a", EntryKind::File { digest: [7; 32], is_settled: true }),
            entry("b", EntryKind::File { digest: [8; 32], is_settled: false }),
            entry("c", EntryKind::Link(LinkTarget(b"x\xff".to_vec()))),
            entry("d", EntryKind::Folder),
            entry("e", EntryKind::Unkept(UncoveredReason::Special)),
        ],
        left_out: vec![UncoveredPath { path: path("target"), reason: UncoveredReason::BuildOutput }],
    };
    let bytes = image_codec::encode(Path::new("/w"), "key", &image);
    let read = image_codec::decode(&bytes).unwrap();
    assert_eq!((read.root.as_path(), read.key.as_str(), &read.image), (Path::new("/w"), "key", &image));
    for at in 0..bytes.len() {
        let mut broken = bytes.clone();
        broken[at] ^= 1;
        assert_eq!(image_codec::decode(&broken), None, "{at}");
        assert_eq!(image_codec::decode(&bytes[..at]), None, "{at}");
    }
}
