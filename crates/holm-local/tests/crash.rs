//! A worker that is killed in the middle of a reply: the call fails, the next one has a new worker. In a program of its
//! own, so that the worker is found by its parents.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what helps tests may fail as they do"
)]

#[path = "model/ask.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod ask;

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use ask::{ask, ask_watched, open, replied, request, settings, text, user};
use holm_kernel::{CallId, FailureClass, ModelResult};
use holm_local::SERVE_ARGUMENT;
use holm_runtime::{Model as _, ReplyDelta};
use rustix::process::{Pid, Signal, kill_process};
use tokio_util::sync::CancellationToken;

fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

fn is_ours(pid: i32) -> bool {
    let ours = i32::try_from(std::process::id()).unwrap();
    let parents = std::iter::successors(Some(pid), |pid| parent(*pid)).take(16);
    parents.skip(1).any(|pid| pid == ours)
}

/// The workers among our descendants: the last in each chain that has the argument.
fn kill_worker() {
    let all =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let workers = all.filter(|pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let mut arguments = line.split(|byte| *byte == 0);
        let program = arguments.next().unwrap_or_default();
        program.ends_with(b"holm-local")
            && arguments.next() == Some(SERVE_ARGUMENT.as_bytes())
            && is_ours(*pid)
    });
    let workers: Vec<i32> = workers.collect();
    assert!(!workers.is_empty(), "no worker was found");
    for pid in workers {
        kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_is_an_error_of_the_calls_under_way_and_of_no_other() {
    let model = open(settings());
    let mut asked = request("", Vec::new());
    asked.max_output = Some(1500);
    let done = AtomicBool::new(false);
    let sink = move |_: CallId, delta: ReplyDelta<'_>| {
        if matches!(delta, ReplyDelta::Text { .. }) && !done.swap(true, Ordering::Relaxed) {
            kill_worker();
        }
    };
    let long = user("Tell me a very long story about the sea, the wind and the ships.");
    let mut line = model.open();
    let result = ask_watched(&mut *line, &asked, &[long], Arc::new(sink), CancellationToken::new()).await;
    let ModelResult::Failed(failure) = result else { panic!("{result:?}") };
    assert_eq!(failure.class, FailureClass::Server, "{failure:?}");
    assert!(failure.message.contains("the local model's process ended"), "{}", failure.message);
    asked.max_output = Some(8);
    let reply = replied(ask(&mut *line, &asked, &[user("Hello.")]).await);
    assert!(!text(&reply).is_empty());
}
