use std::sync::{Arc, Mutex};

use holm_kernel::{
    Block, CallId, Ending, Event, FailureClass, Limit, Message, MessageId, ModelResult, ModelSpec, Numbered,
    Role,
};
use holm_runtime::{Agent, Model as _, ModelConnection, ReplyDelta};
use tokio_util::sync::CancellationToken;

use crate::ask::{ask, ask_watched, open, replied, request, settings, text, user};

const LONG: &str =
    "Tell me about the sea, the wind, the sand, the ships and the people of the coast, in many words.";

#[tokio::test(flavor = "multi_thread")]
async fn a_second_turn_computes_only_what_is_new() {
    let model = open(settings());
    let mut line = model.line();
    let asked = request(&format!("You are kind. {LONG}"), Vec::new());
    let first = replied(ask(&mut line, &asked, &[user("What is the capital of France?")]).await);
    assert_eq!(first.usage.cached, 0);
    let answer = Message::text(MessageId::new(2), Role::Assistant, text(&first));
    let view = [user("What is the capital of France?"), Arc::new(answer), user("And of Spain?")];
    let second = replied(ask(&mut line, &asked, &view).await);
    let new = second.usage.input - second.usage.cached;
    assert!(second.usage.cached >= first.usage.input, "{:?} after {:?}", second.usage, first.usage);
    assert!(new < 24, "{new} tokens were computed");
    let tally = line.tally().unwrap();
    assert_eq!((tally.input, tally.cached), (second.usage.input, second.usage.cached));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_session_uses_the_beginning_that_another_has_computed() {
    let model = open(settings());
    let asked = request(&format!("You are kind. {LONG}"), Vec::new());
    let mut first = model.open();
    replied(ask(&mut *first, &asked, &[user("Hello.")]).await);
    let second = replied(ask(&mut *model.open(), &asked, &[user("Good evening.")]).await);
    assert!(second.usage.cached > 20, "{:?}", second.usage);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_sessions_than_seats_are_all_answered() {
    let model = open(settings().sequences(2).context(512));
    let asked = request("You are a helpful assistant.", Vec::new());
    let lines: Vec<Box<dyn ModelConnection>> = (0..5).map(|_| model.open()).collect();
    let tasks = lines.into_iter().enumerate().map(|(number, mut line)| {
        let asked = asked.clone();
        tokio::spawn(async move {
            replied(
                ask(&mut *line, &asked, &[user(&format!("Write a sentence about the number {number}."))])
                    .await,
            )
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        assert!(!text(&task.await.unwrap()).is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_do_not_fit_together_are_answered_one_after_the_other() {
    let model = open(settings().sequences(3).context(256));
    let mut asked = request("", Vec::new());
    asked.max_output = Some(60);
    let tasks = (0..3).map(|number| {
        let (mut line, asked) = (model.open(), asked.clone());
        let wish = format!("{number}: {LONG} {LONG} {LONG} {LONG}");
        tokio::spawn(async move { ask(&mut *line, &asked, &[user(&wish)]).await })
    });
    for task in tasks.collect::<Vec<_>>() {
        assert!(!text(&replied(task.await.unwrap())).is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_ends_with_what_it_had() {
    let model = open(settings());
    let mut asked = request("", Vec::new());
    asked.max_output = Some(1500);
    let stop = CancellationToken::new();
    let first = stop.clone();
    let sink = move |_: CallId, delta: ReplyDelta<'_>| {
        if let ReplyDelta::Text { .. } = delta {
            first.cancel();
        }
    };
    let mut line = model.open();
    let result = ask_watched(&mut *line, &asked, &[user(LONG)], Arc::new(sink), stop).await;
    let ModelResult::Aborted(reply) = result else { panic!("not stopped: {result:?}") };
    assert!(matches!(reply.blocks.as_slice(), [Block::Text(_)]), "{reply:?}");
    assert!(reply.usage.output < 200, "{:?}", reply.usage);
    // The worker is as good as before.
    asked.max_output = Some(8);
    replied(ask(&mut *line, &asked, &[user("Hello.")]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_cancelled_before_it_began_does_nothing() {
    let model = open(settings());
    let stop = CancellationToken::new();
    stop.cancel();
    let nobody = |_: CallId, _: ReplyDelta<'_>| panic!("nothing comes");
    let asked = request("", Vec::new());
    let result = ask_watched(&mut *model.open(), &asked, &[user("Hi")], Arc::new(nobody), stop).await;
    assert_eq!(result, ModelResult::Aborted(holm_kernel::Reply::default()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_beyond_the_context_is_a_typed_limit() {
    let model = open(settings().context(256));
    let asked = request("", Vec::new());
    let mut line = model.open();
    let result = ask(&mut *line, &asked, &[user(&LONG.repeat(30))]).await;
    let ModelResult::Failed(failure) = result else { panic!("{result:?}") };
    assert_eq!(failure.class, FailureClass::ContextOverflow);
    assert!(failure.message.contains("and the context 256"), "{}", failure.message);
    replied(ask(&mut *line, &asked, &[user("Hi")]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_fits_no_more_is_shortened_before_it_ends_at_its_limit() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&events);
    let card = ModelSpec { max_output: Some(64), ..ModelSpec::named("local/test") };
    let agent = Agent::builder(card, open(settings().context(512)))
        .events(move |event: &Numbered| heard.lock().unwrap().push(event.event.clone()))
        .build()
        .unwrap();
    let mut session = agent.start().await.unwrap();
    // Enough for a note in their place to be shorter.
    for country in ["France", "Spain", "Italy", "Portugal", "Greece", "Poland"] {
        let report = session.prompt(format!("What is the capital of {country}?")).await.unwrap();
        assert!(matches!(report.ending, Ending::Answered { .. }), "{:?}", report.ending);
    }
    events.lock().unwrap().clear();
    let report = session.prompt(LONG.repeat(30)).await.unwrap();
    let Ending::OverLimit { limit, .. } = report.ending else { panic!("{:?}", report.ending) };
    assert_eq!(limit, Limit::ContextWindow);
    let events = events.lock().unwrap();
    let tried = events.iter().any(|event| matches!(event, Event::ContextPlanned { .. }));
    assert!(tried, "older messages were taken out first: {events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_reaches_its_cap_says_so() {
    let model = open(settings());
    let mut asked = request("", Vec::new());
    asked.max_output = Some(5);
    let reply = replied(ask(&mut *model.open(), &asked, &[user(LONG)]).await);
    assert_eq!((reply.stop, reply.usage.output), (holm_kernel::StopReason::MaxTokens, 5));
}
