//! A manager and its executors, end to end over a socket.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use holm_kernel::{Bound, Model, NanoUsd, Price};
use holm_runtime::{Agent, Helper, Helpers, MemoryJournals};
use holm_testkit::double::{Act, Double, Seen};
use holm_wire::Format;

use crate::stage;

const PARTS: [&str; 4] = ["part-a", "part-b", "part-c", "part-d"];

fn card(name: &str) -> Model {
    let price = Price { input: 1_000_000_000, output: 1_000_000_000, ..Price::default() };
    Model { price: Some(price), ..Model::named(name) }
}

/// Hands out four parts, hands out again what failed, and cites whatever findings it was shown.
fn manager(body: &str) -> Act {
    let task = |part: &str| format!(r#"{{"task":"{part}"}}"#);
    if !body.contains("finding of") {
        let tasks = PARTS.map(task);
        let calls: Vec<_> = tasks.iter().zip(PARTS).map(|(task, id)| (id, "executor", &**task)).collect();
        return Act::calls(&calls);
    }
    if !body.contains("again") {
        assert!(body.contains("the helper `executor` failed"), "{body}");
        return Act::calls(&[("again", "executor", &task("part-c once again"))]);
    }
    let cited = PARTS.iter().filter(|part| body.contains(&format!("finding of {part}")));
    Act::says(&format!("From {}.", cited.copied().collect::<Vec<_>>().join(", ")))
}

/// Finds what it was asked for, except that part C calls a tool that is not there until it is asked once again.
fn executor(body: &str) -> Act {
    let part = PARTS.iter().find(|part| body.contains(**part)).unwrap();
    if *part == "part-c" && !body.contains("once again") {
        return Act::calls(&[("x", "shell", "{}")]);
    }
    Act::says(&format!("finding of {part}"))
}

#[tokio::test]
async fn a_manager_delegates_hands_out_again_what_failed_and_cites_all() {
    let (now, peak) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let highest = Arc::clone(&peak);
    let double = Double::answering(move |seen: &Seen| {
        let body = seen.text();
        if seen.model() == "manager" {
            return manager(&body);
        }
        highest.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
        // The first one waits for a second beside it; then each takes a moment, in which a third could be seen.
        let began = Instant::now();
        while highest.load(SeqCst) < 2 && began.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(30));
        now.fetch_sub(1, SeqCst);
        executor(&body)
    })
    .unwrap();
    let client = || stage::client(&double, Format::OpenaiChat);
    let worker = Agent::builder(card("double/worker"), client())
        .config(|config| config.limits.turns = Bound::AtMost(2))
        .build()
        .unwrap();
    let share = NanoUsd::new(100_000);
    let helper = Helper::new("executor", "Looks into one part.", worker).reserve(share);
    let budget = NanoUsd::new(600_000);
    let journals = MemoryJournals::new();
    let manager = Agent::builder(card("double/manager"), client())
        .config(|config| config.limits.budget.usd = Some(budget))
        .journals(journals.clone())
        .manages(Helpers::new().with(helper).at_most(2))
        .build()
        .unwrap();
    assert!(manager.config().tools.iter().all(|tool| tool.name == "executor"), "it can only delegate");
    let report = manager.run("Look into all four parts.").await.unwrap();
    assert_eq!(report.text().unwrap(), "From part-a, part-b, part-c, part-d.");
    assert_eq!(peak.load(SeqCst), 2, "two at once and no more");
    assert_eq!(journals.runs().len(), 6, "the manager, four executors and the one that went again");
    assert!(report.spent > NanoUsd::ZERO && report.spent <= budget);
    let asked = double.requests().len();
    assert!(asked >= 9, "three of the manager, one or two of each executor: {asked}");
}
