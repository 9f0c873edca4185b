use std::fs;

use holm_runtime::{Durability, Journals as _};
use holm_store::Store;

use super::{ByHand, Way, database, name};
use crate::{lines::lines, scratch};

#[test]
fn everybody_keeps_the_same_lines() {
    let lines = lines(12);
    let text = lines.concat().into_bytes();
    for (at, durability) in [Durability::Written, Durability::Synced].into_iter().enumerate() {
        for way in Way::ALL {
            let folder = scratch::folder(&format!("test-keepers-{}-{at}", way.name()));
            let mut keeper = way.open(&folder, durability);
            assert_eq!(keeper.append(3, &lines).len(), 12);
            drop(keeper);
            let kept = match way {
                Way::Holm => scratch::runtime().block_on(async {
                    let store = Store::open(database(&folder)).await.expect("it is there");
                    store.read(&name(3)).await.expect("the run is there")
                }),
                Way::JsonLines => fs::read(folder.join("run-3.jsonl")).expect("it is there"),
                Way::Sqlite => ByHand::open(&database(&folder), durability)
                    .and_then(|database| database.read(3))
                    .expect("it is there"),
                Way::File => fs::read(folder.join("run-3")).expect("it is there"),
            };
            assert_eq!(kept, text, "{}", way.name());
            // Whoever comes next to this process number finds nothing.
            let _ = fs::remove_dir_all(folder);
        }
    }
}
