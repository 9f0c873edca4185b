//! Notes: what was put stays until it is taken, for every process alike.

use super::{Place, script::session};
use holm_kernel::Timestamp;
use holm_runtime::{Durability, JournalStore as _};
use holm_store::{MasterKey, StoreError, StoreOptions, StoredNote};

const NOW: Timestamp = Timestamp::new(1_000);

fn names(slips: &[StoredNote]) -> Vec<&str> {
    slips.iter().map(|slip| slip.name.as_str()).collect()
}

pub(crate) async fn notes_lie_in_their_trays_until_they_are_taken(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    assert!(store.put_slip("letters", "b", NOW, b"first").await.unwrap());
    assert!(store.put_slip("letters", "a", Timestamp::new(2_000), b"second").await.unwrap());
    assert!(store.put_slip("bills", "b", NOW, b"other").await.unwrap());
    assert!(!store.put_slip("letters", "b", NOW, b"again").await.unwrap());
    assert!(matches!(store.put_slip("letters", "../x", NOW, b"").await, Err(StoreError::BadName { .. })));
    assert!(matches!(store.put_slip("a tray", "x", NOW, b"").await, Err(StoreError::BadName { .. })));
    let again = place.open(StoreOptions::new()).await;
    let lying = again.slips("letters").await.unwrap();
    assert_eq!(names(&lying), ["b", "a"], "the oldest first");
    assert_eq!((lying[0].body.as_slice(), lying[0].at, lying[0].version), (&b"first"[..], NOW, 0));
    assert!(again.take_slip("letters", "b").await.unwrap());
    assert!(!store.take_slip("letters", "b").await.unwrap());
    assert_eq!(store.slip("letters", "b").await.unwrap(), None);
    assert_eq!(store.slip("bills", "b").await.unwrap().unwrap().body, b"other");
}

pub(crate) async fn of_two_who_change_a_note_one_is_told_to_look_again(place: &dyn Place) {
    let (one, other) = (place.open(StoreOptions::new()).await, place.open(StoreOptions::new()).await);
    one.put_slip("letters", "a", NOW, b"0").await.unwrap();
    let mut seen = one.slip("letters", "a").await.unwrap().unwrap();
    let mut late = other.slip("letters", "a").await.unwrap().unwrap();
    (seen.body, late.body) = (b"1".to_vec(), b"2".to_vec());
    assert!(one.change_slip("letters", &seen).await.unwrap());
    assert!(!other.change_slip("letters", &late).await.unwrap());
    let now = other.slip("letters", "a").await.unwrap().unwrap();
    assert_eq!((now.body.as_slice(), now.version), (&b"1"[..], seen.version + 1));
    one.take_slip("letters", "a").await.unwrap();
    assert!(!other.change_slip("letters", &now).await.unwrap(), "what is gone does not come back");
}

pub(crate) async fn a_note_goes_with_the_run_whose_name_it_has(place: &dyn Place) {
    let store = place.open(StoreOptions::new()).await;
    let script = session("one", "hello", "out", "fine");
    let mut journal = store.create("one").await.unwrap();
    journal.append(&script.lines[0], Durability::Synced).await.unwrap();
    drop(journal);
    let has = async |seq| store.has_record("one", seq).await.unwrap();
    assert_eq!((has(0).await, has(1).await), (true, false));
    for name in ["one", "two"] {
        store.put_slip("letters", name, NOW, b"x").await.unwrap();
    }
    // The lease is given back a moment after the journal was dropped.
    for _ in 0..1_500 {
        match store.erase("one").await {
            Err(StoreError::Busy { .. }) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
            erased => {
                erased.unwrap();
                break;
            }
        }
    }
    assert_eq!(names(&store.slips("letters").await.unwrap()), ["two"]);
}

pub(crate) async fn an_encrypted_store_tells_nothing_of_its_notes(place: &dyn Place) {
    let options = || StoreOptions::new().key(MasterKey::new([3; 32]));
    let store = place.open(options()).await;
    store.put_slip("letters", "a", NOW, b"words that nobody reads").await.unwrap();
    let mut slip = store.slip("letters", "a").await.unwrap().unwrap();
    slip.body = b"other words that nobody reads".to_vec();
    assert!(store.change_slip("letters", &slip).await.unwrap());
    drop(store);
    let again = place.open(options()).await;
    assert_eq!(again.slips("letters").await.unwrap()[0].body, slip.body);
    let secret = b"that nobody reads";
    for file in again.files() {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(secret.len()).any(|part| part == secret), "{}", file.display());
    }
}
