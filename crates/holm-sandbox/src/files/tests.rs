use std::fs;
use std::path::Path;

use holm_grants::{DenialSet, GrantPolicy, GrantSet};
use rustix::io::Errno;

use super::*;

/// A workspace with files, a secret next to it, and links of every kind.
struct Scene {
    outer: tempfile::TempDir,
    files: GuestFiles,
}

impl Scene {
    fn new(grants: &[&str], denials: &[&str]) -> Self {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("work");
        for dir in ["src/deep", "out", "private"] {
            fs::create_dir_all(inner.join(dir)).unwrap();
        }
        for (path, text) in [
            ("src/lib.rs", "lib"),
            ("src/deep/mod.rs", "mod"),
            ("src/.env", "env"),
            ("private/key", "key"),
            ("out/log", "log"),
        ] {
            fs::write(inner.join(path), text).unwrap();
        }
        fs::write(outer.path().join("secret"), "secret").unwrap();
        for (target, link) in [
            ("lib.rs", "src/inside"),
            ("deep", "src/dir"),
            ("../private/key", "src/sideways"),
            ("../../secret", "src/outside"),
            ("/etc/passwd", "src/absolute"),
            ("loop", "src/loop"),
            ("../../missing", "out/dangling"),
        ] {
            std::os::unix::fs::symlink(target, inner.join(link)).unwrap();
        }
        let policy = GrantPolicy {
            grants: GrantSet::parse(grants.iter().copied()).unwrap(),
            denials: DenialSet::parse(denials.iter().copied()).unwrap(),
        };
        let access = GuestAccess::open(policy, Some(&inner)).unwrap();
        Self { outer, files: GuestFiles::for_tests(access, 1 << 20) }
    }

    fn work(&self) -> std::path::PathBuf {
        self.outer.path().join("work")
    }

    fn read(&self, path: &str) -> Result<String, Errno> {
        let options = FileOpenOptions { read: true, ..FileOpenOptions::default() };
        let opened = self.files.open(&GuestPath::root(0), path, LinkFollowing::Yes, options)?;
        std::io::read_to_string(opened.file).map_err(|_| Errno::ISDIR)
    }

    fn write(&self, path: &str) -> Result<(), Errno> {
        let options =
            FileOpenOptions { write: true, create: true, truncate: true, ..FileOpenOptions::default() };
        self.files.open(&GuestPath::root(0), path, LinkFollowing::Yes, options).map(|_| ())
    }

    fn refusals(&self) -> Vec<String> {
        self.files.audit.take().0.iter().map(ToString::to_string).collect()
    }
}

#[test]
fn what_is_granted_is_read_and_nothing_else() {
    let scene = Scene::new(&["read:src/**"], &["path:**/.env"]);
    for (path, expect) in [
        ("src/lib.rs", Ok("lib")),
        ("src/./deep/../lib.rs", Ok("lib")),
        ("src//deep/mod.rs", Ok("mod")),
        ("src/inside", Ok("lib")),
        ("src/dir/mod.rs", Ok("mod")),
        ("src/none", Err(Errno::NOENT)),
        ("src/.env", Err(Errno::ACCESS)),
        ("src/sideways", Err(Errno::ACCESS)),
        ("src/outside", Err(Errno::PERM)),
        ("src/absolute", Err(Errno::PERM)),
        ("src/loop", Err(Errno::LOOP)),
        ("private/key", Err(Errno::ACCESS)),
        ("../secret", Err(Errno::PERM)),
        ("src/../../secret", Err(Errno::PERM)),
        ("/etc/passwd", Err(Errno::PERM)),
        ("src/lib.rs\0x", Err(Errno::INVAL)),
        ("", Err(Errno::NOENT)),
        ("src/%2e%2e/x", Err(Errno::NOENT)),
        ("src/..\\..\\secret", Err(Errno::INVAL)),
    ] {
        assert_eq!(scene.read(path).as_deref().map_err(|e| *e), expect, "{path}");
    }
    assert_eq!(scene.read(&format!("src/{}", "x/".repeat(3000))), Err(Errno::NAMETOOLONG));
}

#[test]
fn a_refusal_names_what_a_link_leads_to() {
    let scene = Scene::new(&["read:src/**"], &[]);
    scene.read("src/sideways").unwrap_err();
    scene.read("src/outside").unwrap_err();
    scene.write("src/lib.rs").unwrap_err();
    assert_eq!(
        scene.refusals(),
        [
            "missing grant read:private/key",
            "refused to leave its directory for src/outside",
            "missing grant write:src/lib.rs"
        ]
    );
}

#[test]
fn read_only_files_cannot_be_changed_in_any_way() {
    let scene = Scene::new(&["read:**", "write:out/**"], &[]);
    let root = GuestPath::root(0);
    let files = &scene.files;
    assert_eq!(scene.write("src/lib.rs"), Err(Errno::ACCESS));
    let truncate = FileOpenOptions { read: true, truncate: true, ..FileOpenOptions::default() };
    assert_eq!(files.open(&root, "src/lib.rs", LinkFollowing::Yes, truncate).err(), Some(Errno::ACCESS));
    let append = FileOpenOptions { append: true, ..FileOpenOptions::default() };
    assert_eq!(files.open(&root, "src/lib.rs", LinkFollowing::Yes, append).err(), Some(Errno::ACCESS));
    for result in [
        files.unlink(&root, "src/lib.rs"),
        files.remove_directory(&root, "src/deep"),
        files.create_directory(&root, "src/new"),
        files.rename(&root, "src/lib.rs", &root, "out/lib.rs"),
        files.rename(&root, "out/log", &root, "src/log"),
        files.link(&root, "src/lib.rs", &root, "out/lib.rs"),
        files.link(&root, "out/log", &root, "src/log"),
    ] {
        assert_eq!(result, Err(Errno::ACCESS));
    }
    assert_eq!(fs::read_to_string(scene.work().join("src/lib.rs")).unwrap(), "lib");
    scene.write("out/new").unwrap();
    files.rename(&root, "out/new", &root, "out/newer").unwrap();
    files.unlink(&root, "out/newer").unwrap();
}

#[test]
fn no_repository_is_completed_around_a_head_and_none_is_changed() {
    let scene = Scene::new(&["read:**", "write:**", "write:new/objects/x"], &["path:**/HEAD"]);
    let (root, files) = (GuestPath::root(0), &scene.files);
    for folder in ["new", "plain", "folder/HEAD"] {
        fs::create_dir_all(scene.work().join(folder)).unwrap();
    }
    fs::write(scene.work().join("new/HEAD"), "any text").unwrap();
    scene.write("plain/draft").unwrap();
    for path in ["new/config", "new/Config", "new/refs", "new/config.worktree"] {
        assert_eq!(scene.write(path), Err(Errno::ACCESS), "{path}");
    }
    for result in [
        files.create_directory(&root, "new/objects"),
        files.create_directory(&root, "new/hooks"),
        files.rename(&root, "plain/draft", &root, "new/config"),
        files.rename(&root, "plain", &root, "new/refs"),
    ] {
        assert_eq!(result, Err(Errno::ACCESS));
    }
    for path in ["new/notes", "plain/config", "folder/config"] {
        scene.write(path).unwrap();
    }
    assert!(
        scene.refusals().contains(&"write:new/config is denied by the rule about git repositories".into())
    );
}

#[test]
fn nothing_is_written_through_a_link() {
    let scene = Scene::new(&["read:**", "write:out/**", "write:src/**"], &[]);
    assert_eq!(scene.write("out/dangling"), Err(Errno::PERM));
    assert_eq!(scene.write("src/outside"), Err(Errno::PERM));
    assert_eq!(scene.write("src/sideways"), Err(Errno::ACCESS));
    assert!(!scene.outer.path().join("missing").exists());
    assert_eq!(fs::read_to_string(scene.outer.path().join("secret")).unwrap(), "secret");
    assert_eq!(scene.files.refuse_link(&GuestPath::root(0), "out/l"), Errno::PERM);
    assert!(scene.refusals().contains(&"refused to make the link out/l".to_owned()));
}

#[test]
fn moving_gives_no_power_over_what_is_moved() {
    let scene = Scene::new(&["write:**", "read:out/**"], &["path:private/key"]);
    let (files, root) = (&scene.files, GuestPath::root(0));
    // The file could be written but not read; in `out` it could be read.
    assert_eq!(files.rename(&root, "src/lib.rs", &root, "out/lib.rs"), Err(Errno::ACCESS));
    assert_eq!(files.link(&root, "src/lib.rs", &root, "out/lib.rs"), Err(Errno::ACCESS));
    // The directory holds a file that is denied where it is, and would not be where it goes.
    assert_eq!(files.rename(&root, "private", &root, "out/private"), Err(Errno::ACCESS));
    files.rename(&root, "src/deep", &root, "src/deeper").unwrap();
    files.rename(&root, "out/log", &root, "src/log").unwrap();
}

#[test]
fn a_listing_shows_only_what_is_granted() {
    let scene = Scene::new(&["read:src/*.rs", "read:out/**"], &[]);
    let root = GuestPath::root(0);
    let src = root.join("src").unwrap();
    assert!(scene.files.shows(&src, "lib.rs"));
    assert!(!scene.files.shows(&src, ".env"));
    assert!(!scene.files.shows(&src, "deep"));
    assert!(scene.files.shows(&root, "out"));
    assert!(!scene.files.shows(&root, "private"));
    assert_eq!(scene.files.may_list(&root), Ok(()));
    assert_eq!(scene.files.may_list(&src), Err(Errno::ACCESS));
    let options = FileOpenOptions { read: true, directory: true, ..FileOpenOptions::default() };
    assert!(scene.files.open(&root, ".", LinkFollowing::Yes, options).is_ok());
    assert!(scene.files.stat(&root, "src/..", LinkFollowing::Yes).is_ok());
    assert_eq!(scene.files.open(&root, "src", LinkFollowing::Yes, options).err(), Some(Errno::ACCESS));
    let create = FileOpenOptions { write: true, create: true, ..FileOpenOptions::default() };
    assert!(scene.files.open(&root, ".", LinkFollowing::Yes, create).is_err());
}

#[test]
fn pipes_and_sockets_are_refused_without_hanging() {
    let scene = Scene::new(&["read:**", "write:**"], &[]);
    let fifo = scene.work().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(scene.work().join("socket")).unwrap();
    assert_eq!(scene.read("pipe"), Err(Errno::ACCESS));
    assert!(scene.read("socket").is_err());
    assert!(scene.write("pipe").is_err());
}

#[test]
fn an_absolute_grant_opens_its_directory_under_its_own_name() {
    let data = tempfile::tempdir().unwrap();
    fs::write(data.path().join("a.csv"), "1").unwrap();
    fs::write(data.path().join("b.txt"), "2").unwrap();
    let base = fs::canonicalize(data.path()).unwrap();
    let grant = format!("read:{}/*.csv", base.display());
    let scene = Scene::new(&["read:src/**", &grant], &[]);
    let names: Vec<_> = scene.files.access.names().map(str::to_owned).collect();
    assert_eq!(names, ["/".to_owned(), base.display().to_string()]);
    let options = FileOpenOptions { read: true, ..FileOpenOptions::default() };
    let open = |path| scene.files.open(&GuestPath::root(1), path, LinkFollowing::Yes, options).map(|_| ());
    assert_eq!((open("a.csv"), open("b.txt")), (Ok(()), Err(Errno::ACCESS)));
    assert!(Path::new(&base).exists());
}

#[test]
fn swapping_a_directory_for_a_link_never_lets_a_path_out() {
    let scene = Scene::new(&["read:**"], &[]);
    let work = scene.work();
    fs::create_dir(scene.outer.path().join("elsewhere")).unwrap();
    fs::write(scene.outer.path().join("elsewhere/mod.rs"), "secret").unwrap();
    std::os::unix::fs::symlink("../elsewhere", work.join("swap")).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = rustix::fs::renameat_with(
                    rustix::fs::CWD,
                    work.join("swap"),
                    rustix::fs::CWD,
                    work.join("src/deep"),
                    rustix::fs::RenameFlags::EXCHANGE,
                );
            }
        });
        for _ in 0..10_000 {
            if let Ok(text) = scene.read("src/deep/mod.rs") {
                assert_eq!(text, "mod");
            }
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_link_is_not_moved_to_where_it_leads_out() {
    let scene = Scene::new(&["read:**", "write:**"], &["write:private/**"]);
    let (files, root) = (&scene.files, GuestPath::root(0));
    std::os::unix::fs::symlink("../../out/log", scene.work().join("src/deep/up")).unwrap();
    std::os::unix::fs::symlink("private/x", scene.work().join("src/deep/into")).unwrap();
    for (old, new, expect) in [
        ("src/deep/up", "notes.md", Err(Errno::PERM)),
        ("src/deep", "deep", Err(Errno::PERM)),
        ("src/absolute", "notes.md", Err(Errno::PERM)),
        // From there it would lead to what may not be written.
        ("src/deep/into", "into", Err(Errno::ACCESS)),
        ("src/deep/up", "src/deep/upper", Ok(())),
        ("src/inside", "src/within", Ok(())),
        ("src/deep", "src/deeper", Ok(())),
    ] {
        if expect.is_err() {
            assert_eq!(files.link(&root, old, &root, new).is_err(), expect.is_err(), "{old} {new}");
        }
        assert_eq!(files.rename(&root, old, &root, new), expect, "{old} {new}");
    }
    assert!(!scene.work().join("notes.md").is_symlink());
}

#[test]
fn what_is_made_counts_even_when_it_is_empty() {
    let scene = Scene::new(&["read:**", "write:**"], &[]);
    let files = GuestFiles { quota: WriteQuota::new(3 * 4096), ..scene.files.clone() };
    let (root, create) = (GuestPath::root(0), FileOpenOptions { create: true, ..FileOpenOptions::default() });
    let open = |path| files.open(&root, path, LinkFollowing::Yes, create).map(|_| ());
    assert_eq!(files.create_directory(&root, "made"), Ok(()));
    assert_eq!((open("made/file"), files.link(&root, "out/log", &root, "made/log")), (Ok(()), Ok(())));
    // What is there already is not made again.
    assert_eq!((open("made/file"), open("out/log")), (Ok(()), Ok(())));
    assert_eq!(
        (open("made/more"), files.create_directory(&root, "more")),
        (Err(Errno::NOSPC), Err(Errno::NOSPC))
    );
    assert_eq!(files.link(&root, "out/log", &root, "made/log2"), Err(Errno::NOSPC));
}
