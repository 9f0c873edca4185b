//! One agent run for each format and each thing that can happen on the way.

use std::{sync::Arc, time::Duration};

use holm_kernel::{Ending, Event, FailureClass, NextTry, Prompt, Started, Usage};
use holm_runtime::Driver;
use holm_testkit::double::{Act, Double, Fault};

use crate::stage::{FORMATS, KEY, Watched, answered, client, config, play};

#[tokio::test]
async fn text_is_streamed_and_is_the_answer() {
    let text = "Hello, wörld: 日本語 ✓ and so on until it is long enough.";
    for format in FORMATS {
        let usage = Usage { input: 21, output: 13, ..Usage::default() };
        let (ending, watched, double) = play(format, vec![Act::says(text).usage(usage)]).await;
        assert_eq!(ending, answered(text), "{format:?}");
        assert_eq!(watched.text(), text, "{format:?}: the pieces are the whole");
        assert_eq!(watched.request_ids.lock().unwrap()[..], ["req-double-1"], "{format:?}");
        let replied = watched.events().into_iter().find_map(|event| match event {
            Event::ModelReplied { usage, .. } => Some(usage),
            _ => None,
        });
        assert_eq!(replied, Some(usage), "{format:?}");
        let seen = double.requests().remove(0);
        let asked = seen.asked.clone().expect("the request can be read");
        assert_eq!((asked.model.as_str(), asked.system.as_str()), ("one", "You are tested."), "{format:?}");
        assert_eq!(asked.tools[0].name, "double", "{format:?}");
        assert!(
            !seen.path.contains(KEY) && !seen.text().contains(KEY),
            "{format:?}: the key is in a header alone"
        );
    }
}

#[tokio::test]
async fn two_parallel_calls_run_and_their_results_are_sent_back() {
    for format in FORMATS {
        let calls = Act::calls(&[("call_a", "double", r#"{"n":3}"#), ("call_b", "double", r#"{"n":21}"#)]);
        let (ending, watched, double) = play(format, vec![calls, Act::says("6 and 42")]).await;
        assert_eq!(ending, answered("6 and 42"), "{format:?}");
        let journal = watched.journal.text();
        assert_eq!(journal.matches("\"dispatched\"").count(), 2, "{format:?}");
        let second = double.requests().remove(1);
        for result in ["3 doubled is 6", "21 doubled is 42"] {
            assert!(second.text().contains(result), "{format:?}: {}", second.text());
        }
        let asked = second.asked.expect("the request can be read");
        let calls = asked.messages.iter().flat_map(holm_kernel::Message::tool_calls).count();
        assert_eq!(calls, 2, "{format:?}");
    }
}

#[tokio::test]
async fn a_429_is_waited_out_as_long_as_the_provider_asks() {
    let spellings = [("retry-after", "2"), ("retry-after-ms", "2000"), ("x-ratelimit-reset-tokens", "2s")];
    for (index, format) in FORMATS.into_iter().enumerate() {
        let (name, value) = spellings[index % spellings.len()];
        let (ending, watched, double) =
            play(format, vec![Act::rate_limited(name, value), Act::says("now")]).await;
        assert_eq!((ending, double.requests().len()), (answered("now"), 2), "{format:?}");
        let journal = watched.journal.text();
        assert!(journal.contains(r#""class":"rate_limited""#), "{format:?}: {journal}");
        assert!(journal.contains(r#""retry_after_ms":2000"#), "{format:?}: {name}: {journal}");
        assert!(journal.contains("(request req-double-1)"), "{format:?}: the request can be asked about");
        assert!(journal.contains("time_passed"), "{format:?}");
    }
}

#[tokio::test]
async fn a_529_falls_back_to_the_second_model() {
    for format in FORMATS {
        let (ending, watched, double) = play(format, vec![Act::overloaded(), Act::says("from two")]).await;
        assert_eq!(ending, answered("from two"), "{format:?}");
        assert_eq!(double.requests()[1].model(), "two", "{format:?}");
        assert!(watched.journal.text().contains(r#""class":"overloaded""#), "{format:?}");
        let fell_back = watched.events().iter().any(|event| {
            matches!(event, Event::ModelFailed { next: NextTry::Fallback { model }, .. } if model == "double/two")
        });
        assert!(fell_back, "{format:?}");
    }
}

#[tokio::test]
async fn a_truncated_stream_is_never_an_answer_and_is_tried_again() {
    for format in FORMATS {
        let text = "A sentence that will be cut in its middle.";
        let acts = vec![Act::says(text).with(Fault::Truncated(600)), Act::says(text)];
        let (ending, watched, double) = play(format, acts).await;
        assert_eq!((ending, double.requests().len()), (answered(text), 2), "{format:?}");
        assert!(watched.journal.text().contains(r#""class":"truncated""#), "{format:?}");
        assert!(watched.events().iter().any(|event| matches!(event, Event::Withdrawn { .. })), "{format:?}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_is_tried_again() {
    for format in FORMATS {
        let text = "A sentence that will be cut in its middle.";
        // What broke after the request was sent is paid for: the provider may have begun.
        let faults = [
            (Fault::Reset(500), r#""class":"truncated""#),
            (Fault::Closed(500), r#""class":"truncated""#),
            (Fault::HangUp, r#""class":"truncated""#),
        ];
        for (fault, class) in faults {
            let acts = vec![Act::says(text).with(fault.clone()), Act::says(text)];
            let (ending, watched, _double) = play(format, acts).await;
            assert_eq!(ending, answered(text), "{format:?} {fault:?}");
            assert!(watched.journal.text().contains(class), "{format:?} {fault:?}");
        }
    }
}

#[tokio::test]
async fn a_cancel_in_mid_stream_closes_the_connection() {
    for format in FORMATS {
        let text = "This goes on for a while and then stops without an end, for ever and ever.";
        let double = Double::start([Act::says(text).with(Fault::Stall(700))]).unwrap();
        let watched = Watched::default();
        let host = watched.host(Arc::new(client(&double, format)));
        let mut driver = Driver::start(Started::new("run-1", 7, config(&host)), host).await.unwrap();
        let handle = driver.handle();
        let cancel = async {
            while !watched.text().contains("This goes") {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            handle.cancel("enough").unwrap();
        };
        let (ending, ()) = tokio::join!(driver.prompt(Prompt::text("go")), cancel);
        assert_eq!(ending.unwrap(), Ending::Cancelled { reason: "enough".into() }, "{format:?}");
        assert!(
            double.wait_until_left(1, Duration::from_secs(5)),
            "{format:?}: the double saw the client leave"
        );
        let journal = watched.journal.text();
        assert!(journal.contains(r#""aborted""#) && journal.contains("This goes"), "{format:?}: {journal}");
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_of_status_200_is_an_error() {
    for format in FORMATS {
        let class = FailureClass::Overloaded;
        let fault = Fault::ErrorInStream { class, message: "Overloaded".into() };
        let (ending, watched, double) =
            play(format, vec![Act::says("half").with(fault), Act::says("well")]).await;
        assert_eq!((ending, double.requests().len()), (answered("well"), 2), "{format:?}");
        assert!(
            watched.journal.text().contains(r#""class":"overloaded""#),
            "{format:?}: {}",
            watched.journal.text()
        );
    }
}

#[tokio::test]
async fn what_is_no_answer_at_all_is_never_taken_for_one() {
    for format in FORMATS {
        for act in [Act::captive_portal(), Act::garbage(), Act::broken()] {
            let (ending, watched, _double) = play(format, vec![act.clone(), Act::says("well")]).await;
            assert_eq!(ending, answered("well"), "{format:?} {act:?}");
            assert!(watched.journal.text().contains(r#""failed":{"class":"#), "{format:?} {act:?}");
        }
    }
}

#[tokio::test]
async fn a_reply_that_drips_byte_by_byte_is_the_same_reply() {
    for format in FORMATS {
        let act = Act::says("Ü ✓ dripped").with(Fault::Drip(Duration::ZERO));
        let (ending, watched, _double) = play(format, vec![act]).await;
        assert_eq!((ending, watched.text().as_str()), (answered("Ü ✓ dripped"), "Ü ✓ dripped"), "{format:?}");
    }
}

#[tokio::test]
async fn one_connection_serves_many_calls() {
    for format in FORMATS {
        let calls = Act::calls(&[("call_a", "double", r#"{"n":3}"#)]);
        let more = Act::calls(&[("call_b", "double", r#"{"n":4}"#)]);
        let (_, _, double) = play(format, vec![calls, more, Act::says("done")]).await;
        assert_eq!((double.requests().len(), double.connections()), (3, 1), "{format:?}");
    }
}
