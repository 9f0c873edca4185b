//! A session and a server, connected by a real socket.

use std::{
    path::Path,
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use holm_kernel::{Block, Ending, Event, EventId, ModelResult, Numbered, Reply, Seq};
use holm_runtime::{Agent, BoxFuture, EventSink, RunHandle, Session, model_fn};

use super::{
    TerminalCommand, TerminalHost, TerminalLink, TerminalListener, input_gate::RemoteInputGate,
    session_socket::SessionSocket,
};
use crate::live::{Answered, FeedCursor, FeedFrame, FeedStep, Question, SessionFeed};

/// Far longer than anything takes, for machines that are slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until something is so.
async fn until(event: &str, is: impl Fn() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "{event} never came");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A session whose model never answers, and that lets servers in.
async fn driven(data: &Path) -> (TerminalHost, Session, TerminalListener) {
    let host = TerminalHost::new();
    let model = model_fn(|_| -> BoxFuture<'static, ModelResult> { Box::pin(std::future::pending()) });
    let agent = Agent::builder("example/model", model).events(host.events()).deltas(host.deltas());
    let session = agent.build().unwrap().start_as("s").await.unwrap();
    let listening = host.listen(data, session.id(), session.handle()).unwrap();
    (host, session, listening)
}

async fn linked(data: &Path, feed: &Arc<SessionFeed>) -> Option<Arc<TerminalLink>> {
    let (stream, key) = SessionSocket::of(data, "s").connect("s").await?;
    TerminalLink::begin(stream, key, Arc::clone(feed)).await
}

#[tokio::test]
async fn what_happens_in_a_terminal_is_seen_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, mut session, listening) = driven(folder.path()).await;
    let feed = Arc::new(SessionFeed::new());
    let link = linked(folder.path(), &feed).await.unwrap();
    assert!(!link.works() && link.state() == "idle");
    let working = tokio::spawn(async move { session.prompt("wait").await.unwrap() });
    until("work", || link.works()).await;
    link.send(TerminalCommand::Steer("hurry".into())).await.unwrap();
    link.send(TerminalCommand::Cancel("enough".into())).await.unwrap();
    let report = working.await.unwrap();
    assert!(matches!(report.ending, Ending::Cancelled { .. }), "{:?}", report.ending);
    until("the end", || !link.works()).await;
    listening.end().await;
    until("that the link is over", || !link.is_there()).await;
    assert!(link.send(TerminalCommand::Cancel("again".into())).await.is_err());
}

#[tokio::test]
async fn a_question_is_answered_from_elsewhere_and_the_first_answer_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (host, _session, _listening) = driven(folder.path()).await;
    let feed = Arc::new(SessionFeed::new());
    let asked = tokio::spawn(host.desk().words("Which one?", &["a".into(), "b".into()]));
    let link = linked(folder.path(), &feed).await.unwrap();
    until("the question", || !link.questions().is_empty()).await;
    let posed = link.questions().remove(0);
    assert!(matches!(&posed.question, Question::Words { text, .. } if text == "Which one?"));
    // As a watcher who has read the journal, of which the feed saw nothing.
    let read = EventId { record: Seq::new(u64::MAX), index: 0 };
    let mut position = feed.position(FeedCursor { event: Some(read), reply: None });
    link.repeat_questions();
    let FeedStep::Frames(frames) = feed.step(&mut position) else { panic!("a question is told again") };
    assert!(frames.iter().any(|(frame, _)| matches!(frame, FeedFrame::Asked(again) if again.id == posed.id)));
    let answer = || TerminalCommand::Answer { question: posed.id, answer: Answered::Words("b".into()) };
    link.send(answer()).await.unwrap();
    assert_eq!(asked.await.unwrap().as_deref(), Some("b"));
    until("that it is settled", || link.questions().is_empty()).await;
    assert!(link.send(answer()).await.is_err(), "it is not open any more");
}

#[tokio::test]
async fn whoever_watches_sees_what_was_told_just_before_the_end() {
    for _ in 0..16 {
        let folder = tempfile::tempdir().unwrap();
        let (host, _session, listening) = driven(folder.path()).await;
        let feed = Arc::new(SessionFeed::new());
        let link = linked(folder.path(), &feed).await.unwrap();
        let mut position = feed.position(feed.latest());
        // Both before the other side can look: a test has one thread.
        let _asked = host.desk().words("One last word?", &[]);
        listening.end().await;
        until("that the link is over", || !link.is_there()).await;
        let FeedStep::Frames(frames) = feed.step(&mut position) else { panic!("nothing was told") };
        assert!(frames.iter().any(|(frame, _)| matches!(frame, FeedFrame::Asked(_))), "{frames:?}");
    }
}

#[tokio::test]
async fn nobody_gets_in_without_the_key_and_nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, _session, listening) = driven(folder.path()).await;
    let feed = Arc::new(SessionFeed::new());
    let socket = SessionSocket::of(folder.path(), "s");
    let (stream, key) = socket.connect("s").await.unwrap();
    assert!(TerminalLink::begin(stream, "0".repeat(key.len()), Arc::clone(&feed)).await.is_none());
    assert!(socket.connect("another").await.is_none(), "a key is for its session");
    let live = folder.path().join("live");
    for entry in std::fs::read_dir(&live).unwrap() {
        let mode = std::os::unix::fs::PermissionsExt::mode(&entry.unwrap().metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
    drop(listening);
    assert_eq!(std::fs::read_dir(&live).unwrap().count(), 0);
    assert!(socket.connect("s").await.is_none());
}

#[tokio::test]
async fn what_is_too_long_for_a_terminal_is_refused_and_nobody_is_hung_up_on() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, mut session, _listening) = driven(folder.path()).await;
    let link = linked(folder.path(), &Arc::new(SessionFeed::new())).await.unwrap();
    let working = tokio::spawn(async move { session.prompt("wait").await.unwrap() });
    until("work", || link.works()).await;
    let refused = link.send(TerminalCommand::Steer("x".repeat(1 << 20))).await.unwrap_err();
    assert_eq!(refused.code, "too_large");
    link.send(TerminalCommand::Cancel("enough".into())).await.unwrap();
    assert!(matches!(working.await.unwrap().ending, Ending::Cancelled { .. }));
}

#[tokio::test]
async fn what_is_handed_over_just_before_the_end_is_caught_up_with_and_after_it_nothing_is_taken_in() {
    let (ears, handle) = (Arc::new(RemoteInputGate::default()), Arc::new(OnceLock::<RunHandle>::new()));
    let late = Arc::new(Mutex::new(vec!["steer", "steer and stop", "steer", "nothing"]));
    let refused = Arc::<Mutex<Vec<bool>>>::default();
    let (hears, speaks, says, refusals) =
        (Arc::clone(&ears), Arc::clone(&handle), Arc::clone(&late), Arc::clone(&refused));
    let watch: Arc<dyn EventSink> = Arc::new(move |event: &Numbered| {
        let is_end = matches!(event.event, Event::GroupEnded { .. });
        // The run has ended already, and the terminal is about to hear of it.
        let say = if is_end { says.lock().unwrap().remove(0) } else { "" };
        if say.starts_with("steer") {
            hears.say(|| speaks.get().unwrap().steer("late").map_err(|error| error.to_string())).unwrap();
        }
        if say.ends_with("stop") {
            hears.stop(|| Ok(())).unwrap();
        }
        hears.hear(&event.event);
        if is_end {
            refusals.lock().unwrap().push(hears.say(|| Ok(())).is_err() && hears.stop(|| Ok(())).is_err());
        }
    });
    let model = model_fn(|_| -> BoxFuture<'static, ModelResult> {
        let reply = Reply { blocks: vec![Block::Text("fine".into())], ..Reply::default() };
        Box::pin(async { ModelResult::Replied(reply) })
    });
    let agent = Agent::builder("example/model", model).events(watch).build().unwrap();
    let mut session = agent.start_as("s").await.unwrap();
    handle.set(session.handle()).unwrap();
    session.prompt("go").await.unwrap();
    assert!(ears.missed() && !ears.missed(), "it is said once");
    assert!(session.catch_up().await.unwrap().is_some());
    assert!(!ears.missed(), "what was stopped after it was said begins nothing");
    session.prompt("again").await.unwrap();
    assert!(ears.missed());
    session.catch_up().await.unwrap();
    assert!(!ears.missed());
    assert_eq!(*refused.lock().unwrap(), [true; 4]);
}
