//! The folder in which file tools work: whatever a path says, it leads to a file in there or nowhere.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, symlink},
    sync::LazyLock,
};

use holm_tools::root::WorkspaceRoot;

/// A root with links of every kind in it, and what must never come out of it beside it.
struct Stage {
    _folder: Folder,
    root: WorkspaceRoot,
    /// The files that may be opened, by device and inode, with the one path that each has.
    open: BTreeMap<(u64, u64), &'static str>,
}

/// Removed when the process ends in good order; a fuzzer's ends otherwise, and the system clears its own folder.
struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

static STAGE: LazyLock<Stage> = LazyLock::new(|| {
    let base = std::env::temp_dir().join(format!("holm-fuzz-root-{}", std::process::id()));
    let _ = fs::remove_dir_all(&base);
    for inner in ["outside", "root/a/b", "root/.git"] {
        fs::create_dir_all(base.join(inner)).expect("a folder of our own");
    }
    for secret in ["outside/s", "root/.env", "root/.git/config", "root/k.pem"] {
        fs::write(base.join(secret), "secret").expect("a file of our own");
    }
    let mut open = BTreeMap::new();
    for path in ["f", "a/f", "a/b/f", "a/..f"] {
        let place = base.join("root").join(path);
        fs::write(&place, path).expect("a file of our own");
        let found = fs::metadata(&place).expect("the file just written");
        open.insert((found.dev(), found.ino()), path);
    }
    for (to, at) in [
        ("../outside", "o"),
        ("../outside/s", "s"),
        ("..", "u"),
        (".", "h"),
        ("a", "d"),
        ("f", "l"),
        ("/", "r"),
        (".env", "e"),
        ("y", "x"),
        ("x", "y"),
        ("../../outside/none", "a/n"),
    ] {
        symlink(to, base.join("root").join(at)).expect("a link of our own");
    }
    let root = WorkspaceRoot::open(&base.join("root")).expect("the folder just made");
    Stage { _folder: Folder(base), root, open }
});

/// A path: it is refused, or it opens the one file that its normal form names, by whichever way it is walked.
pub fn root(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let stage = &*STAGE;
    let Ok(path) = stage.root.path(text) else { return };
    assert!(!path.is_absolute(), "{path} is not beneath the root");
    let found = stage.root.read(&path).map(holm_tools::root::OpenedFile::into_file);
    let stepped = stage.root.clone().in_steps().read(&path).map(holm_tools::root::OpenedFile::into_file);
    let id = |file: &fs::File| file.metadata().map(|found| (found.dev(), found.ino())).expect("an open file");
    match (&found, &stepped) {
        (Ok(one), Ok(other)) => {
            assert_eq!(id(one), id(other), "the two ways lead apart");
            let named = stage.open.get(&id(one)).expect("a file that may be opened");
            assert_eq!(*named, path.as_str(), "another name for it");
        }
        // What the caller wrote is no news to the caller.
        (Err(_), Err(error)) => {
            assert!(text.contains("outside") || !error.to_string().contains("outside"), "{error}");
        }
        (one, other) => panic!("{path}: one way says {one:?}, the other {other:?}"),
    }
}
