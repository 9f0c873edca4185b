//! `holm doctor`: diagnoses whether this machine has what agents need, and says how to fix it.

use std::path::Path;

use holm::{
    store::{Store, StoreError},
    wire::services::Services,
};
use holm_config::Settings;
use holm_jail::Engine;
use serde_json::json;

use crate::screen::ShownPath as _;
use crate::{
    exit::Exit,
    places::Places,
    reach::Reach,
    screen::Screen,
    settings::{Here, no_run},
    tools,
};

/// Arguments of `holm doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It works as it should.
    Good,
    /// It is missing, but Holm works without it.
    Lacking,
    /// It does not work.
    Bad,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Lacking => "lacking",
            Self::Bad => "bad",
        }
    }
}

/// One checked item and its state.
struct Finding {
    what: &'static str,
    state: State,
    words: String,
}

pub(crate) async fn execute(args: &Args, data: Option<&Path>) -> anyhow::Result<Exit> {
    let (places, screen) = (Places::find(data)?, Screen::default());
    let database = database(&places).await;
    let findings = [private(&places), database, settings(&places), jail(), keys(&places), guests(), git()];
    let findings = findings.into_iter().chain(local());
    let mut exit = Exit::Done;
    for Finding { what, state, words } in findings {
        if state == State::Bad {
            exit = Exit::NoAnswer;
        }
        if args.json {
            screen.line(&json!({ "what": what, "state": state.as_str(), "words": words }).to_string());
        } else {
            screen.answer(&format!("{:7}  {what:11}  {words}", state.as_str()));
        }
    }
    Ok(exit)
}

/// Sessions contain conversations, so no other user may read them.
fn private(places: &Places) -> Finding {
    let path = places.data.shown();
    #[cfg(unix)]
    {
        let mode = std::fs::metadata(&places.data).map(|data| std::os::unix::fs::MetadataExt::mode(&data));
        if mode.is_ok_and(|mode| mode & 0o077 != 0) {
            let words = format!("other users can read {path}; run chmod 700 {path}");
            return Finding { what: "data", state: State::Bad, words };
        }
    }
    Finding { what: "data", state: State::Good, words: path }
}

/// Whether the stored sessions can be read. The database is not changed.
async fn database(places: &Places) -> Finding {
    let path = places.database();
    let (state, words) = if path.exists() {
        match Store::check(&path).await {
            Ok(()) => (State::Good, format!("{} holds together", path.shown())),
            Err(error) => (State::Bad, unsound(places, &error)),
        }
    } else {
        (State::Good, "none yet; the first session creates it".to_owned())
    };
    Finding { what: "database", state, words }
}

/// What is wrong with the database, and what to do about it.
fn unsound(places: &Places, error: &StoreError) -> String {
    let what = match error {
        // It names the file itself.
        StoreError::Foreign { .. } => error.to_string(),
        other => format!("{}: {other}", places.database().shown()),
    };
    // What a later version wrote is sound, and that version opens it.
    if matches!(error, StoreError::Newer { .. }) {
        return what;
    }
    // A folder with anything in it is not restored over.
    let hint = "`holm restore FOLDER` restores a backup there";
    let data = places.data.shown();
    format!("{what}; move the whole folder {data} away and keep it, and {hint}")
}

fn settings(places: &Places) -> Finding {
    let (state, words) = match Here::find(places) {
        Ok(here) => match (here.check(places), here.inert().next()) {
            (Err(trouble), _) => (State::Bad, no_run(&trouble)),
            (Ok(()), Some((_, note))) => (State::Lacking, note),
            (Ok(()), None) => (State::Good, "readable; `holm config show --origin` shows them".to_owned()),
        },
        Err(trouble) => (State::Bad, trouble.to_string().replace("\n  hint: ", "; ")),
    };
    Finding { what: "settings", state, words }
}

fn jail() -> Finding {
    let (state, words) = match Engine::detect() {
        Ok(Engine::Bubblewrap(path)) => (State::Good, format!("commands run under {}", path.shown())),
        Ok(Engine::Landlock) => (State::Good, "commands run under Landlock".to_owned()),
        Ok(Engine::Unconfined) => (State::Bad, "commands run without a sandbox".to_owned()),
        Err(error) => (State::Bad, format!("this machine cannot sandbox commands, so none run: {error}")),
    };
    Finding { what: "confinement", state, words }
}

/// Which providers have keys; the keys themselves are never shown.
fn keys(places: &Places) -> Finding {
    let settings = Here::find(places)
        .map_or_else(|_| Settings::default(), |here| here.loaded.layers.settle(Settings::default()));
    let reach = match Reach::here(&settings, places) {
        Ok(reach) => reach,
        Err(trouble) => {
            let words = trouble.to_string().replace("\n  hint: ", "; ");
            return Finding { what: "keys", state: State::Bad, words };
        }
    };
    let services = Services::stock();
    let known = services.iter().filter(|service| reach.has_key(&service.id));
    let known: Vec<&str> = known.map(|service| &*service.id).collect();
    let (state, words) = match known.as_slice() {
        [] => (State::Lacking, "no provider key; store one with `holm keys add PROVIDER`".to_owned()),
        known => (State::Good, format!("keys for {}", known.join(", "))),
    };
    Finding { what: "keys", state, words }
}

fn guests() -> Finding {
    let (state, words) = match tools::missing() {
        Some(what) => (State::Lacking, what),
        None => (State::Good, "all bundled tools work".to_owned()),
    };
    Finding { what: "WASM tools", state, words }
}

fn git() -> Finding {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).map(|folder| folder.join("git")).find(|path| path.is_file());
    let (state, words) = match found {
        Some(path) => (State::Good, path.shown()),
        None => (State::Lacking, "git not found, so helpers have no worktrees; install git".to_owned()),
    };
    Finding { what: "git", state, words }
}

#[cfg(feature = "local")]
fn local() -> Option<Finding> {
    let env = |name: &str| std::env::var(name).ok();
    let (state, words) = if crate::local::is_there(&env) {
        (State::Good, "the small local model is installed".to_owned())
    } else {
        (State::Lacking, "the small local model is missing; fetch it with `scripts/setup model`".to_owned())
    };
    Some(Finding { what: "local model", state, words })
}

#[cfg(not(feature = "local"))]
fn local() -> Option<Finding> {
    None
}
