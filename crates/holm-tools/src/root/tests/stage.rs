//! A folder with a root in it, and files beside the root that no tool may reach.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use crate::root::WorkspaceRoot;

/// What stands in everything that is out of reach.
pub(crate) const SECRET: &str = "planted-secret-7f3a";

/// What stands in a file outside of which the root has a hard link.
pub(crate) const LINKED: &str = "linked-word";

/// What stands in what may be read.
pub(crate) const OPEN: &str = "open-word";

pub(crate) struct Stage {
    folder: TempDir,
    _socket: UnixListener,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        for inner in ["outside/deep", "root/a/b", "root/.git/hooks", "root/.ssh", "root/tools", "data"] {
            fs::create_dir_all(base.join(inner)).unwrap();
        }
        for folder in ["root/bare/objects", "root/bare/refs", "root/bare/hooks"] {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        for secret in [
            "outside/secret.txt",
            "outside/deep/secret.txt",
            "root/.env",
            "root/.env.local",
            "root/a/.env",
            "root/.git/config",
            "root/.git/HEAD",
            "root/.ssh/id_ed25519",
            "root/server.pem",
            "root/id_rsa",
        ] {
            fs::write(base.join(secret), SECRET).unwrap();
        }
        for open in ["root/ok.txt", "root/a/ok.txt", "root/a/b/ok.txt", "root/.env.example", "root/a/..ok"] {
            fs::write(base.join(open), OPEN).unwrap();
        }
        for open in ["root/bare/HEAD", "root/bare/config", "root/tools/say", "root/%2e%2e", "root/id_rsa.pub"]
        {
            fs::write(base.join(open), OPEN).unwrap();
        }
        let link = |to: &str, at: &str| symlink(to, base.join("root").join(at)).unwrap();
        link("../outside/secret.txt", "to_file");
        link("../outside", "to_folder");
        link("to_file", "to_link");
        link("loop_b", "loop_a");
        link("loop_a", "loop_b");
        link("../outside/missing.txt", "dangling");
        link("../outside/no_such_folder", "dangling_folder");
        link("..", "up");
        link(".", "here");
        link("/proc/self/cwd", "magic");
        link("/proc/self/root", "magic_root");
        link("/etc/passwd", "absolute");
        link("ok.txt", "inside");
        link(".env", "to_env");
        link("a", "to_a");
        link(".git", "to_git");
        link("../../outside", "a/nested");
        let socket = UnixListener::bind(base.join("root/socket")).unwrap();
        mknodat(CWD, base.join("root/pipe"), FileType::Fifo, Mode::from_raw_mode(0o666), 0).unwrap();
        fs::write(base.join("outside/linked.txt"), LINKED).unwrap();
        fs::hard_link(base.join("outside/linked.txt"), base.join("root/hard")).unwrap();
        Self { folder, _socket: socket }
    }

    pub(crate) fn base(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn inside(&self) -> PathBuf {
        self.base().join("root")
    }

    /// The root, walked as the system can and in steps.
    pub(crate) fn roots(&self) -> [WorkspaceRoot; 2] {
        let root = WorkspaceRoot::open(&self.inside()).unwrap();
        [root.clone(), root.in_steps()]
    }

    /// Every file that must stay as it is, with its bytes; links with what they say.
    pub(crate) fn guarded(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        for place in ["outside", "data", "root/.git", "root/.ssh", "root/bare", "root/tools"] {
            gather(&self.base().join(place), &mut all);
        }
        for name in fs::read_dir(self.inside()).unwrap() {
            let path = name.unwrap().path();
            if path.is_symlink() {
                all.insert(path.clone(), fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
            }
        }
        for place in ["root/.env", "root/.env.local", "root/a/.env", "root/server.pem", "root/id_rsa"] {
            all.insert(place.into(), fs::read(self.base().join(place)).unwrap());
        }
        all
    }
}

fn gather(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            gather(&path, all);
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}
