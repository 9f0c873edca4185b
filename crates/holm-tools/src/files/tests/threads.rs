//! Many hands on one file.

use std::{
    fs,
    sync::{Barrier, Mutex},
    thread,
};

use holm_kernel::Outcome;
use serde_json::json;

use super::{call, job};
use crate::{
    files::{FileToolContext, tools},
    root::WorkspaceRoot,
    undo::UndoStore,
};

const THREADS: usize = 4;
const ROUNDS: usize = 1_000;

#[test]
fn four_threads_and_a_thousand_rounds_have_one_winner_each_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("file"), "round 0\n").unwrap();
    let undo = UndoStore::open(folder.path().join("undo")).unwrap();
    let barrier = Barrier::new(THREADS);
    let winners = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for thread in 0..THREADS {
            // A root, a desk and a runtime of its own: they share nothing but the folder.
            let root = WorkspaceRoot::open(&work).unwrap();
            let undo = (thread == 0).then(|| undo.clone());
            let (barrier, winners) = (&barrier, &winners);
            scope.spawn(move || {
                let desk = FileToolContext::new(root);
                let desk = match undo {
                    Some(undo) => desk.undo(undo).unwrap(),
                    None => desk,
                };
                let tools = tools(desk);
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                for round in 0..ROUNDS {
                    // A thread that lost reads again before its next edit, and none reads while others write.
                    barrier.wait();
                    let read = job(&json!({ "path": "file", "limit": 1 }), &["read:file"]);
                    let read = runtime.block_on(call(&tools, "read", read));
                    barrier.wait();
                    assert_eq!(read.outcome, Outcome::Succeeded, "{}", read.text);
                    let old = format!("round {round}\n");
                    let new = format!("round {}\nby {thread} in {round}\n", round + 1);
                    let arguments = json!({ "path": "file", "old": old, "new": new });
                    let output =
                        runtime.block_on(call(&tools, "edit", job(&arguments, &["read:file", "write:file"])));
                    match output.outcome {
                        Outcome::Succeeded => winners.lock().unwrap().push((round, thread)),
                        _ => assert!(output.text.contains("has changed since"), "{}", output.text),
                    }
                }
            });
        }
    });
    let winners = winners.into_inner().unwrap();
    assert_eq!(winners.len(), ROUNDS, "one winner a round");
    let text = fs::read_to_string(work.join("file")).unwrap();
    let mut expect = format!("round {ROUNDS}\n");
    for (round, thread) in winners.iter().rev() {
        expect += &format!("by {thread} in {round}\n");
    }
    assert!(text == expect, "the file is not what the winners wrote");
    assert_eq!(fs::read_dir(&work).unwrap().count(), 1, "nothing else is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_on_many_files_all_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let all = std::sync::Arc::new(tools(FileToolContext::new(WorkspaceRoot::open(folder.path()).unwrap())));
    let calls = (0..200).map(|number| {
        let all = std::sync::Arc::clone(&all);
        tokio::spawn(async move {
            let arguments =
                json!({ "path": format!("d{}/f{number}", number % 7), "content": number.to_string() });
            call(&all, "write", job(&arguments, &["write:**"])).await.outcome
        })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap(), Outcome::Succeeded);
    }
    for number in 0..200 {
        let text = fs::read_to_string(folder.path().join(format!("d{}/f{number}", number % 7))).unwrap();
        assert_eq!(text, number.to_string());
    }
}
