//! What people said to a run, and were shown as said, after a loss of power.
//!
//! A run is driven as programs drive it. People prompt it, steer it, answer it, stop it, and change
//! its mode, grants and budget. An event that shows one of these is the acknowledgement, as
//! `docs/sessions.md` says.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use holm_grants::{GrantSet, Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Block, Budget, Input, ModelResult, Numbered, Proposal, Reply, StopReason, ToolCall, ToolOutput, ToolSpec,
    Verdict, journal,
};
use holm_runtime::{
    Agent, BoxFuture, Durability, Journal, JournalStorageError, JournalStore, OpenedJournal, ResumeChanges,
    RunHandle, ToolInvocation, model_fn, tool_fn,
};
use holm_store::Store;

use super::{Dice, IMAGES, IMAGES_EACH, Image, Op, WATCHED, checkpoint, note_sync, number, vfs};

const RUN: &str = "run";
const PROMPTS: usize = 12;

#[tokio::test]
async fn after_a_loss_of_power_everything_that_people_were_shown_as_said_is_there() {
    let (images, first) = (number("HOLM_POWER_IMAGES", IMAGES), number("HOLM_POWER_SEED", 1));
    let (mut made, mut torn, mut kinds) = (0, 0, BTreeSet::new());
    let mut seed = first;
    let _watched = WATCHED.lock().await;
    while made < images {
        let each = IMAGES_EACH.min(images - made);
        let history = Conversation::play(seed).await;
        torn += history.check(each).await;
        kinds.extend(history.said.iter().map(|said| said.kind));
        made += each;
        seed += 1;
    }
    println!("RESULT crash.said images={made} histories={} lacking={torn} lost=0", seed - first);
    assert_eq!(kinds.len(), 8, "every kind must have been said: {kinds:?}");
    assert!(torn > 0, "some images must lack something, or nothing was tried");
}

/// Something that a person said, and was shown once so many operations had happened.
struct Said {
    after: usize,
    record: usize,
    kind: &'static str,
}

struct Conversation {
    seed: usize,
    base: Image,
    ops: Vec<Op>,
    /// The whole journal.
    text: Vec<u8>,
    said: Vec<Said>,
}

/// The record of each event and how many operations had happened when it was shown.
type Shown = Arc<Mutex<Vec<(usize, u64)>>>;

impl Conversation {
    async fn play(seed: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("holm.db");
        vfs::watch(path.to_str().unwrap());
        let store = Store::open(&path).await.unwrap();
        let (dice, shown) = (Arc::new(Mutex::new(Dice(seed as u64))), Shown::default());
        let handle = Arc::new(OnceLock::new());
        let agent = agent(&store, &dice, &shown, &handle);
        let mut session = agent.start_as(RUN).await.unwrap();
        assert!(handle.set(session.handle()).is_ok());
        // From here on the disk is in a state that is known.
        checkpoint(&path);
        let base = Image::take(&path);
        vfs::begin();
        shown.lock().unwrap().clear();
        for turn in 0..PROMPTS {
            if turn % 4 == 1 {
                session.change(changes(turn)).await.unwrap();
            }
            session.prompt(words(&dice)).await.unwrap();
            session.catch_up().await.unwrap();
        }
        let ops = vfs::end();
        drop(session);
        let text = store.read(RUN).await.unwrap();
        let shown = std::mem::take(&mut *shown.lock().unwrap());
        Self { seed, base, said: said(&text, &shown), ops, text }
    }

    /// Loses power so many times; how often something was lacking.
    async fn check(&self, images: usize) -> usize {
        let mut dice = Dice((self.seed as u64) << 32);
        let mut torn = 0;
        for number in 0..images {
            let at = dice.roll(self.ops.len() + 1);
            let (image, whole) = super::lose_power(&self.base, &self.ops[..at], &mut dice);
            torn += usize::from(!whole);
            self.look(&image, at, number).await;
        }
        torn
    }

    async fn look(&self, image: &Image, at: usize, number: usize) {
        let what = format!("HOLM_POWER_SEED={}, image {number}, after {at} of {}", self.seed, self.ops.len());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("holm.db");
        image.put(&path);
        let store = Store::open(&path).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        let found = store.read(RUN).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(self.text.starts_with(&found), "{what}: the journal is not a beginning of what was written");
        let records = found.iter().filter(|byte| **byte == b'\n').count();
        for said in self.said.iter().filter(|said| said.after <= at) {
            let Said { record, kind, .. } = said;
            assert!(*record < records, "{what}: record {record} ({kind}) was shown, and {records} are left");
        }
    }
}

/// Which of the records that were shown hold what people said.
fn said(text: &[u8], shown: &[(usize, u64)]) -> Vec<Said> {
    let records = journal::decode_strict(text).unwrap();
    let kinds: Vec<_> = records.iter().map(|record| kind(&record.payload().input().unwrap())).collect();
    let said = shown.iter().filter_map(|(after, record)| {
        let record = usize::try_from(*record).unwrap();
        Some(Said { after: *after, record, kind: kinds[record]? })
    });
    said.collect()
}

/// What people say, as `docs/sessions.md` lists it.
fn kind(input: &Input) -> Option<&'static str> {
    match input {
        Input::Prompted(_) => Some("prompt"),
        Input::Steered(_) => Some("steering"),
        Input::FollowedUp(_) => Some("follow-up"),
        Input::Judged { .. } => Some("answer"),
        Input::Cancelled { .. } => Some("cancellation"),
        Input::ModeChanged(_) => Some("mode"),
        Input::GrantsChanged(_) => Some("grants"),
        Input::BudgetChanged(_) => Some("budget"),
        _ => None,
    }
}

fn roll(dice: &Mutex<Dice>, sides: usize) -> usize {
    dice.lock().unwrap().roll(sides)
}

fn words(dice: &Mutex<Dice>) -> String {
    "word ".repeat(1 + roll(dice, 1_200))
}

fn changes(turn: usize) -> ResumeChanges {
    ResumeChanges {
        mode: Some(Mode::Default),
        grants: Some(GrantSet::parse([&*format!("read:{turn}/**")]).unwrap()),
        budget: Some(Budget::default()),
        ..ResumeChanges::default()
    }
}

/// An agent whose model talks and calls tools, of which one is a person who interferes.
fn agent(store: &Store, dice: &Arc<Mutex<Dice>>, shown: &Shown, handle: &Arc<OnceLock<RunHandle>>) -> Agent {
    let (lot, count) = (Arc::clone(dice), AtomicUsize::new(0));
    let model = model_fn(move |_| {
        let reply = reply(count.fetch_add(1, Ordering::Relaxed), words(&lot));
        Box::pin(async move { ModelResult::Replied(reply) })
    });
    let (lot, handle, events) = (Arc::clone(dice), Arc::clone(handle), Arc::clone(shown));
    let count = AtomicUsize::new(0);
    let meddle = tool_fn(declared("meddle").level(Level::ReadOnly), move |job: ToolInvocation| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let stopped = interfere(handle.get().unwrap(), number, &lot);
        async move {
            if stopped {
                job.stop.cancelled().await;
            }
            ToolOutput::text("said")
        }
    });
    let act = tool_fn(declared("act").level(Level::Execute), |_: ToolInvocation| async {
        ToolOutput::text("acted")
    });
    let lot = Arc::clone(dice);
    let person = move |_: &Proposal| match roll(&lot, 2) {
        0 => Verdict::allow(),
        _ => Verdict::deny("not now"),
    };
    Agent::builder("test/one", model)
        .mode(Mode::Default)
        .tool(meddle)
        .tool(act)
        .approver(person)
        .events(move |event: &Numbered| events.lock().unwrap().push((vfs::count(), event.id.record.value())))
        .journals(Watched(store.clone()))
        .build()
        .unwrap()
}

fn declared(name: &str) -> ToolSpec {
    ToolSpec::new(name, "For tests.", Json::object([("type", "object".into())]))
}

fn reply(number: usize, text: String) -> Reply {
    let name = match number % 3 {
        0 => "meddle",
        1 => "act",
        _ => return Reply { blocks: vec![Block::Text(text)], ..Reply::default() },
    };
    let call = ToolCall {
        id: "c".into(),
        name: name.into(),
        arguments: format!("{{\"n\":{number}}}"),
        replay: None,
    };
    let blocks = vec![Block::Text(text), Block::ToolCall(call)];
    Reply { blocks, stop: StopReason::ToolUse, ..Reply::default() }
}

/// Says something to the run while it works; whether that was to stop.
fn interfere(handle: &RunHandle, number: usize, dice: &Mutex<Dice>) -> bool {
    match number % 6 {
        0 => handle.steer(words(dice)).unwrap(),
        1 => handle.follow_up(words(dice)).unwrap(),
        2 => handle.tell(Input::ModeChanged(Mode::Default)).unwrap(),
        3 => handle.tell(Input::GrantsChanged(GrantSet::default())).unwrap(),
        4 => handle.tell(Input::BudgetChanged(Budget::default())).unwrap(),
        _ => {
            handle.cancel("enough").unwrap();
            return true;
        }
    }
    false
}

/// The store's journals, with a note of each sync as it happens.
struct Watched(Store);

struct WatchedJournal {
    store: Store,
    journal: Box<dyn Journal>,
}

impl JournalStore for Watched {
    fn create<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Box<dyn Journal>, JournalStorageError>> {
        Box::pin(async move {
            let (store, journal) = (self.0.clone(), self.0.create(run).await?);
            Ok(Box::new(WatchedJournal { store, journal }) as Box<dyn Journal>)
        })
    }

    fn open<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<OpenedJournal, JournalStorageError>> {
        self.0.open(run)
    }

    fn read<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Result<Vec<u8>, JournalStorageError>> {
        self.0.read(run)
    }
}

impl Journal for WatchedJournal {
    fn append<'a>(
        &'a mut self,
        lines: &'a str,
        durability: Durability,
    ) -> BoxFuture<'a, Result<(), JournalStorageError>> {
        Box::pin(async move {
            let before = self.store.commits().syncs;
            self.journal.append(lines, durability).await?;
            note_sync(&self.store, before);
            Ok(())
        })
    }
}
