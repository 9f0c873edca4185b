//! A manager and its executors, end to end over a socket.

use std::sync::Arc;

use holm_kernel::{Bound, ModelSpec, NanoUsd, Price};
use holm_runtime::{Agent, HelperAgent, HelperSet, MemoryJournalStore};
use holm_testkit::double::{Double, Seen};
use holm_wire::Format;

use crate::{
    delegation::{Executors, manager},
    stage,
};

fn card(name: &str) -> ModelSpec {
    let price = Price { input: 1_000_000_000, output: 1_000_000_000, ..Price::default() };
    ModelSpec { price: Some(price), ..ModelSpec::named(name) }
}

#[tokio::test]
async fn a_manager_delegates_hands_out_again_what_failed_and_cites_all() {
    let executors = Arc::new(Executors::default());
    let asked = Arc::clone(&executors);
    let double = Double::answering(move |seen: &Seen| {
        let body = seen.text();
        if seen.model() == "manager" { manager(&body) } else { asked.answer(&body) }
    })
    .unwrap();
    let client = || stage::client(&double, Format::OpenaiChat);
    let worker = Agent::builder(card("double/worker"), client())
        .config(|config| config.limits.turns = Bound::AtMost(2))
        .build()
        .unwrap();
    let share = NanoUsd::new(100_000);
    let helper = HelperAgent::new("executor", "Looks into one part.", worker).reserve(share);
    let budget = NanoUsd::new(600_000);
    let journals = MemoryJournalStore::new();
    let manager = Agent::builder(card("double/manager"), client())
        .config(|config| config.limits.budget.usd = Some(budget))
        .journals(journals.clone())
        .manages(HelperSet::new().with(helper).at_most(2))
        .build()
        .unwrap();
    assert!(manager.config().tools.iter().all(|tool| tool.name == "executor"), "it can only delegate");
    let report = manager.run("Look into all four parts.").await.unwrap();
    assert_eq!(report.text().unwrap(), "From part-a, part-b, part-c, part-d.");
    assert_eq!(executors.peak(), 2, "two at once and no more");
    assert_eq!(journals.runs().len(), 6, "the manager, four executors and the one that went again");
    assert!(report.spent > NanoUsd::ZERO && report.spent <= budget);
    let asked = double.requests().len();
    assert!(asked >= 9, "three of the manager, one or two of each executor: {asked}");
}
