//! Ending a call from outside: cancelled, dropped, out of time, or because our own side fails.

use std::sync::Arc;
use std::time::{Duration, Instant};

use holm_sandbox::{CallOwner, CancelSwitch, GuestCall, GuestLimits, GuestStop, Sandbox, SandboxSettings};

use crate::kit::{ECHO, access, bare, both, load, program, run, sandbox, settings, text};

/// Long before anything else would end the guest.
const AT_ONCE: Duration = Duration::from_secs(20);
/// What is promised: ten ticks of the clock. Asserted where `HOLM_STRICT=1` says that the machine
/// has nothing else to do.
const PROMISED: Duration = Duration::from_millis(50);
/// What a busy machine that runs all tests at once may add.
const SLACK: Duration = Duration::from_millis(400);

/// Creates the file `begun`, so that the test that gave it a directory knows that it runs.
const BEGINS: &str = "(drop (call $open (i32.const 64) (i32.const 5) (i32.const 1) (i64.const 64)))";

fn spins() -> String {
    program(&format!(r#"(data (i32.const 64) "begun") (func (export "_start") {BEGINS} (loop $l (br $l)))"#))
}

/// A directory in which a guest says that it runs.
struct Sign(tempfile::TempDir);

impl Sign {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn call(&self) -> GuestCall {
        GuestCall::new(access(&["write:begun"], &[], Some(self.0.path()))).limits(endless())
    }

    fn has_begun(&self) -> bool {
        self.0.path().join("begun").exists()
    }

    fn wait(&self) {
        let began = Instant::now();
        while !self.has_begun() {
            assert!(began.elapsed() < AT_ONCE + AT_ONCE, "it never began");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Sleeps for an hour.
fn sleeps() -> String {
    program(&format!(
        r#"(data (i32.const 64) "begun") (func (export "_start") {BEGINS}
               (i64.store (i32.const 1024) (i64.const 7))
               (i32.store (i32.const 1040) (i32.const 1))
               (i64.store (i32.const 1048) (i64.const 3600000000000))
               (drop (call $poll_oneoff (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 4096))))"#,
    ))
}

fn endless() -> GuestLimits {
    GuestLimits { fuel: u64::MAX, time: Duration::from_secs(3600), ..GuestLimits::default() }
}

#[test]
fn a_cancelled_guest_stops_at_once_whatever_it_does() {
    let within = if std::env::var_os("HOLM_STRICT").is_some() { PROMISED } else { AT_ONCE };
    for (what, wat) in [("spins", spins()), ("sleeps", sleeps())] {
        for (kind, guest) in both(&wat) {
            let took = time_to_stop(&guest);
            println!("{kind} that {what}: {took:?}");
            assert!(took < within, "{kind} that {what}: {took:?}");
        }
    }
}

fn time_to_stop(guest: &holm_sandbox::Guest) -> Duration {
    let (cancel, sign) = (CancelSwitch::new(), Sign::new());
    std::thread::scope(|scope| {
        let call = scope.spawn(|| sandbox().run_here_until(guest, sign.call(), &cancel));
        sign.wait();
        let began = Instant::now();
        cancel.cancel();
        let outcome = call.join().unwrap();
        assert_eq!(outcome.stop, GuestStop::Cancelled);
        began.elapsed()
    })
}

#[test]
fn a_sleeper_wakes_when_its_time_is_over() {
    let limits = GuestLimits { time: Duration::from_millis(100), ..GuestLimits::default() };
    for (kind, guest) in both(&sleeps()) {
        let outcome = run(&guest, bare().limits(limits));
        assert_eq!(outcome.stop, GuestStop::OutOfTime, "{kind}");
        assert!(
            outcome.usage.time < Duration::from_millis(100) + AT_ONCE + SLACK,
            "{kind}: {:?}",
            outcome.usage
        );
    }
}

#[test]
fn a_short_sleep_is_slept() {
    let wat = sleeps().replace("3600000000000", "20000000");
    for (kind, guest) in both(&wat) {
        let outcome = run(&guest, bare());
        assert_eq!(outcome.stop, GuestStop::Returned, "{kind}");
        assert!(outcome.usage.time >= Duration::from_millis(20), "{kind}");
    }
}

#[tokio::test]
async fn a_dropped_call_frees_its_thread_and_the_guest_is_used_again() {
    let small =
        holm_sandbox::Sandbox::new(holm_sandbox::SandboxSettings { guests: 2, ..crate::kit::settings() })
            .unwrap();
    for wat in [spins(), sleeps()] {
        for bytes in [wat::parse_str(&wat).unwrap(), crate::kit::componentise(&wat::parse_str(&wat).unwrap())]
        {
            let guest = small.load(&bytes, &mut |_| {}).unwrap();
            let honest = small.load(&wat::parse_str(text(ECHO)).unwrap(), &mut |_| {}).unwrap();
            for _ in 0..4 {
                // Two threads, two guests that never end: only dropping them lets the third run.
                let signs = [Sign::new(), Sign::new()];
                let running = [small.run(&guest, signs[0].call()), small.run(&guest, signs[1].call())];
                signs.iter().for_each(Sign::wait);
                drop(running);
                let outcome = small.run(&honest, bare().input("still here")).await;
                assert_eq!(outcome.reply, Some(Ok("still here".to_owned())));
            }
        }
    }
}

#[tokio::test]
async fn a_call_can_be_cancelled_while_somebody_waits_for_it() {
    let guest = load(&spins());
    let running = sandbox().run(&guest, bare().limits(endless()));
    running.cancel().cancel();
    assert_eq!(running.await.stop, GuestStop::Cancelled);
}

#[tokio::test]
async fn a_spinning_guest_does_not_hold_up_the_runtime() {
    // One worker only: if the guest ran on it, nothing else would.
    let guest = load(&spins());
    let running = sandbox().run(&guest, bare().limits(endless()));
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    drop(running);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_calls_keep_their_latency_while_a_hostile_guest_runs() {
    let (spins, honest) = (load(&spins()), load(&text(ECHO)));
    let hostile = sandbox().run(&spins, bare().limits(endless()));
    let mut times = Vec::new();
    for _ in 0..200 {
        let began = Instant::now();
        let outcome = sandbox().run(&honest, bare().input("x")).await;
        assert!(outcome.succeeded());
        times.push(began.elapsed());
    }
    times.sort();
    let median = times[times.len() / 2];
    assert!(median < Duration::from_secs(2), "{median:?}");
    drop(hostile);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_takes_all_it_can_get_does_not_hold_up_another() {
    let sandbox = Sandbox::new(SandboxSettings { guests: 8, ..settings() }).unwrap();
    let load = |wat: &str| sandbox.load(&wat::parse_str(wat).unwrap(), &mut |_| {}).unwrap();
    let (sleeps, honest) = (load(&sleeps()), load(&text(ECHO)));
    let greedy = || bare().limits(endless()).party(CallOwner::named("greedy"));
    let held: Vec<_> = (0..100).map(|_| sandbox.run(&sleeps, greedy())).collect();
    let mut times = Vec::new();
    for _ in 0..100 {
        let began = Instant::now();
        let call = bare().input("x").party(CallOwner::named("modest"));
        let outcome = sandbox.run(&honest, call).await;
        assert!(outcome.succeeded(), "{outcome:?}");
        times.push(began.elapsed());
    }
    times.sort();
    // Sleeping guests sleep for an hour, and a call that finds no place is refused after half a
    // minute.
    assert!(times[times.len() / 2] < Duration::from_secs(2), "{times:?}");
    drop(held);
}

#[test]
fn a_host_function_that_panics_ends_the_call_and_nothing_else() {
    let guest = load(&crate::http::client());
    let call = || {
        let access = access(&["fetch:http://example.com"], &[], None);
        holm_sandbox::GuestCall::new(access).outbound(Arc::new(crate::evil::Broken)).input("example.com")
    };
    for _ in 0..3 {
        let outcome = run(&guest, call());
        assert!(!outcome.succeeded(), "{outcome:?}");
        assert!(matches!(outcome.stop, GuestStop::HostFailed(_)), "{outcome:?}");
        assert!(run(&load(&text(ECHO)), bare()).succeeded());
    }
}
