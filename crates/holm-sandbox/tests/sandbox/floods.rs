//! Guests that want more of the host than of themselves: names, handles, listings without end. Each
//! case runs in a process of its own that has few handles, and whose memory is looked at
//! afterwards.

use std::fs;
use std::path::Path;
use std::process::Command;

use holm_sandbox::{GuestCall, GuestOutcome};

use crate::kit::{ECHO, access, bare, componentise, load, program, run, text};
use crate::socket_guests::with_sockets;

/// Names the case in the process that runs it.
const CASE: &str = "HOLM_FLOOD";

/// How much memory a hostile call may take from the host, its own memory included.
const EXTRA: u64 = 64 << 20;

/// How many files and sockets the process may have, which is less than most systems give.
const HANDLES: u64 = 256;

struct Case {
    name: &'static str,
    guest: fn() -> Vec<u8>,
    grants: &'static [&'static str],
    /// What there is in the workspace.
    scene: fn(&Path),
    expect: fn(&GuestOutcome) -> bool,
}

const CASES: &[Case] = &[
    Case {
        name: "names of many megabytes are asked for",
        guest: || bytes(&asks_for_names()),
        grants: &[],
        scene: nothing,
        expect: |outcome| {
            let longest = outcome.refusals.iter().map(|refusal| refusal.to_string().len()).max();
            outcome.succeeded() && longest.is_some_and(|longest| longest < 400)
        },
    },
    Case {
        name: "sockets are made and kept",
        guest: || bytes(&with_sockets(&repeats("(call $create (i32.const 0) (i32.const 1024))"))),
        grants: &[],
        scene: nothing,
        expect: |outcome| outcome.reply == Some(Ok("64".to_owned())),
    },
    Case {
        name: "a module opens files and keeps them",
        guest: || bytes(&opens_files()),
        grants: &["read:**"],
        scene: one_file,
        expect: |outcome| outcome.stdout == [64],
    },
    Case {
        name: "a component opens files and keeps them",
        guest: || componentise(&bytes(&opens_files())),
        grants: &["read:**"],
        scene: one_file,
        expect: |outcome| outcome.stdout == [64],
    },
    Case {
        name: "a large folder is listed again and again",
        guest: || bytes(&lists("(i32.const 40)")),
        grants: &["read:**"],
        scene: many_files,
        expect: |outcome| outcome.reply == Some(Ok("40".to_owned())),
    },
    Case {
        name: "listings are begun and kept",
        guest: || bytes(&lists("(i32.const 99)")),
        grants: &["read:**"],
        scene: one_file,
        expect: |outcome| outcome.reply == Some(Ok("64".to_owned())),
    },
];

#[test]
fn floods_take_neither_the_memory_nor_the_handles_of_the_host() {
    if let Ok(name) = std::env::var(CASE) {
        let case = CASES.iter().find(|case| case.name == name).expect("no such case");
        return alone(case);
    }
    for case in CASES {
        let this = std::env::current_exe().unwrap();
        let test = "floods::floods_take_neither_the_memory_nor_the_handles_of_the_host";
        let output =
            Command::new(this).args(["--exact", test, "--nocapture"]).env(CASE, case.name).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{}:\n{}", case.name, String::from_utf8_lossy(&said));
    }
}

/// Runs one case in this process.
fn alone(case: &Case) {
    let few = rustix::process::Rlimit { current: Some(HANDLES), maximum: Some(HANDLES) };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, few).unwrap();
    let work = tempfile::tempdir().unwrap();
    (case.scene)(work.path());
    let guest = crate::kit::sandbox().load(&(case.guest)(), &mut |_| {}).unwrap();
    // What every first call takes is not the guest's doing.
    run(&load(&text(ECHO)), bare().input("alive"));
    let before = memory("VmRSS:");
    let outcome = run(&guest, GuestCall::new(access(case.grants, &[], Some(work.path()))));
    let extra = memory("VmHWM:").saturating_sub(before);
    assert!((case.expect)(&outcome), "{outcome:?}");
    assert!(extra <= EXTRA, "it took {} KiB", extra >> 10);
    fs::File::open(work.path()).expect("handles are left for others");
}

/// A number of this process's memory, in bytes.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

fn bytes(wat: &str) -> Vec<u8> {
    wat::parse_str(wat).unwrap()
}

fn nothing(_: &Path) {}

fn one_file(work: &Path) {
    fs::write(work.join("file"), "text").unwrap();
}

/// Long names, so that a listing in memory weighs some megabytes.
fn many_files(work: &Path) {
    for number in 0..20_000 {
        fs::File::create(work.join(format!("{number:0200}"))).unwrap();
    }
}

/// Asks for 64 names that differ in one letter.
fn asks_for_names() -> String {
    with_sockets(
        r"(drop (memory.grow (i32.const 250)))
          (memory.fill (i32.const 131072) (i32.const 97) (i32.const 15000000))
          (loop $l
              (i32.store8 (i32.const 131072) (i32.add (i32.const 48) (local.get $it)))
              (call $resolve (local.get $net) (i32.const 131072) (i32.const 15000000) (i32.const 1024))
              (local.set $it (i32.add (local.get $it) (i32.const 1)))
              (br_if $l (i32.lt_u (local.get $it) (i32.const 64))))
          (call $answer (i32.const 0) (i32.const 100) (i32.const 0))",
    )
}

/// Does something until it fails, at most 99 times, and answers how often it went well.
fn repeats(once: &str) -> String {
    repeats_until(once, "(i32.const 99)")
}

fn repeats_until(once: &str, most: &str) -> String {
    format!(
        r"(block $done (loop $l
              (br_if $done (i32.ge_u (local.get $it) {most}))
              {once}
              (br_if $done (i32.load8_u (i32.const 1024)))
              (local.set $it (i32.add (local.get $it) (i32.const 1))) (br $l)))
          (i32.store8 (i32.const 100) (i32.add (i32.const 48) (i32.div_u (local.get $it) (i32.const 10))))
          (i32.store8 (i32.const 101) (i32.add (i32.const 48) (i32.rem_u (local.get $it) (i32.const 10))))
          (call $answer (i32.const 0) (i32.const 100) (i32.const 2))"
    )
}

/// Opens the same file until that fails, and prints how often it went well.
fn opens_files() -> String {
    program(
        r#"(data (i32.const 64) "file")
           (func (export "_start") (local $n i32)
               (loop $more
                   (if (i32.gt_s (call $open (i32.const 64) (i32.const 4) (i32.const 0) (i64.const 2)) (i32.const 0))
                       (then (local.set $n (i32.add (local.get $n) (i32.const 1)))
                             (br_if $more (i32.lt_u (local.get $n) (i32.const 99))))))
               (call $byte (local.get $n)))"#,
    )
}

/// A component that lists the first directory it was given, and keeps each listing.
fn lists(most: &str) -> String {
    let codes = [
        "access",
        "would-block",
        "already",
        "bad-descriptor",
        "busy",
        "deadlock",
        "quota",
        "exist",
        "file-too-large",
        "illegal-byte-sequence",
        "in-progress",
        "interrupted",
        "invalid",
        "io",
        "is-directory",
        "loop",
        "too-many-links",
        "message-size",
        "name-too-long",
        "no-device",
        "no-entry",
        "no-lock",
        "insufficient-memory",
        "insufficient-space",
        "not-directory",
        "not-empty",
        "not-recoverable",
        "unsupported",
        "no-tty",
        "no-such-device",
        "overflow",
        "not-permitted",
        "pipe",
        "read-only",
        "invalid-seek",
        "text-file-busy",
        "cross-device",
    ];
    let codes: String = codes.iter().map(|code| format!("\"{code}\" ")).collect();
    let memory = r#"(memory (core memory $l "memory")) (realloc (core func $l "cabi_realloc"))"#;
    let body = repeats_until("(call $list (local.get $dir) (i32.const 1024))", most);
    format!(
        r#"(component
            (import "wasi:filesystem/types@0.2.0" (instance $types
                (export "descriptor" (type $d (sub resource)))
                (export "directory-entry-stream" (type $s (sub resource)))
                (type $c0 (enum {codes})) (export "error-code" (type $c (eq $c0)))
                (export "[method]descriptor.read-directory" (func (param "self" (borrow $d))
                    (result (result (own $s) (error $c)))))))
            (alias export $types "descriptor" (type $descriptor))
            (import "wasi:filesystem/preopens@0.2.0" (instance $preopens
                (alias outer 1 $descriptor (type $d0)) (export "descriptor" (type $d (eq $d0)))
                (export "get-directories" (func (result (list (tuple (own $d) string)))))))
            (core module $libc (memory (export "memory") 2) (global $next (mut i32) (i32.const 65536))
                (func (export "cabi_realloc") (param i32 i32 i32) (param $size i32) (result i32)
                    (global.get $next) (global.set $next (i32.and (i32.const -8)
                        (i32.add (i32.const 7) (i32.add (global.get $next) (local.get $size)))))))
            (core instance $l (instantiate $libc))
            (core func $list (canon lower (func $types "[method]descriptor.read-directory") {memory}))
            (core func $directories (canon lower (func $preopens "get-directories") {memory}))
            (core instance $fs (export "list" (func $list)) (export "directories" (func $directories)))
            (core module $m (import "libc" "memory" (memory 1))
                (import "fs" "list" (func $list (param i32 i32))) (import "fs" "directories" (func $directories (param i32)))
                (func $answer (param $tag i32) (param $ptr i32) (param $len i32) (result i32)
                    (i32.store8 (i32.const 0) (local.get $tag)) (i32.store (i32.const 4) (local.get $ptr))
                    (i32.store (i32.const 8) (local.get $len)) (i32.const 0))
                (func (export "run") (param i32 i32) (result i32) (local $it i32) (local $dir i32)
                    (call $directories (i32.const 200))
                    (local.set $dir (i32.load (i32.load (i32.const 200)))) {body}))
            (core instance $i (instantiate $m (with "libc" (instance $l)) (with "fs" (instance $fs))))
            (func $run (param "input" string) (result (result string (error string)))
                (canon lift (core func $i "run") {memory}))
            (instance $call (export "run" (func $run)))
            (export "holm:tool/call@0.1.0" (instance $call)))"#
    )
}
