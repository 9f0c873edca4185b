use std::{
    io::{self, Write},
    sync::{Mutex, mpsc},
    time::Duration,
};

use holm_kernel::{
    Block, Config, Effect, Event, EventId, ModelResult, ModelSpec, Prompt, Reply, Seq, Started, Timestamp,
    journal,
};

use super::*;
use crate::{Driver, MemoryJournal, RunHost, model_fn};

fn event(index: u64) -> Numbered {
    let id = EventId { record: Seq::new(1), index };
    Numbered { id, at: Timestamp::new(1_000 + index), event: Event::GrantsChanged }
}

/// What a reader gets, in short: the index of an event, or `-n` for n that are missing.
fn short(notice: &EventNotice) -> i64 {
    match notice {
        EventNotice::Event(event) => i64::try_from(event.id.index).unwrap(),
        EventNotice::Missed(count) => -i64::try_from(*count).unwrap(),
    }
}

fn read(events: &mut EventSubscription) -> Vec<i64> {
    std::iter::from_fn(|| events.try_next()).map(|notice| short(&notice)).collect()
}

#[test]
fn what_finds_no_room_is_dropped_counted_and_told_in_its_place() {
    let (channel, mut events) = EventChannel::new(2);
    (0..5).for_each(|index| channel.event(&event(index)));
    assert_eq!((channel.missed(), events.missed()), (3, 3));
    assert_eq!(read(&mut events), [0, 1], "what follows is not known yet");
    channel.event(&event(5));
    assert_eq!(read(&mut events), [-3, 5]);
    (6..10).for_each(|index| channel.event(&event(index)));
    drop(channel);
    assert_eq!(read(&mut events), [6, 7, -2], "the last gap is told at the end");
    assert_eq!(events.try_next(), None);
}

#[tokio::test]
async fn a_reader_that_wants_events_alone_gets_events_alone() {
    let (channel, mut events) = EventChannel::new(1);
    (0..3).for_each(|index| channel.event(&event(index)));
    assert_eq!(events.event().await.unwrap().id.index, 0);
    channel.event(&event(3));
    assert_eq!(events.event().await.unwrap().id.index, 3);
    drop(channel);
    assert_eq!(events.event().await, None);
    assert_eq!(events.missed(), 2);
}

#[test]
fn a_hub_tells_those_who_watch_and_forgets_those_who_left() {
    let hub = EventHub::new();
    hub.event(&event(0));
    let mut early = hub.subscribe(8);
    hub.event(&event(1));
    let mut late = hub.subscribe(8);
    hub.event(&event(2));
    assert_eq!((read(&mut early), read(&mut late)), (vec![1, 2], vec![2]));
    drop(early);
    hub.event(&event(3));
    assert_eq!(hub.watchers(), 1);
    hub.close();
    assert_eq!(read(&mut late), [3]);
    assert_eq!(late.next_blocking(), None);
}

#[test]
fn a_fan_out_tells_all_in_order_and_splits_by_run_only_where_a_sink_wants_it() {
    /// Writes down which run an event belongs to.
    struct PerRun(Arc<Mutex<Vec<String>>>, String);
    impl EventSink for PerRun {
        fn event(&self, event: &Numbered) {
            self.0.lock().unwrap().push(format!("{}:{}", self.1, event.id.index));
        }
        fn of_run(&self, run: &str) -> Option<Arc<dyn EventSink>> {
            Some(Arc::new(Self(Arc::clone(&self.0), run.to_owned())))
        }
    }
    let recorded = Arc::new(Mutex::new(Vec::new()));
    let (channel, mut events) = EventChannel::new(8);
    assert!(EventFanOut::new().with(channel.clone()).of_run("a").is_none());
    let all = EventFanOut::new().with(PerRun(Arc::clone(&recorded), "none".into())).with(channel);
    let all: Arc<dyn EventSink> = Arc::new(all);
    all.of_run("a").unwrap().event(&event(1));
    all.of_run("b").unwrap().event(&event(2));
    assert_eq!(*recorded.lock().unwrap(), ["a:1", "b:2"]);
    assert_eq!(read(&mut events), [1, 2]);
}

#[tokio::test]
async fn an_observer_that_hangs_holds_nobody_up() {
    let queue = ObserverQueue::spawn(4, |_| std::future::pending());
    // Yields once, so that the observer takes the first event and hangs on it.
    queue.event(&event(0));
    tokio::task::yield_now().await;
    for index in 1..1_000 {
        queue.event(&event(index));
    }
    assert_eq!(queue.missed(), 995);
    assert_eq!(queue.finish(Duration::from_millis(1)).await, 995);
}

#[tokio::test]
async fn an_observer_sees_everything_that_it_had_room_for_before_it_ends() {
    let (tell, seen) = mpsc::channel();
    let queue = ObserverQueue::spawn(2, move |notice| {
        let _ = tell.send(short(&notice));
        async {}
    });
    (0..4).for_each(|index| queue.event(&event(index)));
    assert_eq!(queue.finish(Duration::from_secs(60)).await, 2);
    assert_eq!(seen.iter().collect::<Vec<_>>(), [0, 1, -2]);
}

#[tokio::test]
async fn an_observer_that_panics_gets_nothing_more_and_the_run_goes_on() {
    let queue = ObserverQueue::spawn(8, |_| async { panic!("an observer's own mistake") });
    queue.event(&event(0));
    while !queue.is_over() {
        tokio::task::yield_now().await;
    }
    queue.event(&event(1));
    assert_eq!(queue.missed(), 1);
}

/// Runs a prompt and gives what the sink saw and the journal.
async fn run_with(sink: impl EventSink + 'static) -> String {
    let journal = MemoryJournal::new();
    let model = model_fn(|_| {
        let reply = Reply { blocks: vec![Block::Text("four\n\u{1b}[31m".into())], ..Reply::default() };
        Box::pin(async { ModelResult::Replied(reply) })
    });
    let host = RunHost::new(Arc::new(model)).journal(journal.clone()).events(sink);
    let started = Started::new("run-1", 7, Config::new(ModelSpec::named("test/one")));
    let mut driver = Driver::start(started, host).await.unwrap();
    driver.prompt(Prompt::text("What is 2 + 2?")).await.unwrap();
    journal.text()
}

#[tokio::test]
async fn the_lines_of_a_run_are_the_bytes_of_its_replay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let lines = Arc::new(EventLines::create(&path).unwrap());
    let sink = Arc::clone(&lines);
    let journal = run_with(move |event: &Numbered| sink.event(event)).await;
    assert_eq!(Arc::into_inner(lines).unwrap().finish(), Ok(0));
    let mut replayed = String::new();
    let records = journal::decode_strict(journal.as_bytes()).unwrap();
    journal::replay_with(&records, |_, effect| {
        if let Effect::Emit(event) = effect {
            replayed += &(serde_json::to_string(event).unwrap() + "\n");
        }
    })
    .unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), replayed);
    assert!(replayed.lines().count() > 5);
}

#[cfg(unix)]
#[test]
fn a_file_of_events_is_for_its_owner_alone_and_never_written_over() {
    use std::{fs, os::unix::fs::PermissionsExt};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    let lines = EventLines::create(&path).unwrap();
    lines.event(&event(0));
    lines.finish().unwrap();
    assert_eq!(mode(), 0o600);
    assert!(EventLines::create(&path).unwrap_err().reason.contains("events.jsonl"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let lines = EventLines::append(&path).unwrap();
    lines.event(&event(1));
    lines.finish().unwrap();
    assert_eq!((mode(), fs::read_to_string(&path).unwrap().lines().count()), (0o600, 2));
}

/// A disk that holds so many bytes, and a gate that must be opened before it takes any. It says when it was asked to.
struct Disk {
    asked: mpsc::Sender<()>,
    gate: mpsc::Receiver<()>,
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.asked.send(());
        let _ = self.gate.recv();
        self.room = self.room.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_disk_that_stands_still_costs_lines_and_no_time() {
    let ((asked, stands_still), (open, gate)) = (mpsc::channel(), mpsc::channel::<()>());
    let lines = EventLines::to(Disk { asked, gate, room: usize::MAX }, 4, OverflowPolicy::Drop);
    // Dropped before the lines are, also if the test fails: they wait for the disk.
    let open = open;
    lines.event(&event(0));
    stands_still.recv().unwrap();
    (1..=100).for_each(|index| lines.event(&event(index)));
    assert_eq!(lines.missed(), 96, "four had room");
    drop(open);
    assert_eq!(lines.finish(), Ok(96));
}

#[test]
fn where_the_lines_come_first_none_is_missing() {
    let (open, gate) = mpsc::channel();
    let lines =
        EventLines::to(Disk { asked: mpsc::channel().0, gate, room: usize::MAX }, 1, OverflowPolicy::Wait);
    let opener = std::thread::spawn(move || {
        std::thread::yield_now();
        drop(open);
    });
    (0..100).for_each(|index| lines.event(&event(index)));
    opener.join().unwrap();
    assert_eq!(lines.finish(), Ok(0));
}

#[test]
fn a_full_disk_is_said_at_the_end_and_nobody_waits_for_it() {
    let (open, gate) = mpsc::channel();
    drop(open);
    let lines = EventLines::to(Disk { asked: mpsc::channel().0, gate, room: 10 }, 1, OverflowPolicy::Wait);
    (0..100).for_each(|index| lines.event(&event(index)));
    assert!(lines.finish().unwrap_err().to_string().contains("the journal still has them"));
}

#[tokio::test]
async fn a_run_is_the_same_whoever_watches() {
    let (channel, _unread) = EventChannel::new(1);
    let watched = run_with(channel).await;
    let alone = run_with(NullEventSink).await;
    let inputs = |text: &str| journal::decode_strict(text.as_bytes()).unwrap().len();
    assert_eq!(inputs(&watched), inputs(&alone));
}
