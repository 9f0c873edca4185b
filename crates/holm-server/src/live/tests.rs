use std::{path::Path, sync::Arc};

use futures::FutureExt as _;
use holm_grants::Level;
use holm_kernel::{
    AskReason, CallId, Ending, Event, EventId, Marks, ModelCallId, NanoUsd, Numbered, Proposal, QuestionId,
    Seq, Timestamp, ToolCallId, Usage,
};
use holm_models::{ModelClient, ModelEndpoint};
use holm_runtime::{Agent, DeltaSink as _, EventSink as _, ReplyDelta};
use holm_store::Store;
use holm_tools::shell::ApprovalOffer;

use super::{
    Answered, FeedCursor, FeedFrame, FeedMemory, FeedStep, Question, QuestionAttendance, QuestionBroker,
    SessionFeed, SessionWatcher, feed::FeedPosition, past,
};

fn event(record: u64, index: u64, event: Event) -> Numbered {
    Numbered { id: EventId { record: Seq::new(record), index }, at: Timestamp::new(0), event }
}

fn plain(record: u64) -> Numbered {
    event(record, 0, Event::GrantsChanged)
}

fn called(record: u64, call: u64) -> Numbered {
    let (call, model) = (ModelCallId::new(call), "m".into());
    event(record, 0, Event::ModelCalled { call, turn: 1, model, messages: 1, tokens: 1 })
}

fn ended(record: u64) -> Numbered {
    let ending = Box::new(Ending::Answered { text: "x".into() });
    let (usage, spent) = (Usage::default(), NanoUsd::default());
    event(record, 0, Event::GroupEnded { ending, last: None, usage, spent })
}

fn say(feed: &SessionFeed, call: u64, offset: u64, text: &str) {
    feed.delta(CallId::new(call), ReplyDelta::Text { offset, text });
}

/// What a watcher sees, in words.
fn in_words((frame, cursor): (FeedFrame, FeedCursor)) -> String {
    match frame {
        FeedFrame::Event(event) => format!("{}.{}", event.event.id.record.value(), event.event.id.index),
        FeedFrame::Delta { offset, text, .. } => format!("{offset}:{text}@{cursor}"),
        FeedFrame::Note(text) => format!("note {text}"),
        FeedFrame::Asked(posed) => format!("asked {}", posed.id.value()),
        FeedFrame::Settled(id) => format!("settled {}", id.value()),
        FeedFrame::Progress { text, .. } => format!("progress {text}"),
        FeedFrame::Lagged => "lagged".into(),
        FeedFrame::Closed => "closed".into(),
    }
}

/// Everything that a watcher sees, in words.
fn drain(feed: &SessionFeed, position: &mut FeedPosition) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        match feed.step(position) {
            FeedStep::Frames(frames) => seen.extend(frames.into_iter().map(in_words)),
            FeedStep::Wait => return seen,
            FeedStep::Behind => {
                seen.push("behind".into());
                return seen;
            }
        }
    }
}

#[test]
fn a_cursor_is_written_as_it_is_read() {
    for text in ["-", "0.0", "12.3", "12.3/7.512", "-/1.0"] {
        assert_eq!(text.parse::<FeedCursor>().unwrap().to_string(), text);
    }
    for bad in ["", "1", "1.", ".1", "1.1/", "1.1/2", "+1.1", "1.1/1.1/1.1", "a.b", "1.18446744073709551616"]
    {
        assert!(bad.parse::<FeedCursor>().is_err(), "{bad}");
    }
}

#[test]
fn what_was_seen_of_a_reply_counts_until_the_reply_is_over() {
    let cursor: FeedCursor = "0.0/7.3".parse().unwrap();
    assert_eq!(cursor.past(&plain(1)).to_string(), "1.0/7.3");
    assert_eq!(cursor.past(&plain(1)).past(&ended(2)).to_string(), "2.0");
}

#[test]
fn a_watcher_that_comes_back_gets_what_follows_and_nothing_twice() {
    let feed = SessionFeed::new();
    (0..4).for_each(|record| feed.event(&plain(record)));
    let mut position = feed.position(FeedCursor::default());
    assert_eq!(drain(&feed, &mut position), ["0.0", "1.0", "2.0", "3.0"]);
    feed.event(&plain(4));
    let mut again = feed.position("2.0".parse().unwrap());
    assert_eq!(drain(&feed, &mut again), ["3.0", "4.0"]);
    assert_eq!(drain(&feed, &mut position), ["4.0"]);
}

#[test]
fn a_watcher_that_joins_within_a_reply_gets_the_rest_of_it_by_its_bytes() {
    let feed = SessionFeed::new();
    feed.event(&called(0, 7));
    say(&feed, 7, 0, "hel");
    let mut first = feed.position(FeedCursor::default());
    assert_eq!(drain(&feed, &mut first), ["0.0", "0:hel@0.0/7.3"]);
    say(&feed, 7, 3, "lo ✓");
    let mut second = feed.position("0.0/7.3".parse().unwrap());
    assert_eq!(drain(&feed, &mut first), ["3:lo ✓@0.0/7.9"]);
    assert_eq!(drain(&feed, &mut second), ["3:lo ✓@0.0/7.9"]);
    assert_eq!(drain(&feed, &mut feed.position("0.0".parse().unwrap())), ["0:hello ✓@0.0/7.9"]);
}

#[test]
fn a_reply_that_was_withdrawn_is_not_told_again() {
    let feed = SessionFeed::new();
    feed.event(&called(0, 7));
    say(&feed, 7, 0, "wrong");
    feed.event(&event(1, 0, Event::Withdrawn { call: ModelCallId::new(7) }));
    say(&feed, 7, 0, "right");
    let mut late = feed.position(FeedCursor::default());
    assert_eq!(drain(&feed, &mut late), ["0.0", "1.0", "0:right@1.0/7.10"]);
    feed.event(&ended(2));
    say(&feed, 7, 5, " late");
    assert_eq!(drain(&feed, &mut feed.position("2.0".parse().unwrap())).len(), 1, "a late piece is a piece");
}

#[test]
fn what_was_left_out_is_in_the_journal_and_nothing_is_lost_in_between() {
    let feed = SessionFeed::new();
    (0..3).for_each(|record| feed.event(&plain(record)));
    let mut seen = feed.position("2.0".parse().unwrap());
    feed.break_off(Some(EventId { record: Seq::new(5), index: 0 }));
    assert_eq!(drain(&feed, &mut seen), ["behind"], "events up to 5 were told to nobody here");
    let mut caught_up = feed.position("5.0".parse().unwrap());
    assert!(drain(&feed, &mut caught_up).is_empty());
    feed.event(&plain(6));
    assert_eq!(drain(&feed, &mut caught_up), ["6.0"]);
    feed.break_off(None);
    assert!(drain(&feed, &mut caught_up).is_empty());
    feed.event(&plain(9));
    assert_eq!(drain(&feed, &mut caught_up), ["behind"]);
}

#[test]
fn a_feed_that_began_later_says_that_the_journal_has_the_past() {
    let feed = SessionFeed::new();
    assert!(drain(&feed, &mut feed.position(FeedCursor::default())).is_empty());
    feed.event(&plain(10));
    assert_eq!(drain(&feed, &mut feed.position(FeedCursor::default())), ["behind"]);
    assert_eq!(drain(&feed, &mut feed.position("9.0".parse().unwrap())), ["behind"]);
    assert!(drain(&feed, &mut feed.position("10.0".parse().unwrap())).is_empty());
}

#[test]
fn what_is_kept_is_bounded_and_a_slow_watcher_is_told() {
    let feed = SessionFeed::new();
    let mut slow = feed.position(FeedCursor::default());
    (0..600).for_each(|record| feed.event(&plain(record)));
    assert_eq!(drain(&feed, &mut slow), ["behind"]);
    assert_eq!(drain(&feed, &mut feed.position("598.0".parse().unwrap())), ["599.0"]);
    let mut position = feed.position("599.0".parse().unwrap());
    (0..300).for_each(|number| feed.note(&number.to_string()));
    assert_eq!(drain(&feed, &mut position), ["behind"]);
    assert_eq!(drain(&feed, &mut position).len(), 256, "what is left is told");
}

#[test]
fn what_is_kept_is_bounded_in_bytes_too_in_one_feed_and_in_all() {
    let large = |record: u64| {
        let model = "x".repeat(512 * 1024).into();
        event(
            record,
            0,
            Event::ModelCalled { call: ModelCallId::new(1), turn: 1, model, messages: 1, tokens: 1 },
        )
    };
    let memory = FeedMemory::new(8 * 1024 * 1024);
    let (first, second) = (SessionFeed::within(&memory), SessionFeed::within(&memory));
    (0..20).for_each(|record| first.event(&large(record)));
    assert!(memory.used() <= 4 * 1024 * 1024, "{}", memory.used());
    assert_eq!(drain(&first, &mut first.position(FeedCursor::default())), ["behind"]);
    assert_eq!(
        drain(&first, &mut first.position("18.0".parse().unwrap())),
        ["19.0"],
        "the last ones are here"
    );
    for feed in [&first, &second] {
        // An event that is too large to keep is not sent from the feed, and nothing else is lost
        // with it.
        feed.event(&event(20, 0, Event::GrantsChanged));
        say(feed, 1, 0, &"y".repeat(4 * 1024 * 1024));
        (0..20).for_each(|_| feed.note(&"z".repeat(256 * 1024)));
    }
    let full = memory.used();
    (21..30).for_each(|record| second.event(&large(record)));
    assert!(memory.used() <= full.max(8 * 1024 * 1024), "{} after {full}", memory.used());
    assert_eq!(drain(&second, &mut second.position("20.0".parse().unwrap()))[..1], ["behind"]);
    drop((first, second));
    assert_eq!(memory.used(), 0, "all of it is given back");
}

#[test]
fn a_feed_that_is_begun_anew_sends_its_watchers_to_the_journal_once() {
    let feed = SessionFeed::new();
    (0..3).for_each(|record| feed.event(&plain(record)));
    let mut position = feed.position(FeedCursor::default());
    drain(&feed, &mut position);
    feed.begin_anew();
    assert!(drain(&feed, &mut position).is_empty());
    // Another process has written records 3 to 8 meanwhile.
    feed.event(&plain(9));
    assert_eq!(drain(&feed, &mut position), ["behind"]);
    assert!(drain(&feed, &mut feed.position("9.0".parse().unwrap())).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_past_is_told_a_part_at_a_time_without_a_gap_or_a_repetition() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("holm.db")).await.unwrap();
    let model = holm_runtime::model_fn(|_| {
        let reply = holm_kernel::Reply {
            blocks: vec![holm_kernel::Block::Text("fine".into())],
            ..holm_kernel::Reply::default()
        };
        Box::pin(async { holm_kernel::ModelResult::Replied(reply) })
    });
    let agent = Agent::builder("scripted/any", model).journals(store.clone()).blobs(store.clone());
    let mut session = agent.build().unwrap().start_as("one").await.unwrap();
    for _ in 0..6 {
        session.prompt("w".repeat(1024 * 1024)).await.unwrap();
    }
    session.close().await;
    let id: crate::SessionId = "one".parse().unwrap();
    let all: Vec<EventId> = past(&store, &id).await.unwrap().iter().map(|event| event.id).collect();
    let memory = FeedMemory::new(usize::MAX);
    let feed = Arc::new(SessionFeed::within(&memory));
    let watch = SessionWatcher::new(feed, None, store, id, FeedCursor::default());
    let mut watch = watch.with_past().await.unwrap();
    assert!(memory.used() <= 4 * 1024 * 1024, "{}", memory.used());
    for expected in &all {
        let (frame, _) = watch.next().await.unwrap();
        let FeedFrame::Event(numbered) = frame else { panic!("{frame:?}") };
        assert_eq!(numbered.event.id, *expected);
    }
}

#[test]
fn whoever_misses_what_was_said_misses_no_event_with_it() {
    let feed = SessionFeed::new();
    feed.event(&plain(0));
    let mut slow = feed.position("0.0".parse().unwrap());
    feed.event(&called(1, 7));
    say(&feed, 7, 0, "hello");
    (0..300).for_each(|number| feed.note(&number.to_string()));
    assert_eq!(drain(&feed, &mut slow), ["behind"]);
    assert_eq!(slow.cursor.to_string(), "0.0", "nothing was handed over, so nothing was seen");
    assert_eq!(drain(&feed, &mut slow)[..2], ["1.0", "0:hello@1.0/7.5"]);
}

#[tokio::test]
async fn the_first_answer_to_a_question_counts() {
    let feed = Arc::new(SessionFeed::new());
    let mut position = feed.position(FeedCursor::default());
    let desk = Arc::new(QuestionBroker::new(Arc::clone(&feed), QuestionAttendance::Attended));
    let asked = desk.words("which?", &["a".into(), "b".into()]);
    let open = desk.open();
    assert!(matches!(&open[0].question, Question::Words { text, .. } if text == "which?"));
    let id = open[0].id;
    assert_eq!(desk.answer(id, Answered::Once).unwrap_err().code, "bad_answer");
    desk.answer(id, Answered::Words("b".into())).unwrap();
    assert_eq!(desk.answer(id, Answered::Words("a".into())).unwrap_err().code, "not_open");
    assert_eq!(asked.await.as_deref(), Some("b"));
    let number = id.value();
    assert_eq!(drain(&feed, &mut position), [format!("asked {number}"), format!("settled {number}")]);
}

#[tokio::test]
async fn an_answer_to_a_desk_that_is_gone_answers_nothing_of_the_next_one() {
    let feed = Arc::new(SessionFeed::new());
    let desk = || Arc::new(QuestionBroker::new(Arc::clone(&feed), QuestionAttendance::Attended));
    let (gone, now) = (desk(), desk());
    let (_harmless, _other) = (gone.words("harmless?", &[]), now.words("harmful?", &[]));
    let stale = gone.open()[0].id;
    assert!(stale.value() < 1 << 53, "a browser can say it");
    assert_eq!(now.answer(stale, Answered::Words("yes".into())).unwrap_err().code, "not_open");
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_withdrawn() {
    let feed = Arc::new(SessionFeed::new());
    let desk = Arc::new(QuestionBroker::new(feed, QuestionAttendance::Attended));
    let asked = desk.words("which?", &[]);
    let id = desk.open()[0].id;
    drop(asked);
    assert!(desk.open().is_empty());
    assert_eq!(desk.answer(id, Answered::Decline).unwrap_err().code, "not_open");
}

#[tokio::test]
async fn where_nobody_comes_nobody_is_asked() {
    let desk = Arc::new(QuestionBroker::new(Arc::new(SessionFeed::new()), QuestionAttendance::Unattended));
    assert_eq!(desk.words("which?", &[]).await, None);
    assert!(desk.open().is_empty());
}

/// A store with the session `one`, which was begun and asked nothing: there is a journal, and no provider is needed.
async fn with_a_session(folder: &Path) -> Store {
    let store = Store::open(folder.join("holm.db")).await.unwrap();
    let endpoint = ModelEndpoint::compatible("http://127.0.0.1:9").keyless();
    let client = ModelClient::builder().endpoint("nobody", endpoint).build().unwrap();
    let agent = Agent::builder("nobody/any", client).journals(store.clone()).blobs(store.clone());
    agent.build().unwrap().start_as("one").await.unwrap().close().await;
    store
}

/// A watcher misses a question, and stops waiting for the next frame so many times before it gets one.
async fn misses_a_question(stops_waiting: usize) {
    let folder = tempfile::tempdir().unwrap();
    let store = with_a_session(folder.path()).await;
    let feed = Arc::new(SessionFeed::new());
    let desk = Arc::new(QuestionBroker::new(Arc::clone(&feed), QuestionAttendance::Attended));
    let (id, cursor) = ("one".parse().unwrap(), FeedCursor::default());
    let mut watch = SessionWatcher::new(Arc::clone(&feed), Some(Arc::clone(&desk)), store, id, cursor);
    let _asked = desk.words("which?", &[]);
    (0..300).for_each(|number| feed.note(&number.to_string()));
    // The journal is read on another thread, so usually nothing is there yet; any frame that is
    // there counts.
    let mut seen = Vec::new();
    for _ in 0..stops_waiting {
        seen.extend(watch.next().now_or_never().flatten());
    }
    loop {
        let (frame, _) = if seen.is_empty() { watch.next().await.unwrap() } else { seen.remove(0) };
        match frame {
            FeedFrame::Asked(posed) => return assert_eq!(posed.id, desk.open()[0].id),
            frame => assert!(
                !matches!(frame, FeedFrame::Note(_) | FeedFrame::Lagged | FeedFrame::Closed),
                "{frame:?}"
            ),
        }
    }
}

#[tokio::test]
async fn a_question_that_a_slow_watcher_missed_is_told_again() {
    misses_a_question(0).await;
}

#[tokio::test]
async fn a_watcher_that_stops_waiting_for_the_journal_misses_nothing_of_it() {
    misses_a_question(2).await;
}

#[tokio::test]
async fn what_was_told_before_is_heard_and_then_nothing_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_a_session(folder.path()).await;
    let feed = Arc::new(SessionFeed::new());
    let mut watch =
        SessionWatcher::new(Arc::clone(&feed), None, store, "one".parse().unwrap(), FeedCursor::default());
    let mut next_frame =
        || watch.next_available().now_or_never().expect("nothing is waited for").map(in_words);
    assert_eq!(next_frame(), None, "nothing was told");
    feed.event(&called(0, 7));
    say(&feed, 7, 0, "hel");
    assert_eq!(next_frame().as_deref(), Some("0.0"));
    assert_eq!(next_frame().as_deref(), Some("0:hel@0.0/7.3"));
    assert_eq!(next_frame(), None);
    // Together, as another thread tells them between two looks.
    say(&feed, 7, 3, "lo");
    feed.note("almost");
    assert_eq!(next_frame().as_deref(), Some("3:lo@0.0/7.5"));
    feed.event(&ended(1));
    feed.note("done");
    assert_eq!(next_frame().as_deref(), Some("note almost"));
    assert_eq!(next_frame().as_deref(), Some("1.0"));
    assert_eq!(next_frame().as_deref(), Some("note done"));
    assert_eq!((next_frame(), next_frame()), (None, None), "asked twice, it says the same");
}

#[tokio::test]
async fn a_watcher_that_goes_elsewhere_hears_nothing_of_what_was_told_before() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_a_session(folder.path()).await;
    let feed = Arc::new(SessionFeed::new());
    let mut watch =
        SessionWatcher::new(Arc::clone(&feed), None, store, "one".parse().unwrap(), FeedCursor::default());
    (0..3).for_each(|record| feed.event(&plain(record)));
    let next_frame = |watch: &mut SessionWatcher| {
        watch.next_available().now_or_never().expect("nothing is waited for").map(in_words)
    };
    assert_eq!(next_frame(&mut watch).as_deref(), Some("0.0"), "two more wait");
    watch.go_to(feed.latest());
    feed.event(&plain(3));
    assert_eq!(next_frame(&mut watch).as_deref(), Some("3.0"));
    assert_eq!(next_frame(&mut watch), None);
}

#[test]
fn what_is_too_large_to_be_kept_was_told_all_the_same() {
    let feed = SessionFeed::new();
    let model = "x".repeat(8 * 1024 * 1024).into();
    feed.event(&plain(0));
    feed.event(&event(
        1,
        0,
        Event::ModelCalled { call: ModelCallId::new(1), turn: 1, model, messages: 1, tokens: 1 },
    ));
    assert_eq!(feed.latest().to_string(), "1.0/1.0");
    let mut now = feed.position(feed.latest());
    assert!(drain(&feed, &mut now).is_empty(), "whoever comes now has nothing to look up");
    feed.break_off(Some(EventId { record: Seq::new(9), index: 0 }));
    assert_eq!(feed.latest().to_string(), "9.0");
}

#[tokio::test]
async fn an_approval_question_shows_what_a_sub_agent_would_hold_and_what_was_read() {
    let desk = Arc::new(QuestionBroker::new(Arc::new(SessionFeed::new()), QuestionAttendance::Attended));
    let marks = Marks { untrusted: true, private: false };
    let proposal = Proposal {
        call: QuestionId::new(1),
        tool_call: ToolCallId::new(1),
        tool: "scout".into(),
        arguments: "{}".into(),
        level: Level::Execute,
        needs: Vec::new(),
        missing: Vec::new(),
        hands_on: vec!["read:src/**".into()],
        reasons: vec![AskReason::Level],
        marks,
        digest: String::new(),
    };
    let _asked = desk.approve(
        &proposal,
        &ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None },
    );
    let open = desk.open();
    let Question::Approval { hands_on, marks: shown, why, .. } = &open[0].question else {
        panic!("{open:?}")
    };
    assert_eq!(why.as_slice(), ["you approve every command and program here"]);
    assert_eq!((hands_on.as_slice(), *shown), (proposal.hands_on.as_slice(), marks));
}

fn asked_about(needs: &[&str], missing: &[&str], reasons: &[AskReason]) -> Proposal {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    Proposal {
        call: QuestionId::new(1),
        tool_call: ToolCallId::new(1),
        tool: "fetch".into(),
        arguments: "{}".into(),
        level: Level::ReadOnly,
        needs: texts(needs),
        missing: texts(missing),
        hands_on: Vec::new(),
        reasons: reasons.to_vec(),
        marks: Marks::default(),
        digest: String::new(),
    }
}

#[tokio::test]
async fn an_approval_question_says_what_an_answer_for_the_session_covers() {
    let none = || ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
    let desk = Arc::new(QuestionBroker::new(Arc::new(SessionFeed::new()), QuestionAttendance::Attended));
    let page = "fetch:https://h.example/docs";
    let _asked = desk.approve(&asked_about(&[page], &[page], &[AskReason::MissingGrant]), &none());
    let open = desk.open();
    let Question::Approval { always: Some(always), never_granted, .. } = &open[0].question else {
        panic!("{open:?}")
    };
    assert!(always.contains("this exact call; for every later call fetch:https://h.example"), "{always}");
    assert!(always.ends_with("and everything below it") && never_granted.is_empty(), "{always}");
    assert_eq!(desk.answer(open[0].id, Answered::Session), Ok(()));
}

#[tokio::test]
async fn what_can_never_be_granted_is_said_and_no_answer_for_the_session_is_taken() {
    let none = || ApprovalOffer { change: None, prefix: None, family: None, command: None, helper: None };
    let metadata = "fetch:http://169.254.169.254/";
    let desk = Arc::new(QuestionBroker::new(Arc::new(SessionFeed::new()), QuestionAttendance::Attended));
    let _never = desk.approve(&asked_about(&[metadata], &[metadata], &[AskReason::MissingGrant]), &none());
    let _plan = desk.approve(&asked_about(&[], &[], &[AskReason::LeavesPlan]), &none());
    let _sends = desk.approve(&asked_about(&[], &[], &[AskReason::EgressAfterMark]), &none());
    let open = desk.open();
    let Question::Approval { never_granted, .. } = &open[0].question else { panic!("{open:?}") };
    assert_eq!(never_granted.as_slice(), [metadata]);
    for posed in &open {
        let Question::Approval { always, .. } = &posed.question else { panic!("{posed:?}") };
        assert_eq!(always, &None);
        let refused = desk.answer(posed.id, Answered::Session).expect_err("no answer lasts");
        assert!(format!("{refused:?}").contains("bad_answer"), "{refused:?}");
        assert_eq!(desk.answer(posed.id, Answered::Once), Ok(()));
    }
}
