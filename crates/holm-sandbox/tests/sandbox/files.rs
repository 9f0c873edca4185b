//! What guests can do with files: exactly what was granted, whichever way they ask.

use std::fs;
use std::path::PathBuf;

use holm_sandbox::{GuestCall, GuestLimits, GuestStop};

use crate::kit::{access, both, program, refusals, run, stdout};

const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 6;
const CREATE: u32 = 1;

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

    fn call(&self, grants: &[&str]) -> GuestCall {
        GuestCall::new(access(grants, &[], Some(&self.work())))
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

/// A program that opens `path` and then does something with `$fd`; the error is
/// printed as one byte.
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
        let limits = GuestLimits { written: 1 << 20, ..GuestLimits::default() };
        let outcome = run(&guest, scene.call(&["write:out/**"]).limits(limits));
        assert_eq!(outcome.stop, GuestStop::TooMuchWritten, "{kind}");
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
    let call = |limits| scene.call(&["read:docs/**"]).limits(limits);
    let few = GuestLimits { handles: 20, ..GuestLimits::default() };
    assert_eq!(run(&module, call(few)).stdout, [7]);
    assert_eq!(run(&component, call(few)).stop, GuestStop::OutOfHandles);
    // Those of the system run out first, and that can be survived.
    let few = GuestLimits { files: 10, ..GuestLimits::default() };
    assert_eq!(run(&module, call(few)).stdout, [7]);
    assert_eq!(run(&component, call(few)).stdout, [7]);
}

#[test]
fn a_handle_without_any_right_gives_no_content() {
    let scene = Scene::new();
    // Where it can be read after all, three bytes are enough to see.
    let print = r"(if (i32.gt_s (call $read (local.get $fd) (i32.const 2048) (i32.const 3)) (i32.const 0))
                      (then (call $say (i32.const 2048) (i32.const 3))))";
    for (path, oflags, grants, denials) in [
        ("out/old", 0, &["write:out/**"][..], &[][..]),
        ("out/old", CREATE, &["write:out/**"], &[]),
        ("docs/b.key", 0, &["write:**"], &["read:**/*.key"]),
        ("docs/b.key", 0, &["read:**", "write:**"], &["read:**/*.key"]),
    ] {
        for (kind, guest) in both(&opens(path, oflags, 0, print)) {
            let outcome = run(&guest, GuestCall::new(access(grants, denials, Some(&scene.work()))));
            assert_eq!(stdout(&outcome), "", "{kind}: {path}: {outcome:?}");
        }
    }
}

#[test]
fn what_the_kernel_shows_of_itself_is_not_there_for_guests() {
    // As in a container, where everything lies in the folder that the command was started in.
    for path in
        ["proc/self/environ", "proc/self/mem", "proc/self/maps", "proc/1/cmdline", "proc/version", "proc"]
    {
        for (kind, guest) in both(&prints(path)) {
            let access = access(&["read:**", "write:**"], &[], Some(std::path::Path::new("/")));
            let outcome = run(&guest, GuestCall::new(access));
            assert_eq!(outcome.stdout.len(), 1, "{kind}: {path}: {outcome:?}");
            assert_eq!(refusals(&outcome).len(), 1, "{kind}: {path}: {outcome:?}");
        }
    }
}

#[test]
fn an_absolute_grant_is_not_led_elsewhere_by_a_link() {
    let scene = Scene::new();
    let outer = scene.outer.path().canonicalize().unwrap();
    std::os::unix::fs::symlink(&outer, scene.work().join("out/link")).unwrap();
    let work = scene.work().canonicalize().unwrap();
    let through = format!("{}/out/link/secret", work.display());
    let straight = format!("{}/secret", outer.display());
    for (grants, expect) in [
        (vec![format!("read:{through}")], ""),
        (vec![format!("read:{}/out/**", work.display())], ""),
        (vec![format!("write:{through}"), format!("read:{through}")], ""),
        (vec![format!("read:{straight}")], "secret"),
    ] {
        // The only directory that is given is the one of the grant, under any name.
        let name = if grants[0].ends_with("**") { "link/secret" } else { "secret" };
        for (kind, guest) in both(&prints(name)) {
            let grants: Vec<&str> = grants.iter().map(String::as_str).collect();
            let outcome = run(&guest, GuestCall::new(access(&grants, &[], Some(&work))));
            let said = if outcome.stdout.len() == 1 { String::new() } else { stdout(&outcome) };
            assert_eq!(said, expect, "{kind}: {grants:?}: {outcome:?}");
        }
    }
}

/// Reads into many parts at once and prints how many mebibytes came, at least
/// one where anything did.
const READS_MUCH: &str = r"
    (loop $part
        (i32.store (i32.add (i32.const 4096) (i32.shl (local.get $i) (i32.const 3))) (i32.const 131072))
        (i32.store (i32.add (i32.const 4100) (i32.shl (local.get $i) (i32.const 3))) (i32.const 1048576))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $part (i32.lt_u (local.get $i) (i32.const 64))))
    (drop (call $fd_read (local.get $fd) (i32.const 4096) (i32.const 64) (i32.const 8)))
    (call $byte (i32.shr_u (i32.add (i32.load (i32.const 8)) (i32.const 1048575)) (i32.const 20)))";

#[test]
fn one_call_reads_no_more_than_can_be_waited_for() {
    let scene = Scene::new();
    fs::File::create(scene.work().join("docs/sparse")).unwrap().set_len(1 << 30).unwrap();
    let wat = opens("docs/sparse", 0, READ, READS_MUCH)
        .replace("(local $fd i32)", "(local $fd i32) (local $i i32)")
        .replace(r#"(memory (export "memory") 2)"#, r#"(memory (export "memory") 20)"#);
    for (kind, guest) in both(&wat) {
        let outcome = run(&guest, scene.call(&["read:docs/**"]));
        assert_eq!(outcome.stdout, [1], "{kind}: {outcome:?}");
    }
}

#[test]
fn a_hole_in_a_file_is_no_larger_than_what_may_be_written() {
    let scene = Scene::new();
    // Goes far beyond the end and writes there; prints 0 where that was accepted.
    let then = r"(drop (call $fd_seek (local.get $fd) (i64.const 1099511627776) (i32.const 0) (i32.const 24)))
                 (i32.store (i32.const 0) (i32.const 1024)) (i32.store (i32.const 4) (i32.const 3))
                 (call $byte (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)))";
    for (kind, guest) in both(&opens("out/hole", CREATE, WRITE, then)) {
        let outcome = run(&guest, scene.call(&["write:out/**"]));
        assert_ne!(outcome.stdout, [0], "{kind}: {outcome:?}");
        assert_eq!(fs::metadata(scene.work().join("out/hole")).unwrap().len(), 0, "{kind}");
    }
    // What is there already may be written anywhere, however large it is.
    fs::File::create(scene.work().join("out/large")).unwrap().set_len(1 << 41).unwrap();
    for (kind, guest) in both(&opens("out/large", 0, WRITE, then)) {
        assert_eq!(run(&guest, scene.call(&["write:out/**"])).stdout, [0], "{kind}");
    }
}

const EXCLUSIVE: u32 = 4;

/// A program that makes `draft`, writes `new` into it, and then does something; the error of the
/// making is printed as one byte.
fn drafts(draft: &str, then: &str) -> String {
    let write = "(call $write (local.get $fd) (i32.const 1024) (i32.const 3))";
    opens(draft, CREATE | EXCLUSIVE, WRITE, &format!("{write} {then}"))
}

/// Gives what stands at 64 the name `out/old`, and prints the error as one byte.
fn renames(draft: &str) -> String {
    let len = draft.len();
    format!(
        r"(i64.store (i32.const 512) (i64.const 0x646c6f2f74756f)) (call $byte
            (call $path_rename (i32.const 3) (i32.const 64) (i32.const {len}) (i32.const 3) (i32.const 512) (i32.const 7)))"
    )
}

fn entries(scene: &Scene, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(scene.work().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn whoever_may_write_a_file_may_replace_it_by_a_draft_beside_it() {
    use std::os::unix::fs::PermissionsExt;
    let draft = "out/old.holm-draft-7f";
    for index in 0..2 {
        let scene = Scene::new();
        fs::set_permissions(scene.work().join("out/old"), fs::Permissions::from_mode(0o750)).unwrap();
        let (kind, guest) = both(&drafts(draft, &renames(draft))).into_iter().nth(index).unwrap();
        let outcome = run(&guest, scene.call(&["write:out/old"]));
        assert_eq!(outcome.stdout, [0], "{kind}: {outcome:?}");
        assert_eq!((scene.file("out/old").as_str(), entries(&scene, "out")), ("new", vec!["old".to_owned()]));
        let mode = fs::metadata(scene.work().join("out/old")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750, "{kind}: a script stays one");
    }
}

#[test]
fn a_draft_of_a_guest_that_is_cut_off_goes_and_the_file_stays() {
    let scene = Scene::new();
    let limits =
        GuestLimits { time: std::time::Duration::from_millis(50), fuel: u64::MAX, ..GuestLimits::default() };
    for (kind, guest) in both(&drafts("out/old.holm-draft-1", "(loop $l (br $l))")) {
        let outcome = run(&guest, scene.call(&["write:out/old"]).limits(limits));
        assert_eq!(outcome.stop, GuestStop::OutOfTime, "{kind}: {outcome:?}");
        assert_eq!((scene.file("out/old").as_str(), entries(&scene, "out")), ("old", vec!["old".to_owned()]));
    }
}

#[test]
fn only_the_draft_of_a_granted_file_is_one() {
    let scene = Scene::new();
    for path in ["out/other.holm-draft-1", "out/old.holm-draft-x", "out/old.holm-draft-", "out/old.draft-1"] {
        for (kind, guest) in both(&drafts(path, "")) {
            let outcome = run(&guest, scene.call(&["write:out/old"]));
            assert_eq!(outcome.stdout, [ACCES], "{kind}: {path}: {outcome:?}");
            assert_eq!(refusals(&outcome), [format!("missing grant write:{path}")], "{kind}");
        }
    }
    let denied = access(&["write:out/old"], &["write:**/*.holm-draft-*"], Some(&scene.work()));
    for (kind, guest) in both(&drafts("out/old.holm-draft-1", "")) {
        let outcome = run(&guest, GuestCall::new(denied.clone()));
        assert_eq!(outcome.stdout, [ACCES], "{kind}: what is denied stays denied: {outcome:?}");
    }
}

#[test]
fn a_journal_belongs_to_its_database_and_a_diary_to_nobody() {
    let scene = Scene::new();
    let head = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let journal = scene.work().join("out/old-journal");
    let opens = both(&opens("out/old-journal", CREATE, READ | WRITE, "(call $byte (i32.const 33))"));
    for (content, grants, expect) in [
        (None, &["read:out/old", "write:out/old"][..], b'!'),
        (Some(&head[..]), &["read:out/old", "write:out/old"], b'!'),
        (Some(&[0; 8]), &["read:out/old", "write:out/old"], b'!'),
        (Some(b"dear diary"), &["read:out/old", "write:out/old"], ACCES),
        (Some(&head), &["write:out/old"], ACCES),
        (None, &["read:docs/a.txt", "write:docs/a.txt"], ACCES),
    ] {
        for (kind, guest) in &opens {
            let _ = fs::remove_file(&journal);
            if let Some(content) = content {
                fs::write(&journal, content).unwrap();
            }
            let outcome = run(guest, scene.call(grants));
            assert_eq!(outcome.stdout, [expect], "{kind}: {content:?} {grants:?}: {outcome:?}");
        }
    }
}

#[test]
fn a_database_has_a_lock_that_goes_with_the_call_and_no_file_is_taken_for_one() {
    let lock = |then: &str| {
        program(&format!(
            r#"(data (i32.const 64) "out/old.lock") (func (export "_start")
                (call $byte (call $path_create_directory (i32.const 3) (i32.const 64) (i32.const 12))) {then})"#
        ))
    };
    let scene = Scene::new();
    let limits =
        GuestLimits { time: std::time::Duration::from_millis(50), fuel: u64::MAX, ..GuestLimits::default() };
    for (kind, guest) in both(&lock("(loop $l (br $l))")) {
        let outcome = run(&guest, scene.call(&["read:out/old", "write:out/old"]).limits(limits));
        assert_eq!((outcome.stop, outcome.stdout), (GuestStop::OutOfTime, vec![0]), "{kind}");
        assert_eq!(entries(&scene, "out"), ["old"], "{kind}: nobody finds a lock that nobody holds");
        assert_eq!(run(&guest, scene.call(&["write:out/old"]).limits(limits)).stdout, [ACCES], "{kind}");
    }
    fs::write(scene.work().join("out/old.lock"), "not yours").unwrap();
    let opens = opens("out/old.lock", CREATE, READ | WRITE, "(call $byte (i32.const 33))");
    for (kind, guest) in both(&opens) {
        let outcome = run(&guest, scene.call(&["read:out/old", "write:out/old"]));
        assert_eq!(outcome.stdout, [ACCES], "{kind}: {outcome:?}");
    }
}

#[test]
fn folders_on_the_way_to_a_granted_file_may_be_made_and_no_others() {
    let makes = |path: &str| {
        let len = path.len();
        program(&format!(
            r#"(data (i32.const 64) "{path}") (func (export "_start")
                (call $byte (call $path_create_directory (i32.const 3) (i32.const 64) (i32.const {len}))))"#
        ))
    };
    for (path, denials, expect) in [
        ("new", &[][..], 0),
        ("other", &[], ACCES),
        ("ne", &[], ACCES),
        ("new/deep/a.txt/b", &[], ACCES),
        ("new", &["write:new/"], ACCES),
    ] {
        for index in 0..2 {
            let scene = Scene::new();
            let (kind, guest) = both(&makes(path)).into_iter().nth(index).unwrap();
            let call = GuestCall::new(access(&["write:new/deep/a.txt"], denials, Some(&scene.work())));
            let outcome = run(&guest, call);
            assert_eq!(outcome.stdout, [expect], "{kind}: {path} {denials:?}: {outcome:?}");
        }
    }
}
