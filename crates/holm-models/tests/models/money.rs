//! What a run costs, and where it ends when the money does.

use std::sync::Arc;

use holm_kernel::{Budget, Ending, Event, FailureClass, NanoUsd, Price, Prompt, Started, Usage};
use holm_runtime::drive;
use holm_testkit::double::{Act, Double, Fault};

use crate::stage::{FORMATS, Watched, client, config};

#[tokio::test]
async fn a_budget_that_is_exceeded_ends_the_run_with_the_figures() {
    for format in FORMATS {
        // 1,000 in at 3 and 100 out at 15 dollars the million: 4,500,000 nano-dollars a call.
        let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
        let act = |id, n: u64| Act::calls(&[(id, "double", &format!(r#"{{"n":{n}}}"#))]).usage(usage);
        let double = Double::start([act("call_a", 1), act("call_b", 2), act("call_c", 3)]).unwrap();
        let watched = Watched::default();
        let host = watched.host(Arc::new(client(&double, format)));
        let mut config = config(&host);
        let price = Price { input: 3_000_000_000, output: 15_000_000_000, ..Price::default() };
        config.models.iter_mut().for_each(|model| model.price = Some(price));
        let limit = NanoUsd::new(6_000_000);
        config.limits.budget = Budget { usd: Some(limit) };
        let (ending, driver) =
            drive(Started::new("run-1", 7, config), Prompt::text("go"), host).await.unwrap();
        let spent = NanoUsd::new(9_000_000);
        assert_eq!(ending, Ending::OverBudget { spent, limit }, "{format:?}");
        assert_eq!((driver.run().spent(), double.requests().len()), (spent, 2), "{format:?}");
    }
}

#[tokio::test]
async fn a_reply_that_breaks_off_is_paid_by_what_arrived_of_it() {
    for format in FORMATS {
        let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
        let words = "word ".repeat(200);
        let acts = [Act::says(&words).with(Fault::Closed(900)).usage(usage), Act::says("done").usage(usage)];
        let double = Double::start(acts).unwrap();
        let watched = Watched::default();
        let host = watched.host(Arc::new(client(&double, format)));
        let config = config(&host);
        let (ending, driver) =
            drive(Started::new("run-1", 7, config), Prompt::text("go"), host).await.unwrap();
        assert_eq!(ending, Ending::Answered { text: "done".into() }, "{format:?}");
        let used = driver.run().usage();
        assert!(used.input > 1_000 && used.output > 100 && used.estimated > 0, "{format:?}: {used:?}");
    }
}

#[tokio::test]
async fn a_request_that_was_sent_and_never_answered_is_paid_by_estimate() {
    for format in FORMATS {
        let usage = Usage { input: 1_000, output: 100, ..Usage::default() };
        let double = Double::start([Act::fails(Fault::HangUp), Act::says("done").usage(usage)]).unwrap();
        let watched = Watched::default();
        let host = watched.host(Arc::new(client(&double, format)));
        let config = config(&host);
        let (ending, driver) =
            drive(Started::new("run-1", 7, config), Prompt::text("go"), host).await.unwrap();
        assert_eq!(ending, Ending::Answered { text: "done".into() }, "{format:?}");
        let requested = watched.events().iter().find_map(|event| match event {
            Event::ModelCalled { tokens, .. } => Some(*tokens),
            _ => None,
        });
        let used = driver.run().usage();
        assert_eq!((Some(used.estimated), used.output), (requested, 100), "{format:?}");
    }
}

#[tokio::test]
async fn a_request_that_never_reached_its_provider_is_free() {
    for format in FORMATS {
        let double = Double::start([]).unwrap();
        let client = client(&double, format);
        drop(double);
        let watched = Watched::default();
        let host = watched.host(Arc::new(client));
        let mut config = config(&host);
        config.retry.attempts = 1;
        let (ending, driver) =
            drive(Started::new("run-1", 7, config), Prompt::text("go"), host).await.unwrap();
        assert!(matches!(ending, Ending::Failed { class: FailureClass::Network, .. }), "{ending:?}");
        assert_eq!(driver.run().usage(), Usage::default(), "{format:?}");
    }
}
