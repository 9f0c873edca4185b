//! The attack cases, as they are written in `attacks/`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{door::Asked, outcome::Outcome, store::Damaged};

/// What a run asks about where a file does not say: nothing, so that a refusal is never one for want of a person.
const MODE: &str = "full";

/// The most that one mark writes out, in bytes.
const MOST_REPEATED: usize = 4 << 20;

/// One attack, with what must come of it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) class: Class,
    pub(crate) id: String,
    pub(crate) tries: String,
    pub(crate) grants: Vec<String>,
    pub(crate) mode: String,
    pub(crate) deed: Deed,
    pub(crate) expect: Outcome,
    pub(crate) twin: Option<Twin>,
}

/// What looks like the attack and is harmless.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Twin {
    pub(crate) deed: Deed,
    /// None has those of the attack.
    pub(crate) grants: Option<Vec<String>>,
    #[serde(default = "passed")]
    pub(crate) expect: Outcome,
}

/// What is done. `{root}` and `{outside}` in arguments and scripts stand for real folders.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Deed {
    /// A tool is called once, by `holm tool execute`.
    Tool { name: String, arguments: Map<String, Value> },
    /// A command is run in its jail, by `holm tool execute shell`.
    Command {
        script: String,
        #[serde(default)]
        deny: Vec<String>,
        #[serde(default)]
        allow: Vec<String>,
    },
    /// A model makes these calls, one a turn, in `holm run --script`; the last one is the attack.
    Calls(Vec<Call>),
    /// The same, with these flags of the prompt, such as `-f notes.txt`.
    Prompted { flags: Vec<String>, calls: Vec<Call> },
    /// A model says this, in `holm run --script`.
    Says(String),
    /// A model reads a file that holds this, in `holm run --script`.
    Reads(String),
    /// Rules about commands are asked.
    Rules {
        script: String,
        #[serde(default)]
        deny: Vec<String>,
        #[serde(default)]
        allow: Vec<String>,
    },
    /// A connection is attempted; `leads_to` is the answer of the name server.
    Url { url: String, leads_to: Option<String> },
    /// The policy is asked about one request, such as `read:src/lib.rs`.
    Request(String),
    /// A child that wishes for these grants asks for something.
    Child { wish: Vec<String>, asks: String },
    /// A text is read as a grant.
    Grant(String),
    /// The command is given these words.
    Holm(Vec<String>),
    /// A WASM tool does this (in WAT) when it is called; `path` is a name that it has at hand.
    Guest {
        does: String,
        #[serde(default)]
        path: String,
    },
    /// An MCP server behaves so, and one of its tools is called.
    Server {
        behaves: String,
        tool: String,
        #[serde(default)]
        arguments: Map<String, Value>,
    },
    /// A command is run in its jail while the variable `name` of the user who started Holm holds
    /// the canary.
    Keyed { name: String, script: String },
    /// The user prepares the folder by `before`, a command is run in its jail, and then the user does what users do every day
    /// there, outside of any jail. Nothing of the command's may then make `{outside}/ran`.
    Later {
        #[serde(default)]
        before: String,
        script: String,
        does: String,
    },
    /// A client sends a request to `holm serve`, over a socket.
    Door(Asked),
    /// A session that was recorded is damaged, and the command is given it.
    Store(Damaged),
}

impl Deed {
    /// Whether the built command takes part. Otherwise a policy is asked in this process, the one that every host shares.
    pub(crate) const fn is_played(&self) -> bool {
        !matches!(
            self,
            Self::Rules { .. } | Self::Url { .. } | Self::Request(_) | Self::Child { .. } | Self::Grant(_)
        )
    }
}

/// One call of a model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    /// The message of a guard that stops the call after it has started. Without this message, such
    /// a call has failed by itself, and was not stopped.
    pub(crate) told: Option<String>,
}

/// The twelve classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Class {
    Paths,
    Addresses,
    Guests,
    Commands,
    Servers,
    Doors,
    Secrets,
    Surfaces,
    Composition,
    Volume,
    Identity,
    Storage,
}

impl Class {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Paths => "1 paths",
            Self::Addresses => "2 addresses",
            Self::Guests => "3 guests",
            Self::Commands => "4 commands",
            Self::Servers => "5 servers",
            Self::Doors => "6 doors",
            Self::Secrets => "7 secrets",
            Self::Surfaces => "8 surfaces",
            Self::Composition => "9 composition",
            Self::Volume => "10 volume",
            Self::Identity => "11 identity",
            Self::Storage => "12 storage",
        }
    }
}

/// A file of cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pages {
    class: Class,
    /// What the file is about, for its readers.
    #[expect(dead_code, reason = "every file says what it is about, and nothing here needs to know")]
    about: String,
    #[serde(default)]
    grants: Vec<String>,
    mode: Option<String>,
    case: Vec<Written>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    tries: String,
    grants: Option<Vec<String>>,
    mode: Option<String>,
    deed: Deed,
    expect: Outcome,
    twin: Option<Twin>,
}

/// Every case of a folder, in the order of the files' names.
pub(crate) fn read_all(folder: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for path in files(folder)? {
        let wrong = |why: String| format!("{}: {why}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        let text = repeated(&text).map_err(wrong)?;
        let pages: Pages = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        pages.check().map_err(wrong)?;
        cases.extend(pages.cases());
    }
    let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    if ids.len() == cases.len() { Ok(cases) } else { Err("an id stands twice".into()) }
}

/// Expands `{times:300:a/}`, so that no file has to contain long repetitions.
fn repeated(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("{times:") {
        let broken = || format!("a {{times:…}} is broken after {before:.40}");
        let (count, from) = from.split_once(':').ok_or_else(broken)?;
        let (what, after) = from.split_once('}').ok_or_else(broken)?;
        let count: usize = count.parse().map_err(|_| broken())?;
        if count.saturating_mul(what.len()) > MOST_REPEATED {
            return Err(format!("{count} times {what:?} is too much"));
        }
        out.push_str(before);
        out.push_str(&what.repeat(count));
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

impl Pages {
    /// What is allowed step by step is stopped by a wall or by a person, and not because something happened to fail.
    fn check(&self) -> Result<(), String> {
        let lucky = |written: &&Written| written.expect == Outcome::Failed;
        match self.case.iter().find(lucky) {
            Some(written) if self.class == Class::Composition => {
                Err(format!("{}: what failed by itself was not stopped", written.id))
            }
            _ => Ok(()),
        }
    }

    fn cases(self) -> impl Iterator<Item = Case> {
        let Self { class, about: _, grants, mode, case } = self;
        case.into_iter().map(move |written| Case {
            class,
            id: written.id,
            tries: written.tries,
            grants: written.grants.unwrap_or_else(|| grants.clone()),
            mode: written.mode.or_else(|| mode.clone()).unwrap_or_else(|| MODE.into()),
            deed: written.deed,
            expect: written.expect,
            twin: written.twin,
        })
    }
}

const fn passed() -> Outcome {
    Outcome::Passed
}
