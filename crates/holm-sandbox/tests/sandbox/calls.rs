//! What an honest guest sees and what its caller gets back, for every kind of guest.

use std::time::Duration;

use crate::kit::{
    ECHO, access, bare, both, load, program, refusals, run, sandbox, stdout, text, text_with, try_load,
};
use holm_sandbox::{
    GuestAccess, GuestCall, GuestClock, GuestEntryPoint, GuestLimits, GuestLoadError, GuestRandomness,
    GuestStop,
};

#[test]
fn a_command_writes_and_ends() {
    let wat = program(
        r#"(data (i32.const 64) "hello\nwarning\n")
           (func (export "_start")
               (call $say (i32.const 64) (i32.const 6))
               (call $write (i32.const 2) (i32.const 70) (i32.const 8)))"#,
    );
    for (kind, guest) in both(&wat) {
        let outcome = run(&guest, bare().arg("hello"));
        assert_eq!(outcome.stop, GuestStop::Returned, "{kind}");
        assert!(outcome.succeeded());
        assert_eq!(outcome.stdout, b"hello\n", "{kind}");
        assert_eq!(outcome.stderr, b"warning\n", "{kind}");
        assert!(outcome.usage.fuel > 0 && outcome.usage.fuel < 1_000_000, "{kind}: {:?}", outcome.usage);
        assert!(outcome.usage.peak_memory >= 2 << 16, "{kind}");
        assert_eq!(outcome.refusals, [], "{kind}");
    }
}

#[test]
fn the_entry_is_known() {
    let [(_, module), (_, component)] = both(&program(r#"(func (export "_start"))"#));
    assert_eq!((module.entry(), component.entry()), (GuestEntryPoint::Module, GuestEntryPoint::Command));
    let answers = load(&text(ECHO));
    assert_eq!((answers.entry(), answers.describes_itself()), (GuestEntryPoint::Text, false));
    assert_eq!(try_load("(module (func (export \"other\")))").unwrap_err(), GuestLoadError::NoEntry);
}

#[test]
fn exit_codes_come_back() {
    let wat = program(r#"(func (export "_start") (call $proc_exit (i32.const 42)))"#);
    let [(_, module), (_, component)] = both(&wat);
    assert_eq!(run(&module, bare()).stop, GuestStop::Exited(42));
    // A component made by the adapter can only tell 0 from 1.
    assert_eq!(run(&component, bare()).stop, GuestStop::Exited(1));
    for (kind, guest) in both(&program(r#"(func (export "_start") (call $proc_exit (i32.const 0)))"#)) {
        let outcome = run(&guest, bare());
        assert!(outcome.succeeded() && outcome.stop == GuestStop::Exited(0), "{kind}: {outcome:?}");
    }
}

/// Prints all arguments or variables, each with a zero at its end.
fn lists(sizes: &str, get: &str) -> String {
    program(&format!(
        r#"(func (export "_start")
               (drop (call ${sizes} (i32.const 20) (i32.const 24)))
               (drop (call ${get} (i32.const 1024) (i32.const 4096)))
               (call $say (i32.const 4096) (i32.load (i32.const 24))))"#
    ))
}

#[test]
fn arguments_arrive_exactly() {
    for (kind, guest) in both(&lists("args_sizes_get", "args_get")) {
        let outcome = run(&guest, bare().args(["tool", "", "a b", "--x=\u{1f600}"]));
        assert_eq!(stdout(&outcome), "tool\0\0a b\0--x=\u{1f600}\0", "{kind}");
    }
}

#[test]
fn only_granted_variables_are_seen() {
    for (kind, guest) in both(&lists("environ_sizes_get", "environ_get")) {
        let call = || GuestCall::new(access(&["env:LANG", "env:APP_*"], &[], None));
        let outcome = run(&guest, call().env("LANG", "C").env("APP_X", "1").env("SECRET", "key"));
        assert_eq!(stdout(&outcome), "LANG=C\0APP_X=1\0", "{kind}");
        assert_eq!(refusals(&outcome), ["missing grant env:SECRET"], "{kind}");
        // Nothing comes from this process by itself.
        assert_eq!(stdout(&run(&guest, call())), "", "{kind}");
    }
}

#[test]
fn standard_input_is_what_was_given_and_then_ends() {
    let wat = program(
        r#"(func (export "_start") (local $n i32)
               (loop $more
                   (local.set $n (call $read (i32.const 0) (i32.const 1024) (i32.const 3)))
                   (if (i32.gt_s (local.get $n) (i32.const 0))
                       (then (call $say (i32.const 1024) (local.get $n)) (br $more)))))"#,
    );
    for (kind, guest) in both(&wat) {
        assert_eq!(stdout(&run(&guest, bare().stdin("some input"))), "some input", "{kind}");
        assert_eq!(stdout(&run(&guest, bare())), "", "{kind}");
    }
}

#[test]
fn time_and_randomness_are_real_or_fixed() {
    let wat = program(
        r#"(func (export "_start")
               (drop (call $clock_time_get (i32.const 0) (i64.const 1) (i32.const 1024)))
               (drop (call $random_get (i32.const 1032) (i32.const 16)))
               (call $say (i32.const 1024) (i32.const 24)))"#,
    );
    for (kind, guest) in both(&wat) {
        let fixed = || {
            let time = Duration::from_secs(1_700_000_000);
            run(&guest, bare().clock(GuestClock::Fixed(time)).randomness(GuestRandomness::Seeded(7))).stdout
        };
        let bytes = fixed();
        assert_eq!(bytes.len(), 24, "{kind}");
        assert_eq!(bytes[..8], 1_700_000_000_000_000_000_u64.to_le_bytes(), "{kind}");
        assert_eq!(bytes, fixed(), "{kind}");
        let real = run(&guest, bare()).stdout;
        assert_ne!(real[..8], bytes[..8], "{kind}");
        assert_ne!(real[8..], run(&guest, bare()).stdout[8..], "{kind}");
    }
}

#[test]
fn a_text_guest_answers() {
    let guest = load(&text(ECHO));
    for input in ["", "{\"a\":1}", "\u{fc}\u{1f600}", &"x".repeat(20_000)] {
        let outcome = run(&guest, bare().input(input));
        assert_eq!(outcome.reply, Some(Ok(input.to_owned())));
        assert!(outcome.succeeded());
    }
}

#[test]
fn an_answer_is_taken_before_the_guest_frees_it() {
    // After the call it is told to free its answer, and writes over it as allocators do.
    let frees = r#"(func (export "free") (param i32)
        (memory.fill (i32.const 4096) (i32.const 88) (i32.const 1024)) (i32.store (i32.const 8) (i32.const 1)))"#;
    let wat = text_with(frees, ECHO).replace(
        r#"(realloc (core func $i "cabi_realloc"))"#,
        r#"(realloc (core func $i "cabi_realloc")) (post-return (core func $i "free"))"#,
    );
    let outcome = run(&load(&wat), bare().input("what was asked"));
    assert_eq!(outcome.reply, Some(Ok("what was asked".to_owned())), "{outcome:?}");
}

#[test]
fn a_text_guest_can_say_that_it_failed() {
    let body = ECHO.replacen("(i32.const 0) (i32.const 0)", "(i32.const 0) (i32.const 1)", 1);
    let outcome = run(&load(&text(&body)), bare().input("no such file"));
    assert_eq!(outcome.reply, Some(Err("no such file".to_owned())));
    assert!(outcome.stop == GuestStop::Returned && !outcome.succeeded());
}

#[tokio::test]
async fn a_guest_describes_itself_without_any_grant() {
    let wat = r#"(component
        (core module $m
            (memory (export "memory") 1)
            (data (i32.const 100) "{\"name\":\"x\"}")
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) i32.const 2000)
            (func (export "describe") (result i32)
                (i32.store (i32.const 0) (i32.const 100)) (i32.store (i32.const 4) (i32.const 12)) i32.const 0)
            (func (export "run") (param i32 i32) (result i32) unreachable))
        (core instance $i (instantiate $m))
        (func $run (param "input" string) (result (result string (error string)))
            (canon lift (core func $i "run") (memory (core memory $i "memory")) (realloc (core func $i "realloc"))))
        (func $describe (result string) (canon lift (core func $i "describe") (memory (core memory $i "memory"))))
        (instance $call (export "run" (func $run)))
        (instance $description (export "describe" (func $describe)))
        (export "holm:tool/call@0.1.0" (instance $call))
        (export "holm:tool/description@0.1.0" (instance $description)))"#;
    let guest = load(wat);
    assert!(guest.describes_itself());
    assert_eq!(sandbox().describe(&guest).await.reply, Some(Ok(r#"{"name":"x"}"#.to_owned())));
    let silent = load(&text(ECHO));
    assert!(matches!(sandbox().describe(&silent).await.stop, GuestStop::Unstartable(_)));
}

#[test]
fn an_import_that_does_not_exist_is_named() {
    let error = try_load(r#"(module (import "env" "system" (func)) (func (export "_start")))"#).unwrap_err();
    assert!(matches!(&error, GuestLoadError::Import(text) if text.contains("system")), "{error}");
    let error = try_load(r#"(component (import "evil:host/exec@1.0.0" (instance (export "run" (func)))))"#);
    assert!(matches!(error.unwrap_err(), GuestLoadError::Import(text) if text.contains("evil:host/exec")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_at_once_do_not_mix() {
    let guest = load(&text(ECHO));
    let command = load(&lists("args_sizes_get", "args_get"));
    let tasks: Vec<_> = (0..64)
        .map(|task| {
            let (guest, command) = (guest.clone(), command.clone());
            tokio::spawn(async move {
                for call in 0..20 {
                    let word = format!("{task}/{call}");
                    let outcome =
                        sandbox().run(&guest, GuestCall::new(GuestAccess::none()).input(&word)).await;
                    assert_eq!(outcome.reply, Some(Ok(word.clone())));
                    let outcome =
                        sandbox().run(&command, GuestCall::new(GuestAccess::none()).arg(&word)).await;
                    assert_eq!(stdout(&outcome), format!("{word}\0"));
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[test]
fn more_callers_than_places_wait_for_each_other() {
    let small =
        holm_sandbox::Sandbox::new(holm_sandbox::SandboxSettings { guests: 2, ..crate::kit::settings() })
            .unwrap();
    let bytes = wat::parse_str(lists("args_sizes_get", "args_get")).unwrap();
    let guest = small.load(&crate::kit::componentise(&bytes), &mut |_| {}).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(stdout(&small.run_here(&guest, bare().arg("x"))), "x\0");
                }
            });
        }
    });
}

#[test]
fn the_limits_of_a_call_are_its_own() {
    let guest = load(&program(r#"(func (export "_start") (loop $l (br $l)))"#));
    let small = GuestLimits { fuel: 1_000_000, ..GuestLimits::default() };
    let outcome = run(&guest, bare().limits(small));
    assert_eq!(outcome.stop, GuestStop::OutOfFuel);
    assert!(outcome.usage.fuel >= 1_000_000);
    let short = GuestLimits { time: Duration::from_millis(50), fuel: u64::MAX, ..GuestLimits::default() };
    let outcome = run(&guest, bare().limits(short));
    assert_eq!(outcome.stop, GuestStop::OutOfTime);
    // Without the limit it would never end.
    assert!(outcome.usage.time < Duration::from_secs(60), "{:?}", outcome.usage);
}
