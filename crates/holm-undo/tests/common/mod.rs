//! A workspace with a repository, random scripts over it, and a second way to look at a tree.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _, fs::PermissionsExt as _, fs::symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A small random generator (`SplitMix64`), so that a seed gives the same scripts everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.roll(list.len())]
    }
}

/// A folder in memory where the system has one: nothing here depends on what a disk does.
pub(crate) fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

/// Everything that an undo restores of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    File { mode: u32, bytes: Vec<u8> },
    Link(Vec<u8>),
    Folder { mode: u32 },
    Other,
}

/// A tree as the standard library sees it, and which names are one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) paths: BTreeMap<PathBuf, Seen>,
    pub(crate) files: Vec<Vec<PathBuf>>,
}

/// What of `.git` is not compared: objects only get more, and settings are never touched.
const NOT_COMPARED: [&str; 7] = ["objects", "config", "hooks", "info", "description", "branches", "gc.log"];

/// Lists a tree without any code of the crate.
pub(crate) fn list(root: &Path) -> Listing {
    let mut paths = BTreeMap::new();
    let mut inodes: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let short = path.strip_prefix(root).unwrap().to_owned();
            let name = path.file_name().unwrap();
            let in_git = folder.file_name() == Some(OsStr::new(".git"));
            if in_git && NOT_COMPARED.iter().any(|skipped| name == OsStr::new(skipped)) {
                continue;
            }
            let data = fs::symlink_metadata(&path).unwrap();
            let mode = data.permissions().mode() & 0o7777;
            let seen = if data.is_dir() {
                open.push(path);
                Seen::Folder { mode }
            } else if data.is_symlink() {
                Seen::Link(fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec())
            } else if data.is_file() {
                inodes.entry(data.ino()).or_default().push(short.clone());
                Seen::File { mode, bytes: fs::read(&path).unwrap() }
            } else {
                Seen::Other
            };
            paths.insert(short, seen);
        }
    }
    let mut files: Vec<Vec<PathBuf>> = inodes.into_values().filter(|names| names.len() > 1).collect();
    files.iter_mut().for_each(|names| names.sort());
    files.sort();
    Listing { paths, files }
}

/// Says where two listings differ, in a few lines.
pub(crate) fn compare(old: &Listing, new: &Listing) -> Result<(), String> {
    if old == new {
        return Ok(());
    }
    let short = |seen: Option<&Seen>| match seen {
        Some(Seen::File { mode, bytes }) => format!("file {mode:o}, {} bytes", bytes.len()),
        other => format!("{other:?}"),
    };
    let mut lines = Vec::new();
    for path in old.paths.keys().chain(new.paths.keys()) {
        let (was, is) = (old.paths.get(path), new.paths.get(path));
        if was != is {
            lines.push(format!("{}: was {}, is {}", path.display(), short(was), short(is)));
        }
    }
    lines.sort();
    lines.dedup();
    if old.files != new.files {
        lines.push(format!("hard links: were {:?}, are {:?}", old.files, new.files));
    }
    lines.truncate(12);
    Err(lines.join("\n"))
}

/// Runs a script in a folder. How it ends does not matter: it may well remove what it needs.
pub(crate) fn run(root: &Path, script: &[u8]) {
    let mut command = Command::new("bash");
    command.arg("--norc").arg("-c").arg(OsStr::from_bytes(script)).current_dir(root);
    command.env("HOME", root.parent().unwrap()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    for name in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{name}_NAME"), "a").env(format!("GIT_{name}_EMAIL"), "a@b");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap();
}

/// Makes a repository with about this many files: two branches, odd names, links of both kinds,
/// modes, ignored and untracked files.
pub(crate) fn workspace(root: &Path, files: usize) {
    fs::create_dir_all(root).unwrap();
    run(root, b"git init -q -b main . && git config gc.auto 0 && git config core.quotepath off");
    let mut dice = Dice(7);
    for number in 0..files {
        let folder = root.join(format!("d{}/e{}", number % 23, number % 7));
        fs::create_dir_all(&folder).unwrap();
        let text = format!("line {number}\n").repeat(dice.roll(40));
        let file = folder.join(format!("f{number}.txt"));
        fs::write(&file, text).unwrap();
        if dice.roll(9) == 0 {
            fs::set_permissions(&file, fs::Permissions::from_mode(*dice.pick(&[0o755, 0o600, 0o444])))
                .unwrap();
        }
    }
    let odd: [&[u8]; 5] =
        [b"d0/with space", b"d0/new\nline", b"d0/not\xfftext", b"d1/-dash", b"d1/quote'\"$x"];
    for name in odd {
        fs::write(root.join(OsStr::from_bytes(name)), "odd").unwrap();
    }
    symlink("e0", root.join("d0/to-folder")).unwrap();
    symlink("/nonexistent/outside", root.join("d0/to-outside")).unwrap();
    symlink("nowhere", root.join("d1/dangling")).unwrap();
    fs::write(root.join(".gitignore"), "*.log\n").unwrap();
    run(
        root,
        b"git add -A && git commit -qm one && git checkout -qb other && sed -i s/line/LINE/ d1/e*/* && \
        rm -r d2 && git commit -qam two && git checkout -q main",
    );
    fs::write(root.join("noise.log"), "ignored").unwrap();
    fs::write(root.join("d3/untracked"), "untracked").unwrap();
    fs::hard_link(root.join("d3/untracked"), root.join("d3/untracked-too")).unwrap();
    fs::hard_link(root.join("noise.log"), root.join("d4/noise.log")).unwrap();
    fs::create_dir(root.join("d5/empty")).unwrap();
    fs::create_dir(root.join("d5/closed")).unwrap();
    fs::write(root.join("d5/closed/file"), "x").unwrap();
    fs::set_permissions(root.join("d5/closed"), fs::Permissions::from_mode(0o555)).unwrap();
}

/// A random script of a few commands over the paths of a listing.
pub(crate) fn script(dice: &mut Dice, listing: &Listing) -> Vec<u8> {
    let inside = |path: &&PathBuf| !path.starts_with(".git");
    let of = |is: fn(&Seen) -> bool| -> Vec<PathBuf> {
        listing
            .paths
            .iter()
            .filter(|(_, seen)| is(seen))
            .map(|(path, _)| path)
            .filter(inside)
            .cloned()
            .collect()
    };
    let files = of(|seen| matches!(seen, Seen::File { .. }));
    let folders = of(|seen| matches!(seen, Seen::Folder { .. }));
    let mut text = Vec::new();
    for number in 0..=dice.roll(5) {
        let (one, two) = (quoted(dice.pick::<PathBuf>(&files)), quoted(dice.pick::<PathBuf>(&files)));
        let (here, there) = (quoted(dice.pick::<PathBuf>(&folders)), quoted(dice.pick::<PathBuf>(&folders)));
        let mode = *dice.pick(&["644", "600", "755", "444", "000", "777"]);
        let line: Vec<&[u8]> = match dice.roll(36) {
            0 | 1 => vec![b"rm -rf ", &here],
            2 => vec![b"rm -f ", &one, b" ", &two],
            3 => vec![b"mv -f ", &one, b" ", &two],
            4 => vec![b"mv ", &here, b" ", &there],
            5 => vec![b"mv ", &one, b" ", &there, b"/$'moved\\n\\xfe'"],
            6 | 7 => vec![b"sed -i 's/line/changed/' ", &one, b" ", &two],
            8 => vec![b"chmod ", mode.as_bytes(), b" ", &one],
            9 => vec![b"chmod -R ", mode.as_bytes(), b" ", &here],
            10 => vec![b"chmod 700 ", &here, b" ", &there],
            11 => vec![b"ln -s ../x ", &here, b"/link$RANDOM"],
            12 => vec![b"ln ", &one, b" ", &there, b"/hard$RANDOM"],
            13 => vec![b"ln -f ", &one, b" ", &two],
            14 => vec![b"ln -sfn ", &there, b" ", &one],
            15 => vec![b"truncate -s 0 ", &one],
            16 => vec![b": > ", &one],
            17 => vec![b"echo more >> ", &one],
            18 => vec![b"printf XXX | dd of=", &one, b" conv=notrunc"],
            19 => vec![b"mkdir -p ", &here, b"/new/deep && echo x > ", &here, b"/new/deep/file"],
            20 => vec![b"rm -f ", &one, b" && mkdir ", &one, b" && echo in > ", &one, b"/in"],
            21 => vec![b"rm -rf ", &here, b" && echo file > ", &here],
            22 => vec![b"rm -rf ", &here, b" && ln -s nowhere ", &here],
            23 => vec![b"mkfifo ", &here, b"/pipe$RANDOM"],
            24 => vec![b"git checkout -q other"],
            25 => vec![b"git checkout -q -- . ; git checkout -q -b branch$RANDOM"],
            26 => vec![b"git clean -qfdx"],
            27 => vec![b"git stash -q -u"],
            28 => vec![b"git reset -q --hard HEAD"],
            29 => vec![b"git add -A && git commit -qm more"],
            30 => vec![b"git rm -rqf --ignore-unmatch ", &here],
            31 => vec![b"cp -a ", &here, b" ", &there, b"/copy"],
            32 => vec![b"find ", &here, b" -name '*1.txt' -delete"],
            33 => vec![b"cp ", &one, b" t$$ && mv t$$ ", &one],
            34 => vec![b"git branch -qD other; git merge -q other; git pack-refs --all"],
            _ => vec![b"find ", &here, b" -type f -exec sh -c 'printf z >> \"$1\"' _ {} \\;"],
        };
        if number > 0 {
            text.extend(b"\n");
        }
        text.extend(line.concat());
    }
    text
}

fn quoted(path: &Path) -> Vec<u8> {
    let mut out = b"'./".to_vec();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'\'' => out.extend(b"'\\''"),
            byte => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}
