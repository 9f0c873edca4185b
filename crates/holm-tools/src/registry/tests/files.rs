//! Sidecars, and which files are read.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use holm_grants::Level;
use holm_runtime::BoxFuture;

use super::super::read::{ToolFileReadError, is_candidate, rests_for, sidecar, whole};
use super::super::{
    AllowAllGate, MAX_SIDECAR, SidecarError, SourceRank, ToolFile, ToolFolder, ToolFolders, ToolLoadError,
    ToolLoader, ToolOffer, ToolRegistry, ToolSidecar,
};

#[test]
fn a_sidecar_says_what_a_tool_left_out() {
    let text = r#"
        name = "weather"
        level = "read-only"
        keywords = ["rain"]
        asks = ["fetch:https://api.weather.example", "read:{path}"]
        limits = ["time:5s"]
        result_limit = 4000
        repeat = "idempotent"

        [[postconditions]]
        name = "json"
        rule = { pattern = { regex = "degrees" } }
    "#;
    let sidecar = ToolSidecar::parse(text).unwrap();
    assert_eq!((sidecar.level, sidecar.asks.len()), (Some(Level::ReadOnly), 2));
    assert_eq!(sidecar.postconditions[0].name, "json");
    assert_eq!(ToolSidecar::parse("").unwrap(), ToolSidecar::default());
}

#[test]
fn what_a_sidecar_cannot_say_is_told_with_its_place() {
    let check = |text: &str, expect: &str| {
        let error = ToolSidecar::parse(text).unwrap_err().to_string();
        assert!(error.contains(expect), "{text}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    };
    check("name = 'a'\nnam = 'b'", "line 2: unknown field `nam`");
    check("grants = ['read:src/**']", "unknown field `grants`");
    check("asks = ['fly:moon']", "fly");
    check("level = 'harmless'", "line 1");
    check("limits = ['time:soon']", "time");
    check("name = [", "line 1");
    check(&"#".repeat(MAX_SIDECAR + 1), "bytes");
    assert_eq!(ToolSidecar::read(b"\xff"), Err(SidecarError::NotText));
}

#[test]
fn only_finished_files_are_candidates() {
    let check = |name: &str, expect| assert_eq!(is_candidate(Path::new(name)), expect, "{name}");
    check("t/read.wasm", true);
    check("t/greet", true);
    check("t/run.sh", true);
    check("t/read.toml", false);
    check("t/.read.wasm.x81", false);
    check("t/read.wasm.part", false);
    check("t/read.wasm~", false);
    check("t/read.tmp", false);
}

#[test]
fn what_is_read_is_an_ordinary_file_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.say"), "hello").unwrap();
    let read = whole(&at("a.say")).unwrap();
    assert_eq!(read.bytes, b"hello");
    assert_eq!(read.sha256[..2], [0x2c, 0xf2], "the hash is of what was read");
    assert!(sidecar(&at("a.say")).unwrap().is_none());
    fs::write(at("a.toml"), "name = 'b'").unwrap();
    assert_eq!(sidecar(&at("a.say")).unwrap().unwrap().0.name.as_deref(), Some("b"));
    assert_eq!(whole(&at("none")).unwrap_err(), ToolFileReadError::Gone);
    assert_eq!(whole(folder.path()).unwrap_err(), ToolFileReadError::NotAFile);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(at("a.say"), at("link.say")).unwrap();
        assert_eq!(whole(&at("link.say")).unwrap_err(), ToolFileReadError::Link);
    }
    assert!(rests_for(&at("a.say"), Duration::ZERO) && !rests_for(&at("a.say"), Duration::from_secs(60)));
}

/// Notes in which order it was called.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl ToolLoader for Notes {
    fn claims(&self, _: &Path, _head: &[u8]) -> bool {
        true
    }

    fn load<'a>(&'a self, found: ToolFile<'a>) -> BoxFuture<'a, Result<Vec<ToolOffer>, ToolLoadError>> {
        self.0.lock().unwrap().push(found.name.to_owned());
        Box::pin(async { Ok(Vec::new()) })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn files_that_are_loaded_together_are_loaded_in_the_order_of_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..40).map(|number| format!("file{number:02}")).collect();
    for (number, name) in names.iter().enumerate() {
        // The earlier, the larger, so that those in front are read more slowly.
        fs::write(folder.path().join(format!("{name}.say")), vec![b'x'; (40 - number) * 50_000]).unwrap();
    }
    let notes = Notes::default();
    let open = ToolFolder::new(folder.path(), SourceRank::User, AllowAllGate);
    ToolFolders::new(&ToolRegistry::new()).loader(notes.clone()).folder(open).load().await;
    assert_eq!(*notes.0.lock().unwrap(), names);
}
