//! Jobs: the first process wins, and stored data stays.

use super::Place;
use holm_kernel::Timestamp;
use holm_store::{JobRunState, MasterKey, Store, StoreOptions, StoredJobRun};

const NOW: Timestamp = Timestamp::new(1_000);

async fn slots(store: &Store, job: &str) -> Vec<String> {
    store.job_runs(job, 100).await.unwrap().into_iter().map(|run| run.slot).collect()
}

async fn add(store: &Store, slot: &str, state: JobRunState) -> bool {
    store.add_job_run("nightly", slot, NOW, b"body", state).await.unwrap()
}

pub(crate) async fn jobs_are_kept_listed_and_forgotten(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    assert!(store.add_job("nightly", b"spec", b"standing").await.unwrap());
    assert!(store.add_job("hourly", b"other", b"").await.unwrap());
    assert!(!store.add_job("nightly", b"again", b"").await.unwrap());
    assert!(store.add_job("../etc", b"", b"").await.is_err());
    let again = place.open(StoreOptions::new()).await;
    let jobs = again.jobs().await.unwrap();
    assert_eq!(jobs.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["hourly", "nightly"]);
    assert_eq!((jobs[1].spec.as_slice(), jobs[1].standing.as_slice()), (&b"spec"[..], &b"standing"[..]));
    assert!(add(&store, "at-1", JobRunState::Open).await);
    assert!(again.remove_job("nightly").await.unwrap());
    assert!(!store.remove_job("nightly").await.unwrap());
    assert_eq!(store.job("nightly").await.unwrap(), None);
    // One that comes later under the same name has no past.
    assert!(store.add_job("nightly", b"new", b"").await.unwrap());
    assert!(slots(&store, "nightly").await.is_empty());
}

pub(crate) async fn of_two_who_change_a_job_one_is_told_to_look_again(place: &dyn Place) {
    let (one, other) = (place.open(StoreOptions::new()).await, place.open(StoreOptions::new()).await);
    assert!(one.add_job("nightly", b"spec", b"0").await.unwrap());
    let mut seen = one.job("nightly").await.unwrap().unwrap();
    let mut late = other.job("nightly").await.unwrap().unwrap();
    (seen.standing, late.standing) = (b"1".to_vec(), b"2".to_vec());
    assert!(one.change_job(&seen).await.unwrap());
    assert!(!other.change_job(&late).await.unwrap());
    let now = other.job("nightly").await.unwrap().unwrap();
    assert_eq!((now.standing.as_slice(), now.version), (&b"1"[..], seen.version + 1));
    late.version = now.version;
    assert!(other.change_job(&late).await.unwrap());
}

pub(crate) async fn a_slot_is_filled_once_however_many_try(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    store.add_job("nightly", b"", b"").await.unwrap();
    let mut tries = Vec::new();
    for _ in 0..4 {
        let other = place.open(StoreOptions::new()).await;
        tries.push(tokio::spawn(async move { add(&other, "at-7", JobRunState::Open).await }));
    }
    let mut filled = 0;
    for tried in tries {
        filled += usize::from(tried.await.unwrap());
    }
    assert_eq!(filled, 1);
    // Ending does not free it.
    let run = store.job_run("nightly", "at-7").await.unwrap().unwrap();
    let ended = StoredJobRun { state: JobRunState::Ended, body: b"done".to_vec(), ..run.clone() };
    assert!(store.change_job_run("nightly", &ended).await.unwrap());
    assert!(!store.change_job_run("nightly", &run).await.unwrap(), "it has changed since");
    assert!(!add(&store, "at-7", JobRunState::Open).await);
    assert!(store.open_job_runs("nightly").await.unwrap().is_empty());
    assert_eq!(store.job_run("nightly", "at-7").await.unwrap().unwrap().body, b"done");
    // A job that is gone has no slots.
    assert!(!store.add_job_run("daily", "at-7", NOW, b"", JobRunState::Open).await.unwrap());
}

pub(crate) async fn runs_come_in_their_order_and_old_ones_go(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    store.add_job("nightly", b"", b"").await.unwrap();
    for slot in ["z", "y"] {
        add(&store, slot, JobRunState::Ended).await;
    }
    add(&store, "x", JobRunState::Open).await;
    let late = Timestamp::new(9_000);
    store.add_job_run("nightly", "w", late, b"", JobRunState::Ended).await.unwrap();
    add(&store, "v", JobRunState::Open).await;
    assert_eq!(slots(&store, "nightly").await, ["v", "w", "x", "y", "z"]);
    let open: Vec<_> =
        store.open_job_runs("nightly").await.unwrap().into_iter().map(|run| run.slot).collect();
    assert_eq!(open, ["x", "v"]);
    // Young and open runs always stay.
    store.prune_job_runs("nightly", 0, Timestamp::new(5_000)).await.unwrap();
    assert_eq!(slots(&store, "nightly").await, ["v", "w", "x"]);
    store.prune_job_runs("nightly", 1, Timestamp::new(99_000)).await.unwrap();
    assert_eq!(slots(&store, "nightly").await, ["v", "w", "x"]);
    store.prune_job_runs("nightly", 0, Timestamp::new(99_000)).await.unwrap();
    assert_eq!(slots(&store, "nightly").await, ["v", "x"]);
}

pub(crate) async fn an_encrypted_store_tells_nothing_of_its_jobs(place: &dyn Place) {
    let options = || StoreOptions::new().key(MasterKey::new([3; 32]));
    let store = place.open(options()).await;
    store.add_job("nightly", b"a prompt that nobody reads", b"far").await.unwrap();
    store
        .add_job_run("nightly", "at-1", NOW, b"an answer that nobody reads", JobRunState::Open)
        .await
        .unwrap();
    drop(store);
    let again = place.open(options()).await;
    assert_eq!(again.job("nightly").await.unwrap().unwrap().spec, b"a prompt that nobody reads");
    let run = again.job_run("nightly", "at-1").await.unwrap().unwrap();
    assert_eq!(run.body, b"an answer that nobody reads");
    let secret = b"that nobody reads";
    for file in again.files() {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(secret.len()).any(|part| part == secret), "{}", file.display());
    }
}

pub(crate) async fn a_store_with_jobs_alone_stays_as_it_was_made(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    store.add_job("nightly", b"", b"").await.unwrap();
    drop(store);
    let sealed = place.try_open(StoreOptions::new().key(MasterKey::new([3; 32]))).await;
    assert_eq!(sealed.map(|_| ()), Err(holm_store::StoreError::NotEncrypted));
}
