//! Folders on a real file system.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use holm_runtime::BoxFuture;

use super::super::{
    AllowAllGate, FolderWatchHandle, LoadResource, PinFileStore, RegistrySnapshot, ReloadRequester,
    SourceRank, ToolFile, ToolFolder, ToolFolders, ToolLoadError, ToolLoader, ToolOffer, ToolRegistry,
    TrustGate,
};
use super::{Says, names, problems, said, says};
use crate::trust::{FolderSurvey, TrustLedger};

/// Longer than anything here takes, on the slowest machine.
const PATIENCE: Duration = Duration::from_secs(20);

async fn watch(folder: &Path) -> (ToolRegistry, FolderWatchHandle) {
    watch_as(ToolFolder::new(folder, SourceRank::User, AllowAllGate)).await
}

async fn watch_as(folder: ToolFolder) -> (ToolRegistry, FolderWatchHandle) {
    let registry = ToolRegistry::new();
    let watching = ToolFolders::new(&registry).loader(Says).folder(folder).watch().await.unwrap();
    (registry, watching)
}

/// Waits until the registry is as wanted; tells what it was like in the end.
async fn until(registry: &ToolRegistry, wanted: impl Fn(&RegistrySnapshot) -> bool) -> Arc<RegistrySnapshot> {
    let mut changes = registry.changes();
    let waited = tokio::time::timeout(PATIENCE, changes.wait_for(|snapshot| wanted(snapshot))).await;
    assert!(waited.is_ok(), "it stayed {:?}", registry.snapshot());
    registry.snapshot()
}

/// Puts a whole file in place, as careful programs do.
fn put(folder: &Path, name: &str, text: &str) {
    let hidden = folder.join(format!(".{name}.new"));
    fs::write(&hidden, text).unwrap();
    fs::rename(hidden, folder.join(name)).unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn whoever_only_looks_wakes_nobody() {
    use super::super::folder_watcher::{FolderSubscription, WatchNotice};
    use notify::event::{AccessKind, AccessMode, EventKind};

    let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "a.say", "a");
    let (mut ear, mut events) = FolderSubscription::new().unwrap();
    assert!(ear.watch(folder.path()));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    fs::read(folder.path().join("a.say")).unwrap();
    put(folder.path(), "b.say", "b");
    // What was put there last is heard last, and before it there is nothing about looking.
    loop {
        let heard = tokio::time::timeout(PATIENCE, events.recv()).await.unwrap().unwrap();
        let WatchNotice::Changed(event) = heard else { continue };
        assert!(!event.kind.is_access() || event.kind == closed, "{event:?}");
        assert!(!event.paths.contains(&folder.path().join("a.say")), "{event:?}");
        if event.paths.contains(&folder.path().join("b.say")) {
            return;
        }
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn many_watch_the_same_folder_each_by_its_own_name_and_one_that_leaves_takes_nobody_along() {
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("tools"), folder.path().join("link"));
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let (first, gone) = watch(&real).await;
    let (second, _second) = watch(&real).await;
    let (linked, _linked) = watch(&link).await;
    put(&real, "a.say", "a");
    for registry in [&first, &second, &linked] {
        until(registry, |snapshot| snapshot.tools().len() == 1).await;
    }
    drop(gone);
    put(&real, "b.say", "b");
    for registry in [&second, &linked] {
        until(registry, |snapshot| snapshot.tools().len() == 2).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_appears_changes_or_goes_is_a_tool_that_does() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "early.say", "1");
    let (registry, _watching) = watch(folder.path()).await;
    assert_eq!(names(&registry.snapshot()), ["early"], "what is there is loaded before anybody asks");
    fs::write(folder.path().join("late.say"), "2").unwrap();
    fs::write(folder.path().join("notes.txt"), "no tool").unwrap();
    let both = until(&registry, |snapshot| snapshot.find("late").is_some()).await;
    assert_eq!(said(&both, "late").await.as_deref(), Some("2"));
    put(folder.path(), "late.say", "3");
    wait_said(&registry, "late", "3").await;
    assert_eq!(said(&both, "late").await.as_deref(), Some("2"), "who began with a version keeps it");
    fs::remove_file(folder.path().join("early.say")).unwrap();
    until(&registry, |snapshot| snapshot.find("early").is_none()).await;
    assert!(problems(&registry.snapshot()).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_there_from_the_start_is_loaded_once() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "early.say", "1");
    let (registry, _watching) = watch(folder.path()).await;
    let first = registry.snapshot();
    put(folder.path(), "late.say", "2");
    let later = until(&registry, |snapshot| snapshot.find("late").is_some()).await;
    let [first, later] = [first, later].map(|snapshot| Arc::clone(snapshot.find("early").unwrap()));
    assert!(Arc::ptr_eq(&first, &later), "a second load would count as a change");
}

async fn wait_said(registry: &ToolRegistry, name: &str, text: &str) {
    let end = Instant::now() + PATIENCE;
    while said(&registry.snapshot(), name).await.as_deref() != Some(text) {
        assert!(Instant::now() < end, "{name} never said {text}: {:?}", registry.snapshot());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_visible_soon() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "a.say", "0");
    let (registry, _watching) = watch(folder.path()).await;
    let mut times = Vec::new();
    for round in 1..=9 {
        let text = round.to_string();
        let began = Instant::now();
        put(folder.path(), "a.say", &text);
        wait_said(&registry, "a", &text).await;
        times.push(began.elapsed());
    }
    times.sort();
    // The median, because a loaded machine may delay one attempt. The benchmarks
    // measure the exact time.
    assert!(times[4] <= Duration::from_secs(2), "{times:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn half_a_file_is_never_loaded_however_long_its_writer_pauses() {
    use super::super::pending_files::QUIET;
    let folder = tempfile::tempdir().unwrap();
    let (registry, _watching) = watch(folder.path()).await;
    let mut file = fs::File::create(folder.path().join("a.say")).unwrap();
    for _ in 0..4 {
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        // What does not happen gives no sign: it would have, in many times as long as a whole file is waited for.
        tokio::time::sleep(QUIET * 30).await;
        assert!(names(&registry.snapshot()).is_empty(), "its writer has not closed it");
    }
    drop(file);
    wait_said(&registry, "a", "halfhalfhalfhalf").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_new_version_keeps_the_old_one_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "a.say", "good");
    let (registry, _watching) = watch(folder.path()).await;
    put(folder.path(), "a.say", "bad");
    let snapshot = until(&registry, |snapshot| !snapshot.problems().is_empty()).await;
    assert_eq!(said(&snapshot, "a").await.as_deref(), Some("good"));
    let told = snapshot.problems()[0].to_string();
    assert!(
        told.contains("a.say: the new version cannot be used") && told.contains("begins badly"),
        "{told}"
    );
    put(folder.path(), "a.say", "better");
    wait_said(&registry, "a", "better").await;
    assert!(problems(&registry.snapshot()).is_empty(), "mended is mended");
    put(folder.path(), "b.say", "bad");
    let snapshot = until(&registry, |snapshot| !snapshot.problems().is_empty()).await;
    assert_eq!(problems(&snapshot), ["it begins badly"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_version_that_no_run_can_use_keeps_the_old_one_too() {
    for (text, expect) in [("flawed", "nonsense"), ("panic", "panicked")] {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "a.say", "good");
        let (registry, _watching) = watch(folder.path()).await;
        put(folder.path(), "a.say", text);
        let snapshot = until(&registry, |snapshot| !snapshot.problems().is_empty()).await;
        assert_eq!(said(&snapshot, "a").await.as_deref(), Some("good"), "{text}");
        let told = snapshot.problems()[0].to_string();
        assert!(told.contains("so the old one stays") && told.contains(expect), "{told}");
        put(folder.path(), "a.say", "better");
        wait_said(&registry, "a", "better").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_over_which_a_loader_breaks_down_takes_nobody_with_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.say", "1"), ("b.say", "panic"), ("c.say", "3")] {
        put(folder.path(), name, text);
    }
    let registry = ToolRegistry::new();
    let from = ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate);
    ToolFolders::new(&registry).loader(Says).folder(from).load().await;
    assert_eq!(names(&registry.snapshot()), ["a", "c"]);
    assert!(problems(&registry.snapshot())[0].contains("panicked"), "{:?}", problems(&registry.snapshot()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_another_took_the_place_of_is_watched_from_then_on() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, other) = (parent.path().join("tools"), parent.path().join("other"));
    for (folder, name, text) in [(&folder, "a.say", "1"), (&folder, "gone.say", "1"), (&other, "a.say", "2")]
    {
        fs::create_dir_all(folder).unwrap();
        put(folder, name, text);
    }
    let (registry, _watching) = watch(&folder).await;
    assert_eq!(names(&registry.snapshot()), ["a", "gone"]);
    // In one step, so that the path never lacks a folder.
    fs::rename(&folder, parent.path().join("old")).unwrap();
    fs::rename(&other, &folder).unwrap();
    wait_said(&registry, "a", "2").await;
    until(&registry, |snapshot| snapshot.find("gone").is_none()).await;
    put(&folder, "b.say", "new");
    wait_said(&registry, "b", "new").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_still_watch_a_folder_when_the_one_that_lay_there_before_is_removed() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, other) = (parent.path().join("tools"), parent.path().join("other"));
    for (folder, text) in [(&folder, "1"), (&other, "2")] {
        fs::create_dir(folder).unwrap();
        put(folder, "a.say", text);
    }
    let (first, _first) = watch(&folder).await;
    let (second, _second) = watch(&folder).await;
    let old = parent.path().join("old");
    fs::rename(&folder, &old).unwrap();
    fs::rename(&other, &folder).unwrap();
    for registry in [&first, &second] {
        wait_said(registry, "a", "2").await;
    }
    fs::remove_dir_all(&old).unwrap();
    // What comes at the same moment as the end of the old one may be heard for that reason; what comes later is not.
    for name in ["b", "c", "d"] {
        put(&folder, &format!("{name}.say"), "new");
        for registry in [&first, &second] {
            wait_said(registry, name, "new").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_sidecar_changes_its_tool() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "a.say", "hello");
    let (registry, _watching) = watch(folder.path()).await;
    put(folder.path(), "a.toml", "name = 'other'");
    until(&registry, |snapshot| snapshot.find("other").is_some()).await;
    put(folder.path(), "a.toml", "nonsense = 1");
    let snapshot = until(&registry, |snapshot| !snapshot.problems().is_empty()).await;
    assert!(snapshot.find("other").is_some() && problems(&snapshot)[0].contains("nonsense"));
    fs::remove_file(folder.path().join("a.toml")).unwrap();
    until(&registry, |snapshot| snapshot.find("a").is_some() && snapshot.problems().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_comes_later_is_watched_from_then_on() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("tools");
    let (registry, _watching) = watch(&folder).await;
    fs::create_dir(&folder).unwrap();
    put(&folder, "a.say", "1");
    wait_said(&registry, "a", "1").await;
    put(&folder, "a.say", "2");
    wait_said(&registry, "a", "2").await;
    fs::remove_dir_all(&folder).unwrap();
    until(&registry, |snapshot| snapshot.find("a").is_none()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_gate_refuses_never_reaches_a_loader() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "a.say", "good");
    let trusted = super::super::read::whole(&folder.path().join("a.say")).unwrap().sha256;
    let gate = move |_: &Path, hash: &[u8; 32]| {
        if *hash == trusted { Ok(()) } else { Err("nobody trusts it".to_owned()) }
    };
    let (registry, _watching) = watch_as(ToolFolder::new(folder.path(), SourceRank::Project, gate)).await;
    assert_eq!(said(&registry.snapshot(), "a").await.as_deref(), Some("good"));
    put(folder.path(), "a.say", "changed");
    let snapshot = until(&registry, |snapshot| !snapshot.problems().is_empty()).await;
    assert!(names(&snapshot).is_empty(), "what lies there is not what was trusted");
    assert_eq!(problems(&snapshot), ["nobody trusts it"]);
    put(folder.path(), "a.say", "good");
    wait_said(&registry, "a", "good").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_that_is_taken_back_stops_the_next_call_and_the_next_look_removes_the_tool() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    put(folder.path(), "a.say", "good");
    let at = folder.path().canonicalize().unwrap();
    let mut ledger = TrustLedger::open(home.path().join("trust.json")).unwrap();
    ledger.trust(&FolderSurvey::of(&at).unwrap()).unwrap();
    let gate = TrustGate::new(home.path().join("trust.json"), folder.path());
    let (registry, _watching) = watch_as(ToolFolder::new(folder.path(), SourceRank::Project, gate)).await;
    let held = registry.snapshot();
    assert_eq!(said(&held, "a").await.as_deref(), Some("good"));
    ledger.forget(&at).unwrap();
    let told = said(&held, "a").await.unwrap();
    assert!(told.contains("you have not trusted it") && !told.contains("good"), "{told}");
    put(folder.path(), "a.say", "good");
    let snapshot = until(&registry, |snapshot| snapshot.find("a").is_none()).await;
    assert!(problems(&snapshot)[0].starts_with("you have not trusted it"), "{:?}", problems(&snapshot));
}

#[tokio::test(flavor = "multi_thread")]
async fn replaced_code_is_told_from_confirmed_code() {
    let folder = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    put(folder.path(), "a.say", "one");
    let pins = Arc::new(PinFileStore::new(home.path().join("pins")));
    let (registry, _watching) =
        watch_as(ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate).pins(pins)).await;
    assert_eq!(said(&registry.snapshot(), "a").await.as_deref(), Some("one"));
    put(folder.path(), "a.say", "two");
    wait_said(&registry, "a", "two (replaced)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_never_was_a_tool_is_mended_without_a_question() {
    let folder = tempfile::tempdir().unwrap();
    let home = tempfile::tempdir().unwrap();
    put(folder.path(), "a.say", "bad");
    let pins = Arc::new(PinFileStore::new(home.path().join("pins")));
    let (registry, _watching) =
        watch_as(ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate).pins(pins)).await;
    assert_eq!(problems(&registry.snapshot()).len(), 1);
    put(folder.path(), "a.say", "good");
    wait_said(&registry, "a", "good").await;
    put(folder.path(), "a.say", "other");
    wait_said(&registry, "a", "other (replaced)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_watched_after_the_watch_was_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (registry, watching) = watch(folder.path()).await;
    put(folder.path(), "a.say", "1");
    wait_said(&registry, "a", "1").await;
    drop(watching);
    // A watcher that is still active has seen one change and the next before this is checked.
    let (other, _other) = watch(folder.path()).await;
    for name in ["b", "c"] {
        put(folder.path(), &format!("{name}.say"), "1");
        wait_said(&other, name, "1").await;
    }
    assert_eq!(names(&registry.snapshot()), ["a"]);
}

/// Is not ready before it is let go.
struct Slow {
    ready: Arc<AtomicBool>,
}

impl ToolLoader for Slow {
    fn claims(&self, path: &Path, _head: &[u8]) -> bool {
        path.extension().is_some_and(|ending| ending == "slow")
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            if self.ready.load(Ordering::Relaxed) {
                return Ok(vec![says(found.name, "at last")]);
            }
            Err(ToolLoadError::later("it is not ready yet"))
        })
    }

    fn takes(&self) -> LoadResource {
        LoadResource::Patience
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_late_is_looked_at_again_when_its_loader_asks() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "far.slow", "");
    let (registry, again, ready) =
        (ToolRegistry::new(), ReloadRequester::new(), Arc::new(AtomicBool::new(false)));
    let loader = Slow { ready: Arc::clone(&ready) };
    let folders = ToolFolders::new(&registry).again(&again).loader(loader).loader(Says);
    let folders = folders.folder(ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate));
    let _watching = folders.watch().await.unwrap();
    assert_eq!(problems(&registry.snapshot()), ["it is not ready yet"]);
    ready.store(true, Ordering::Relaxed);
    again.look(&folder.path().join("far.slow"));
    let late = until(&registry, |snapshot| snapshot.find("far").is_some()).await;
    assert!(problems(&late).is_empty(), "{late:?}");
    again.look(&folder.path().join("elsewhere/far.slow"));
    again.look(&folder.path().join("gone.slow"));
    put(folder.path(), "other.say", "1");
    let both = until(&registry, |snapshot| snapshot.find("other").is_some()).await;
    assert_eq!(said(&both, "far").await.as_deref(), Some("at last"));
}

/// Waits until as many wait beside it as there are files.
struct Together(Arc<tokio::sync::Barrier>);

impl ToolLoader for Together {
    fn claims(&self, path: &Path, _head: &[u8]) -> bool {
        path.extension().is_some_and(|ending| ending == "many")
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        Box::pin(async move {
            self.0.wait().await;
            Ok(vec![says(found.name, "all are here")])
        })
    }

    fn takes(&self) -> LoadResource {
        LoadResource::Patience
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn those_that_wait_for_somebody_else_wait_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    // More than any machine has processors.
    let count = 500;
    for number in 0..count {
        fs::write(folder.path().join(format!("t{number}.many")), "").unwrap();
    }
    let registry = ToolRegistry::new();
    let folders = ToolFolders::new(&registry).loader(Together(Arc::new(tokio::sync::Barrier::new(count))));
    let folders = folders.folder(ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate));
    let loaded = tokio::time::timeout(3 * PATIENCE, folders.load()).await;
    assert!(loaded.is_ok(), "one of them waited for another to end");
    assert_eq!(names(&registry.snapshot()).len(), count);
}
