//! What guests can do with files: exactly what was granted, whichever way they ask.

use std::fs;
use std::path::PathBuf;

use holm_sandbox::{Call, Limits, Stop};

use crate::kit::{access, both, program, refusals, run, stdout};

const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 6;

/// A workspace with a secret beside it.
struct Scene {
    outer: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        let work = outer.path().join("work");
        fs::create_dir_all(work.join("docs/deep")).unwrap();
        fs::create_dir_all(work.join("out")).unwrap();
        fs::write(work.join("docs/a.txt"), "text").unwrap();
        fs::write(work.join("docs/b.key"), "key").unwrap();
        fs::write(work.join("out/old"), "old").unwrap();
        fs::write(outer.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink("../../secret", work.join("docs/leak")).unwrap();
        std::os::unix::fs::symlink("a.txt", work.join("docs/near")).unwrap();
        Self { outer }
    }

    fn work(&self) -> PathBuf {
        self.outer.path().join("work")
    }

    fn call(&self, grants: &[&str]) -> Call {
        Call::new(access(grants, &[], Some(&self.work())))
    }

    fn file(&self, path: &str) -> String {
        fs::read_to_string(self.work().join(path)).unwrap()
    }
}

/// A program that opens `path` and prints what it holds, or one byte with the error.
fn prints(path: &str) -> String {
    opens(
        path,
        0,
        READ,
        "(call $say (i32.const 2048) (call $read (local.get $fd) (i32.const 2048) (i32.const 99)))",
    )
}

/// A program that opens `path` and then does something with `$fd`; the error is printed as one byte.
fn opens(path: &str, oflags: u32, rights: u64, then: &str) -> String {
    let len = path.len();
    program(&format!(
        r#"(data (i32.const 64) "{path}") (data (i32.const 1024) "new")
           (func (export "_start") (local $fd i32)
               (local.set $fd (call $open (i32.const 64) (i32.const {len}) (i32.const {oflags}) (i64.const {rights})))
               (if (i32.lt_s (local.get $fd) (i32.const 0))
                   (then (call $byte (i32.sub (i32.const 0) (local.get $fd))))
                   (else {then})))"#
    ))
}

const ACCES: u8 = 2;
const NOENT: u8 = 44;
const PERM: u8 = 63;

#[test]
fn reading_follows_the_grant_exactly() {
    let scene = Scene::new();
    for (path, expect) in [
        ("docs/a.txt", b"text".to_vec()),
        ("docs/near", b"text".to_vec()),
        ("docs/./deep/../a.txt", b"text".to_vec()),
        ("docs/none.txt", vec![NOENT]),
        ("docs/b.key", vec![ACCES]),
        ("out/old", vec![ACCES]),
        ("docs/leak", vec![PERM]),
        ("../secret", vec![PERM]),
        ("docs/../../secret", vec![PERM]),
        ("/etc/passwd", vec![PERM]),
    ] {
        for (kind, guest) in both(&prints(path)) {
            let outcome = run(&guest, scene.call(&["read:docs/*.txt", "read:docs/near", "read:docs/leak"]));
            assert_eq!(outcome.stdout, expect, "{kind}: {path}: {outcome:?}");
        }
    }
}

#[test]
fn a_refusal_names_its_grant() {
    let scene = Scene::new();
    for (kind, guest) in both(&prints("docs/b.key")) {
        let outcome = run(&guest, scene.call(&["read:docs/*.txt"]));
        assert_eq!(refusals(&outcome), ["missing grant read:docs/b.key"], "{kind}");
    }
}

#[test]
fn without_grants_there_is_no_directory_at_all() {
    let scene = Scene::new();
    for (kind, guest) in both(&prints("docs/a.txt")) {
        let outcome = run(&guest, scene.call(&[]));
        assert_eq!(outcome.stdout.len(), 1, "{kind}: {outcome:?}");
    }
}

#[test]
fn writing_needs_its_own_grant() {
    let scene = Scene::new();
    let write = "(call $write (local.get $fd) (i32.const 1024) (i32.const 3))";
    for (path, oflags, rights, expect) in [
        ("out/new", 1, WRITE, vec![]),
        ("out/old", 8, WRITE, vec![]),
        ("docs/a.txt", 0, WRITE, vec![ACCES]),
        ("docs/a.txt", 8, READ, vec![ACCES]),
        ("docs/new", 1, WRITE, vec![ACCES]),
        ("docs/leak", 8, WRITE, vec![ACCES]),
    ] {
        for (kind, guest) in both(&opens(path, oflags, rights, write)) {
            let outcome = run(&guest, scene.call(&["read:docs/**", "write:out/**"]));
            assert_eq!(outcome.stdout, expect, "{kind}: {path} {oflags}: {outcome:?}");
        }
    }
    assert_eq!((scene.file("out/new"), scene.file("out/old")), ("new".to_owned(), "new".to_owned()));
    assert_eq!(scene.file("docs/a.txt"), "text");
    assert_eq!(fs::read_to_string(scene.outer.path().join("secret")).unwrap(), "secret");
}

#[test]
fn a_read_only_handle_cannot_be_written_or_resized() {
    let scene = Scene::new();
    let then = r"(call $write (local.get $fd) (i32.const 1024) (i32.const 3))
                 (drop (call $fd_filestat_set_size (local.get $fd) (i64.const 0)))";
    for (_, guest) in both(&opens("docs/a.txt", 0, READ, then)) {
        run(&guest, scene.call(&["read:docs/**"]));
        assert_eq!(scene.file("docs/a.txt"), "text");
    }
}

/// A program that calls one function on two paths and prints the error.
fn changes(call: &str) -> String {
    program(&format!(
        r#"(data (i32.const 64) "docs/a.txt") (data (i32.const 96) "out/x") (data (i32.const 128) "docs")
           (data (i32.const 160) "../../secret")
           (func (export "_start") (call $byte {call}))"#
    ))
}

const A: &str = "(i32.const 64) (i32.const 10)";
const X: &str = "(i32.const 96) (i32.const 5)";

#[test]
fn links_renames_and_removals_against_a_read_only_directory_fail() {
    let scene = Scene::new();
    for call in [
        format!("(call $path_rename (i32.const 3) {A} (i32.const 3) {X})"),
        format!("(call $path_link (i32.const 3) (i32.const 0) {A} (i32.const 3) {X})"),
        format!("(call $path_unlink_file (i32.const 3) {A})"),
        "(call $path_remove_directory (i32.const 3) (i32.const 128) (i32.const 4))".to_owned(),
        "(call $path_create_directory (i32.const 3) (i32.const 64) (i32.const 9))".to_owned(),
    ] {
        for (kind, guest) in both(&changes(&call)) {
            let outcome = run(&guest, scene.call(&["read:**", "write:out/**"]));
            assert_eq!(outcome.stdout, [ACCES], "{kind}: {call}: {outcome:?}");
        }
    }
    assert_eq!(scene.file("docs/a.txt"), "text");
}

#[test]
fn no_link_can_be_made_whatever_is_granted() {
    let scene = Scene::new();
    let call = format!("(call $path_symlink (i32.const 160) (i32.const 12) (i32.const 3) {X})");
    for (kind, guest) in both(&changes(&call)) {
        let outcome = run(&guest, scene.call(&["read:**", "write:**"]));
        assert_eq!(outcome.stdout, [PERM], "{kind}");
        assert_eq!(refusals(&outcome), ["refused to make the link out/x"], "{kind}");
        assert!(!scene.work().join("out/x").exists());
    }
}

#[test]
fn a_listing_leaves_out_what_is_not_granted() {
    let scene = Scene::new();
    // Opens "docs" as a directory and prints the raw listing, in which names stand as they are.
    let then = r"(drop (call $fd_readdir (local.get $fd) (i32.const 4096) (i32.const 4096) (i64.const 0) (i32.const 20)))
                 (call $say (i32.const 4096) (i32.load (i32.const 20)))";
    for (kind, guest) in both(&opens("docs", 2, READ, then)) {
        let listing = stdout(&run(&guest, scene.call(&["read:docs", "read:docs/*.txt"])));
        assert!(listing.contains("a.txt"), "{kind}: {listing:?}");
        assert!(!listing.contains("b.key") && !listing.contains("deep"), "{kind}: {listing:?}");
    }
}

#[test]
fn a_file_is_the_same_by_handle_and_by_path() {
    let scene = Scene::new();
    // Prints 0 where kind, size and identity agree.
    let then = r"(drop (call $fd_filestat_get (local.get $fd) (i32.const 2048)))
                 (drop (call $path_filestat_get (i32.const 3) (i32.const 1) (i32.const 64) (i32.const 10) (i32.const 3072)))
                 (call $byte (i32.or (i64.ne (i64.load (i32.const 2056)) (i64.load (i32.const 3080)))
                     (i32.or (i64.ne (i64.load (i32.const 2080)) (i64.load (i32.const 3104)))
                         (i32.ne (i32.load8_u (i32.const 2064)) (i32.load8_u (i32.const 3088))))))
                 (call $byte (i32.wrap_i64 (i64.load (i32.const 3104))))";
    for (kind, guest) in both(&opens("docs/a.txt", 0, READ, then)) {
        let outcome = run(&guest, scene.call(&["read:docs/**"]));
        assert_eq!(outcome.stdout, [0, 4], "{kind}: {outcome:?}");
    }
}

#[test]
fn numbers_of_handles_can_be_moved_but_not_invented() {
    let scene = Scene::new();
    // Moves the read-only file onto standard output and writes there; then tries a number that does not exist.
    let then = r"(drop (call $fd_renumber (local.get $fd) (i32.const 1)))
                 (call $write (i32.const 1) (i32.const 1024) (i32.const 3))
                 (call $write (i32.const 2) (i32.const 1024) (i32.const 3))
                 (drop (call $fd_renumber (i32.const 99) (i32.const 2)))
                 (call $write (i32.const 2) (i32.const 1024) (i32.const 3))";
    let [(_, module), _] = both(&opens("docs/a.txt", 0, READ, then));
    let outcome = run(&module, scene.call(&["read:docs/**"]));
    assert_eq!((outcome.stdout, outcome.stderr), (Vec::new(), b"newnew".to_vec()));
    assert_eq!(scene.file("docs/a.txt"), "text");
}

#[test]
fn what_is_written_has_a_limit() {
    let scene = Scene::new();
    let then = r"(loop $more (call $write (local.get $fd) (i32.const 1024) (i32.const 60000)) (br $more))";
    for (kind, guest) in both(&opens("out/big", 9, WRITE, then)) {
        let limits = Limits { written: 1 << 20, ..Limits::default() };
        let outcome = run(&guest, scene.call(&["write:out/**"]).limits(limits));
        assert_eq!(outcome.stop, Stop::TooMuchWritten, "{kind}");
        assert!(fs::metadata(scene.work().join("out/big")).unwrap().len() <= 1 << 20, "{kind}");
    }
    let sparse = "(call $byte (call $fd_filestat_set_size (local.get $fd) (i64.const 1000000000000)))";
    for (kind, guest) in both(&opens("out/sparse", 1, WRITE, sparse)) {
        assert_ne!(run(&guest, scene.call(&["write:out/**"])).stdout, [0], "{kind}");
        assert_eq!(fs::metadata(scene.work().join("out/sparse")).unwrap().len(), 0, "{kind}");
    }
}

#[test]
fn open_files_have_a_limit() {
    let scene = Scene::new();
    let wat = program(
        r#"(data (i32.const 64) "docs/a.txt")
           (func (export "_start")
               (loop $more
                   (br_if $more (i32.gt_s
                       (call $open (i32.const 64) (i32.const 10) (i32.const 0) (i64.const 2)) (i32.const 0))))
               (call $byte (i32.const 7)))"#,
    );
    let [(_, module), (_, component)] = both(&wat);
    let limits = Limits { handles: 100, ..Limits::default() };
    let call = || scene.call(&["read:docs/**"]).limits(limits);
    assert_eq!(run(&module, call()).stdout, [7]);
    assert_eq!(run(&component, call()).stop, Stop::OutOfHandles);
}
