//! Files that are replaced while their tools are called.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use holm_kernel::Outcome;
use holm_runtime::{Tool, ToolInvocation};
use holm_tools::registry::{AllowAllGate, SourceRank, ToolFolder, ToolFolders, ToolRegistry};
use holm_tools::wasm::WasmLoader;

use crate::wasm::kit::{command, escaped, host, sandbox};

/// How many calls, and from how many tasks.
const CALLS: usize = 10_000;
const TASKS: usize = 64;
/// How many changes the calls must outlast.
const CHANGES: u64 = 20;
/// How many versions take turns.
const VERSIONS: usize = 4;

/// A version says its number in its help and, in two pieces, in its answer.
fn version(number: usize) -> Vec<u8> {
    let help =
        format!("Says number {number}.\n\nUsage: tool [OPTIONS]\n\nOptions:\n  -h, --help  Print help\n");
    let data = format!(r#"(data (i32.const 8192) "{}")"#, escaped(&format!("Says number {number}.")));
    let body = "(call $say (i32.const 1) (i32.const 8192) (i32.const 5))
                (call $say (i32.const 1) (i32.const 8197) (i32.const 9))";
    wat::parse_str(command(&help, &data, body)).unwrap()
}

fn put(folder: &Path, bytes: &[u8]) {
    let new = folder.join(".tool.wasm.new");
    std::fs::write(&new, bytes).unwrap();
    std::fs::rename(new, folder.join("tool.wasm")).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_thousand_calls_while_files_are_replaced_none_fails_and_none_mixes_versions() {
    let folder = tempfile::tempdir().unwrap();
    let versions: Vec<Vec<u8>> = (1..=VERSIONS).map(version).collect();
    // Compiled before, as they are when the disk cache knows them: what is tested is the replacing.
    let _kept: Vec<_> = versions.iter().map(|bytes| sandbox().load(bytes, &mut |_| {}).unwrap()).collect();
    put(folder.path(), &versions[0]);
    let registry = ToolRegistry::new();
    let loader = WasmLoader::new(&host(None));
    let folders = ToolFolders::new(&registry).loader(loader).folder(ToolFolder::new(
        folder.path(),
        SourceRank::User,
        AllowAllGate,
    ));
    let _watching = folders.watch().await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let replacing = {
        let (folder, done) = (folder.path().to_owned(), Arc::clone(&done));
        tokio::task::spawn_blocking(move || {
            let mut round = 0;
            while !done.load(Ordering::Relaxed) {
                round += 1;
                put(&folder, &versions[round % VERSIONS]);
                std::thread::sleep(Duration::from_millis(15));
            }
            round
        })
    };
    // Also if a call fails: otherwise the test would never end.
    let _stop = StopWhenDropped(Arc::clone(&done));
    let left = Arc::new(AtomicUsize::new(CALLS));
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| tokio::spawn(call_until_none_is_left(registry.clone(), Arc::clone(&left))))
        .collect();
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for task in tasks {
        for (version, count) in task.await.unwrap() {
            *seen.entry(version).or_default() += count;
        }
    }
    done.store(true, Ordering::Relaxed);
    let rounds = replacing.await.unwrap();
    assert!(seen.values().sum::<usize>() >= CALLS);
    assert_eq!(seen.len(), VERSIONS, "{rounds} replacements while calls ran, and {seen:?}");
    assert!(registry.snapshot().problems().is_empty(), "{:?}", registry.snapshot().problems());
}

struct StopWhenDropped(Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Calls the current version of the tool until there were enough calls and changes. Returns how
/// often each version answered.
async fn call_until_none_is_left(registry: ToolRegistry, left: Arc<AtomicUsize>) -> Vec<(String, usize)> {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let none_left =
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err();
        if (none_left && registry.snapshot().number() > CHANGES) || Instant::now() > end {
            break;
        }
        let tool: Arc<dyn Tool> = Arc::clone(registry.snapshot().find("tool").unwrap());
        let output = tool.run(ToolInvocation::alone("{}")).await;
        assert_eq!(output.outcome, Outcome::Succeeded, "{}", output.text);
        assert_eq!(output.text, tool.declaration().description, "one version from the schema to the answer");
        *seen.entry(output.text).or_default() += 1;
    }
    seen.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_version_is_visible_soon_and_half_a_file_or_a_broken_one_never_is() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (version(1), version(2));
    let registry = ToolRegistry::new();
    let host = host(None);
    // Both are compiled already, as they are when the disk cache knows them.
    let kept: Vec<_> =
        [&first, &second].map(|bytes| host.sandbox().load(bytes, &mut |_| {}).unwrap()).to_vec();
    put(folder.path(), &first);
    let folders = ToolFolders::new(&registry).loader(WasmLoader::new(&host)).folder(ToolFolder::new(
        folder.path(),
        SourceRank::User,
        AllowAllGate,
    ));
    let _watching = folders.watch().await.unwrap();
    let mut times = Vec::new();
    for round in 0..6 {
        let (bytes, text) =
            if round % 2 == 0 { (&second, "Says number 2.") } else { (&first, "Says number 1.") };
        let began = Instant::now();
        put(folder.path(), bytes);
        until(&registry, text).await;
        times.push(began.elapsed());
    }
    times.sort();
    assert!(times[3] <= Duration::from_secs(2), "{times:?}");
    std::fs::write(folder.path().join("tool.wasm"), &second[..second.len() / 2]).unwrap();
    let mut changes = registry.changes();
    let broken = changes.wait_for(|snapshot| !snapshot.problems().is_empty());
    tokio::time::timeout(Duration::from_secs(20), broken).await.unwrap().unwrap();
    assert_eq!(registry.snapshot().find("tool").unwrap().declaration().description, "Says number 1.");
    drop(kept);
}

async fn until(registry: &ToolRegistry, description: &str) {
    let mut changes = registry.changes();
    let there = changes.wait_for(|snapshot| {
        snapshot.find("tool").is_some_and(|tool| tool.declaration().description == description)
    });
    tokio::time::timeout(Duration::from_secs(20), there).await.unwrap().unwrap();
}
