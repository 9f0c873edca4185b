//! Input and cancellations that reach a session just as its turn ends.

use std::{
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use holm_kernel::{Block, Ending, Event, ModelResult, Numbered, Prompt, Reply};
use holm_runtime::{Agent, BoxFuture, CancellationToken, EventSink, ModelRequest, RunReport, model_fn};
use holm_store::Store;
use tokio::sync::{Notify, mpsc, oneshot};

use super::{InputGate, LiveSession, MissedInput, RunResult, SessionState};
use crate::{
    ApiError, OpenedSession, ServerLimits,
    auth::{TokenRegistry, UserName},
    live::{
        Answered, QuestionAttendance, QuestionBroker, RunAdmission, SessionFeed, WorkLifetime,
        budget_reservations::BudgetReservations,
        drive::{DriveContext, take_turns},
    },
};

/// A session that is open, and how its turns ended.
struct Opening {
    live_session: Arc<LiveSession>,
    store: Store,
    admission: RunAdmission,
    endings: Arc<Mutex<Vec<String>>>,
    _folder: tempfile::TempDir,
}

/// Opens a session and calls `at_the_end` just as a turn has ended: the run reads no more input,
/// but no sender knows it yet.
async fn open(at_the_end: impl Fn(&LiveSession, usize) + Send + Sync + 'static) -> Opening {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("holm.db")).await.unwrap();
    let (known, endings) =
        (Arc::new(OnceLock::<Weak<LiveSession>>::new()), Arc::<Mutex<Vec<String>>>::default());
    let (seen, ended, turns) = (Arc::clone(&known), Arc::clone(&endings), AtomicUsize::new(0));
    let watch: Arc<dyn EventSink> = Arc::new(move |event: &Numbered| {
        let Event::GroupEnded { ending, .. } = &event.event else { return };
        let live_session = seen.get().and_then(Weak::upgrade).unwrap();
        let how = match &**ending {
            Ending::Answered { text } => text.clone(),
            other => format!("{other:?}"),
        };
        ended.lock().unwrap().push(format!("{}: {how}", live_session.state().borrow().name()));
        at_the_end(&live_session, turns.fetch_add(1, Ordering::Relaxed));
    });
    let agent = Agent::builder("scripted/any", model_fn(reply)).events(watch);
    let agent = agent.journals(store.clone()).blobs(store.clone()).build().unwrap();
    let session = agent.start_as("one").await.unwrap();
    let feed = Arc::new(SessionFeed::new());
    let desk = Arc::new(QuestionBroker::new(Arc::clone(&feed), QuestionAttendance::Attended));
    let limits = ServerLimits { runs_per_user: 1, waiting_per_user: 1, ..ServerLimits::default() };
    let driving = DriveContext {
        store: store.clone(),
        purses: Arc::new(BudgetReservations::new(Arc::new(
            TokenRegistry::open(&folder.path().join("server")).unwrap(),
        ))),
        idle: limits.idle,
        park: CancellationToken::new(),
        told: None,
    };
    let whose = (UserName::owner(), "one".parse().unwrap());
    let opened = OpenedSession { session, keep: Box::new(()) };
    let live_session = LiveSession::new(whose, opened, (feed, desk), WorkLifetime::Session, driving, || {});
    known.set(Arc::downgrade(&live_session)).unwrap();
    Opening { live_session, store, admission: RunAdmission::new(&limits), endings, _folder: folder }
}

/// Says what it was told last; asked to hang it says nothing until it is stopped.
fn reply(ask: ModelRequest<'_>) -> BoxFuture<'static, ModelResult> {
    let words = ask.messages.last().map(|message| message.plain_text()).unwrap_or_default();
    let (words, stop) = (words.lines().last().unwrap_or_default().to_owned(), ask.stop);
    Box::pin(async move {
        if words == "hang" {
            stop.cancelled().await;
            return ModelResult::Aborted(Reply::default());
        }
        let blocks = vec![Block::Text(format!("you said {words}"))];
        ModelResult::Replied(Reply { blocks, ..Reply::default() })
    })
}

impl Opening {
    async fn prompt(&self, words: &str) -> oneshot::Receiver<RunResult> {
        let ticket = self.admission.queue(&self.live_session.user).unwrap();
        let asked = self.live_session.ask(Some(Prompt::text(words)), ticket).unwrap();
        asked.kept().await.unwrap().1
    }

    /// Asks for something, and waits until all that came of it is over.
    async fn work(&self, words: &str) -> RunReport {
        self.prompt(words).await.await.unwrap().unwrap().unwrap()
    }

    async fn until_it_works(&self) {
        let mut state = self.live_session.state();
        state.wait_for(|state| *state == SessionState::Working).await.unwrap();
    }

    fn endings(&self) -> Vec<String> {
        self.endings.lock().unwrap().clone()
    }
}

/// A way to say something while a turn is worked on.
type Says = fn(&LiveSession, Prompt) -> Result<(), ApiError>;

fn words(text: &str) -> Prompt {
    Prompt::text(text)
}

#[tokio::test]
async fn what_is_said_just_as_a_turn_ends_begins_the_next_one_and_is_part_of_the_work() {
    let ways: [Says; 2] = [LiveSession::steer, LiveSession::follow_up];
    for say in ways {
        let open = open(move |live_session, turn| {
            if turn < 2 {
                say(live_session, words(&format!("late {turn}"))).unwrap();
            }
        })
        .await;
        let report = open.work("go").await;
        let all = ["working: you said go", "working: you said late 0", "working: you said late 1"];
        assert_eq!(open.endings(), all);
        assert_eq!(report.text().unwrap(), "you said late 1", "whoever asked hears how the last of it ended");
        let tags = open.store.session("one").await.unwrap().tags;
        assert!(tags.is_empty(), "nothing of it goes on at the next start: {tags:?}");
        assert_eq!(
            say(&open.live_session, words("too late")).unwrap_err().code,
            "idle",
            "it is not lost unheard"
        );
        assert_eq!(open.work("again").await.text().unwrap(), "you said again");
    }
}

#[tokio::test]
async fn what_was_said_before_a_stop_begins_nothing() {
    let open = open(|_, _| {}).await;
    let done = open.prompt("hang").await;
    open.until_it_works().await;
    open.live_session.steer(words("more")).unwrap();
    open.live_session.cancel("enough").unwrap();
    let report = done.await.unwrap().unwrap().unwrap();
    assert_eq!(report.ending, Ending::Cancelled { reason: "enough".into() });
    assert_eq!(open.endings().len(), 1, "{:?}", open.endings());
}

#[tokio::test]
async fn of_what_is_said_and_stopped_as_a_turn_ends_only_what_comes_after_the_stop_begins_something() {
    let stopped_last = open(|live_session, turn| {
        if turn == 0 {
            live_session.steer(words("before")).unwrap();
            live_session.cancel("enough").unwrap();
        }
    })
    .await;
    stopped_last.work("go").await;
    assert_eq!(stopped_last.endings(), ["working: you said go"]);
    let next = stopped_last.work("next").await;
    assert!(matches!(next.ending, Ending::Answered { .. }), "{:?}", next.ending);
    let said_last = open(|live_session, turn| {
        if turn == 0 {
            live_session.cancel("enough").unwrap();
            live_session.steer(words("after")).unwrap();
        }
    })
    .await;
    said_last.work("go").await;
    assert_eq!(said_last.endings(), ["working: you said go", "working: you said after"]);
}

#[tokio::test]
async fn a_stop_that_comes_when_the_turn_has_ended_stops_nothing_that_is_asked_later() {
    let open = open(|_, _| {}).await;
    open.work("go").await;
    let live_session = &open.live_session;
    for said_after_it in [false, true] {
        // As it is between the end of a turn and the check for missed input.
        *live_session.input_gate() = InputGate::Open;
        live_session.cancel("late").unwrap();
        if said_after_it {
            live_session.steer(words("after")).unwrap();
            assert_eq!(live_session.missed(), MissedInput::Something);
        }
        assert_eq!(live_session.missed(), MissedInput::Nothing);
        assert_eq!(live_session.cancel("later").unwrap_err().code, "idle", "there is nothing to stop");
        let next = open.work("next").await;
        assert!(matches!(next.ending, Ending::Answered { .. }), "{:?}", next.ending);
    }
}

#[tokio::test]
async fn what_is_said_after_a_stop_waits_for_a_turn_where_the_stop_needed_none() {
    let open = open(|live_session, turn| {
        if turn == 0 {
            live_session.steer(words("after")).unwrap();
        }
    })
    .await;
    let question = open.live_session.desk.words("which?", &[]);
    let done = open.prompt("hang").await;
    open.until_it_works().await;
    // It waits for an answer, so another run has its permit.
    let other = open.admission.queue(&open.live_session.user).unwrap().turn().await.unwrap();
    drop(question);
    open.live_session.cancel("enough").unwrap();
    // The line is full once it waits for a turn again.
    let waits = || open.admission.queue(&open.live_session.user).is_err();
    let ended = loop {
        let ended = open.endings().len();
        if ended > 1 || (ended == 1 && waits()) {
            break ended;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(ended, 1, "it works without a turn: {:?}", open.endings());
    drop(other);
    assert_eq!(done.await.unwrap().unwrap().unwrap().text().unwrap(), "you said after");
}

/// Longer than any test takes: what waits this long waits for ever.
const HANGS: Duration = Duration::from_mins(1);

#[tokio::test]
async fn an_answered_run_that_waits_for_a_turn_hears_its_answer_later_and_its_deadlines_at_once() {
    let open = open(|_, _| {}).await;
    let (user, desk) = (open.live_session.user.clone(), Arc::clone(&open.live_session.desk));
    let turn = async || open.admission.queue(&user).unwrap().turn().await.unwrap();
    let (deadline, (events, mut hears)) = (Notify::new(), mpsc::unbounded_channel());
    let work = async {
        let answered = async {
            desk.words("which?", &[]).await.unwrap();
            events.send("the answer").unwrap();
        };
        let rung = async {
            deadline.notified().await;
            events.send("the deadline").unwrap();
        };
        tokio::join!(answered, rung);
        Ok(None)
    };
    let others = async {
        desk.count().wait_for(|open| *open == 1).await.unwrap();
        // While the run waits for a person, another has the only turn.
        let other = turn().await;
        desk.answer(desk.open()[0].id, Answered::Words("this".into())).unwrap();
        deadline.notify_one();
        assert_eq!(hears.recv().await, Some("the deadline"));
        assert!(hears.try_recv().is_err(), "it has no turn");
        drop(other);
        assert_eq!(hears.recv().await, Some("the answer"));
    };
    let (park, first) = (CancellationToken::new(), turn().await);
    let both = async { tokio::join!(take_turns(&open.live_session, first, work, &park), others) };
    let (worked, ()) = tokio::time::timeout(HANGS, both).await.unwrap();
    assert!(matches!(worked, Some(Ok(Ok(None)))));
}
