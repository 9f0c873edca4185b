//! Guests of the text world without a component around them: they answer like the others, and are
//! cut like the others.

use std::time::Duration;

use holm_sandbox::{GuestCall, GuestEntryPoint, GuestLimits, GuestOutcome, GuestStop};

use crate::kit::{ECHO, access, bare, load, plain, plain_with, refusals, run, sandbox, text};

/// Ends by its fuel, however busy the machine is.
fn tight() -> GuestLimits {
    GuestLimits { fuel: 10_000_000, time: Duration::from_secs(30), ..GuestLimits::default() }
}

/// Runs a guest and looks at how it ends.
#[track_caller]
fn check(wat: &str, expect: impl Fn(&GuestOutcome) -> bool) {
    let outcome = run(&load(wat), bare().limits(tight()).input("some input"));
    assert!(expect(&outcome), "{:?}, {:?}: {wat}", outcome.stop, outcome.reply);
    assert_eq!(run(&load(&plain(ECHO)), bare().input("alive")).reply, Some(Ok("alive".to_owned())));
}

fn trapped(outcome: &GuestOutcome) -> bool {
    matches!(outcome.stop, GuestStop::Trapped(_)) && outcome.reply.is_none()
}

fn unstartable(outcome: &GuestOutcome) -> bool {
    matches!(outcome.stop, GuestStop::Unstartable(_))
}

/// Answers with what lies there.
fn answer(tag: u8, at: i64, len: i64) -> String {
    format!(
        "(i32.store8 (i32.const 0) (i32.const {tag})) (i32.store (i32.const 4) (i32.const {at}))
         (i32.store (i32.const 8) (i32.const {len})) (i32.const 0)"
    )
}

#[test]
fn it_answers_as_its_component_does() {
    for input in ["", "hello", "grüße\n", &"x".repeat(60_000)] {
        for wat in [plain(ECHO), text(ECHO)] {
            let outcome = run(&load(&wat), bare().input(input));
            assert_eq!((outcome.stop, outcome.reply), (GuestStop::Returned, Some(Ok(input.to_owned()))));
        }
    }
    let fails = ECHO.replacen("(i32.const 0) (i32.const 0)", "(i32.const 0) (i32.const 1)", 1);
    let outcome = run(&load(&plain(&fails)), bare().input("no such file"));
    assert_eq!(outcome.reply, Some(Err("no such file".to_owned())));
    assert!(outcome.usage.fuel > 0 && outcome.usage.peak_memory >= 1 << 16, "{:?}", outcome.usage);
}

#[test]
fn it_is_known_for_what_it_is_and_says_what_it_is() {
    let silent = load(&plain(ECHO));
    assert_eq!((silent.entry(), silent.describes_itself()), (GuestEntryPoint::Text, false));
    let says = plain_with(
        r#"(data (i32.const 64) "about me") (data (i32.const 32) "\40\00\00\00\08\00\00\00")
           (func (export "holm:tool/description@0.1.0#describe") (result i32) (i32.const 32))"#,
        ECHO,
    );
    let says = load(&says);
    assert!(says.describes_itself());
    let outcome = sandbox().describe_here(&says, GuestLimits::default());
    assert_eq!(outcome.reply, Some(Ok("about me".to_owned())));
    assert!(matches!(
        sandbox().describe_here(&silent, GuestLimits::default()).stop,
        GuestStop::Unstartable(_)
    ));
}

#[test]
fn what_wants_to_be_called_first_is() {
    let first = |then: &str| {
        let extra = format!(r#"(func (export "_initialize") {then})"#);
        plain_with(&extra, &answer(0, 100, 2))
    };
    check(&first("(i32.store16 (i32.const 100) (i32.const 0x6968))"), |outcome| {
        outcome.reply == Some(Ok("hi".to_owned()))
    });
    check(&first("unreachable"), trapped);
    check(&first("(loop $l (br $l))"), |outcome| outcome.stop == GuestStop::OutOfFuel);
}

#[test]
fn nothing_of_one_call_is_there_for_the_next() {
    let counts = plain_with(
        "(global $count (mut i32) (i32.const 48))",
        &format!(
            "(global.set $count (i32.add (global.get $count) (i32.const 1)))
             (i32.store8 (i32.const 100) (i32.add (global.get $count) (i32.load8_u (i32.const 50000))))
             (i32.store8 (i32.const 50000) (i32.const 7)) {}",
            answer(0, 100, 1)
        ),
    );
    let guest = load(&counts);
    for round in 0..100 {
        assert_eq!(run(&guest, bare()).reply, Some(Ok("1".to_owned())), "round {round}");
    }
}

#[test]
fn it_is_cut_like_all_others() {
    check(&plain("(loop $l (br $l)) unreachable"), |outcome| outcome.stop == GuestStop::OutOfFuel);
    check(&plain_with("(func $f (call $f))", "(call $f) i32.const 0"), |outcome| {
        outcome.stop == GuestStop::OutOfStack
    });
    check(&plain("unreachable"), trapped);
    let greedy = "(drop (memory.grow (i32.const 60000))) unreachable";
    check(&plain(greedy), |outcome| outcome.stop == GuestStop::OutOfMemory);
}

#[test]
fn answers_that_lie_about_where_they_are_trap() {
    for (at, len) in [(-4, 100), (65_000, 60_000), (0, -1), (-1, 0), (-1, -1), (65_536, 1)] {
        check(&plain(&answer(0, at, len)), trapped);
    }
    for at in ["-1", "-4", "-8", "65535", "65533", "65529", "2147483647"] {
        check(&plain(&format!("(i32.const {at})")), trapped);
    }
    check(&plain(&answer(2, 100, 1)), trapped);
    let no_text = format!("(i32.store16 (i32.const 100) (i32.const 0xfffe)) {}", answer(0, 100, 2));
    check(&plain(&no_text), trapped);
    check(&plain(&answer(0, 65_536, 0)), |outcome| outcome.reply == Some(Ok(String::new())));
}

#[test]
fn a_description_that_lies_traps_too() {
    for at in ["-1", "65535", "65532"] {
        let extra = format!(
            r#"(func (export "holm:tool/description@0.1.0#describe") (result i32) (i32.const {at}))"#
        );
        let outcome = sandbox().describe_here(&load(&plain_with(&extra, ECHO)), tight());
        assert!(trapped(&outcome), "{at}: {:?}", outcome.stop);
    }
}

#[test]
fn room_for_the_input_that_is_not_there_traps() {
    for place in ["-1", "65535", "2147483647"] {
        let wat = plain(ECHO).replacen("(global.get $next)", &format!("(i32.const {place})"), 1);
        check(&wat, trapped);
    }
    let spins = plain(ECHO).replacen("(global.get $next)", "(loop $l (br $l)) (i32.const 0)", 1);
    check(&spins, |outcome| outcome.stop == GuestStop::OutOfFuel);
}

#[test]
fn an_answer_that_is_too_long_is_cut() {
    let long = |len: i64| plain(&format!("(drop (memory.grow (i32.const 800))) {}", answer(0, 16, len)));
    check(&long(8 << 20), GuestOutcome::succeeded);
    check(&long((8 << 20) + 1), |outcome| outcome.stop == GuestStop::TooMuchOutput);
    check(&long(50_000_000), |outcome| outcome.stop == GuestStop::TooMuchOutput);
}

#[test]
fn ways_in_of_the_wrong_type_are_told() {
    for (right, wrong) in [
        (
            r#"(func (export "holm:tool/call@0.1.0#run") (param $ptr i32) (param $len i32) (result i32)"#,
            r#"(func (export "holm:tool/call@0.1.0#run") (param $ptr i32) (param $len i32) (param i32) (result i32)"#,
        ),
        (r#"(func (export "cabi_realloc") "#, r#"(func (export "cabi_realloc") (param i64) "#),
        (r#"(memory (export "memory") 1)"#, r#"(memory 1) (global (export "memory") i32 (i32.const 0))"#),
    ] {
        let wat = plain(ECHO);
        assert!(wat.contains(right), "{right}");
        check(&wat.replacen(right, wrong, 1), unstartable);
    }
}

/// Opens the file `a` beneath the first directory, and answers with what it holds or with the
/// number of the error.
fn reads() -> String {
    plain_with(
        r#"(import "wasi_snapshot_preview1" "path_open"
               (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
           (import "wasi_snapshot_preview1" "fd_pread" (func $fd_pread (param i32 i32 i32 i64 i32) (result i32)))
           (data (i32.const 64) "a")"#,
        "(local $error i32)
         (local.set $error (call $path_open (i32.const 3) (i32.const 1) (i32.const 64) (i32.const 1) (i32.const 0)
             (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 16)))
         (i32.store (i32.const 4) (i32.const 256))
         (if (local.get $error)
             (then
                 (i32.store8 (i32.const 0) (i32.const 1))
                 (i32.store8 (i32.const 256) (i32.add (i32.const 48) (local.get $error)))
                 (i32.store (i32.const 8) (i32.const 1))
                 (return (i32.const 0))))
         (i32.store (i32.const 32) (i32.const 256)) (i32.store (i32.const 36) (i32.const 100))
         (if (call $fd_pread (i32.load (i32.const 16)) (i32.const 32) (i32.const 1) (i64.const 0) (i32.const 8))
             (then unreachable))
         (i32.const 0)",
    )
}

#[test]
fn it_has_the_files_that_were_granted_and_no_others() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a"), "content").unwrap();
    let guest = load(&reads());
    let ask = |grants: &[&str]| run(&guest, GuestCall::new(access(grants, &[], Some(dir.path()))));
    assert_eq!(ask(&["read:a"]).reply, Some(Ok("content".to_owned())));
    let outcome = ask(&["read:b"]);
    assert_eq!(outcome.reply, Some(Err("2".to_owned())));
    assert_eq!(refusals(&outcome), ["missing grant read:a"]);
    std::fs::remove_file(dir.path().join("a")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", dir.path().join("a")).unwrap();
    assert!(ask(&["read:**"]).reply.is_some_and(|reply| reply.is_err()));
}
