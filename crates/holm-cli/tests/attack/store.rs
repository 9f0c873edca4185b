//! A recorded session that was tampered with. A real run records it, and its stored data is
//! damaged. The command must say what is wrong, believe nothing of it, and leave it in place for
//! repair.

use std::{fs, path::Path};

use rusqlite::Connection;
use serde::Deserialize;

use crate::{
    outcome::Outcome,
    scene::{CANARY, Ran, Scene},
};

/// The database, in the data folder.
const DATABASE: &str = "holm.db";

/// Where its journal is written out, in the folder in which the command runs.
const JOURNAL: &str = "journal.jsonl";

/// What a model says in the session that is recorded: one call, and an answer.
const RECORDED: &str = r#"{"results":[
    {"replied":{"blocks":[{"tool_call":{"id":"c","name":"read","arguments":"{\"path\":\"ok.txt\"}"}}],"stop":"tool_use"}},
    {"replied":{"blocks":[{"text":"It says: an open word."}]}}]}"#;

/// What it says when the session goes on; `then` names it.
const AGAIN: &str = r#"{"results":[{"replied":{"blocks":[{"text":"Gone on."}]}}]}"#;

/// The run that is recorded.
const RUN: [&str; 13] = [
    "run",
    "-p",
    "Read it.",
    "--session",
    "kept",
    "--tools",
    "native",
    "--grant",
    "read:**",
    "--mode",
    "full",
    "--script",
    "../recorded.json",
];

/// Everything that is kept of runs, by their numbers.
const ALL: &str = "SELECT 0, no, CAST(id AS BLOB) FROM runs UNION ALL \
    SELECT 1, id, CAST(line AS BLOB) FROM records ORDER BY 1, 2";

/// What is done to the session `kept`, and what the command is given then.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Damaged {
    /// None leaves it as it was recorded.
    damage: Option<Damage>,
    then: Vec<String>,
    /// What must be said: in the error where it is refused, in the answer where it is not.
    says: String,
}

/// What is done to what is kept.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Damage {
    /// The database is cut to so many bytes.
    Cut(usize),
    /// So many bytes of the database are turned into their opposites.
    Flip { at: usize, bytes: usize },
    /// Another program has changed it.
    Sql(String),
    /// A file stands in the data folder that is not Holm's.
    Beside { name: String, text: String },
    /// The journal is written out, and has this in the place of that.
    Journal { from: String, to: String },
}

/// What is kept of runs, where it can be read, and the file itself where it cannot.
type Kept = Result<Vec<(i64, i64, Vec<u8>)>, Vec<u8>>;

/// Records a session, damages it, and gives it to the command.
pub(crate) fn store(damaged: &Damaged) -> Result<Outcome, String> {
    let mut scene = Scene::new()?;
    for (name, script) in [("recorded.json", RECORDED), ("again.json", AGAIN)] {
        fs::write(scene.aside(name), script).map_err(|error| error.to_string())?;
    }
    let ran = scene.holm(RUN)?;
    if ran.code != Some(0) {
        return Err(format!("nothing was recorded: {}", ran.err));
    }
    // All in one file, so that it is known what lies where.
    sql(&scene, "PRAGMA wal_checkpoint(TRUNCATE)")?;
    if let Some(damage) = &damaged.damage {
        damage.work(&mut scene)?;
    }
    let before = kept(&scene)?;
    let ran = scene.holm(&damaged.then)?;
    judge(&scene, &ran, &damaged.says, &before)
}

fn judge(scene: &Scene, ran: &Ran, says: &str, before: &Kept) -> Result<Outcome, String> {
    if !ran.in_time {
        return Ok(Outcome::Hung);
    }
    // One more than of other deeds: that something is wrong on this machine is what must be said here.
    let is_known = matches!(ran.code, Some(0 | 1 | 2 | 3 | 6));
    if !is_known || ran.err.contains("panicked at") {
        return Ok(Outcome::Crashed);
    }
    if ran.out.contains(CANARY) || ran.err.contains(CANARY) {
        return Ok(Outcome::Leaked);
    }
    let is_done = ran.code == Some(0);
    let is_told = if is_done {
        ran.out.contains(says)
    } else {
        ran.out.is_empty() && ran.err.starts_with("error: ") && ran.err.contains(says)
    };
    if !is_told {
        return Err(format!("ended with {:?} and not with {says:?}: {}{}", ran.code, ran.out, ran.err));
    }
    if is_done {
        return Ok(Outcome::Passed);
    }
    let is_left = kept(scene)? == *before && !scene.has_changed()?;
    Ok(if is_left { Outcome::Refused } else { Outcome::Changed })
}

impl Damage {
    fn work(&self, scene: &mut Scene) -> Result<(), String> {
        let database = scene.aside("data").join(DATABASE);
        match self {
            Self::Cut(length) => changed(&database, |bytes| bytes.truncate(*length)),
            Self::Flip { at, bytes: count } => changed(&database, |bytes| {
                bytes.iter_mut().skip(*at).take(*count).for_each(|byte| *byte = !*byte);
            }),
            Self::Sql(statements) => sql(scene, statements),
            Self::Beside { name, text } => {
                fs::write(scene.aside("data").join(name), text).map_err(|error| error.to_string())
            }
            Self::Journal { from, to } => {
                let written = scene.holm(["session", "export", "kept", "--format", "jsonl"])?.out;
                if !written.contains(from) {
                    return Err(format!("the journal does not hold {from:?}"));
                }
                scene.file(JOURNAL, written.replacen(from, to, 1))
            }
        }
    }
}

/// Changes the bytes of a file, and checks that they differ: a damage without effect would prove
/// nothing.
fn changed(path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
    let before = fs::read(path).map_err(wrong)?;
    let mut bytes = before.clone();
    change(&mut bytes);
    if bytes == before {
        return Err(format!("{} is as it was", path.display()));
    }
    fs::write(path, bytes).map_err(wrong)
}

/// Does something in the database.
fn sql(scene: &Scene, statements: &str) -> Result<(), String> {
    let conn = Connection::open(scene.aside("data").join(DATABASE)).map_err(|error| error.to_string())?;
    conn.execute_batch(statements).map_err(|error| format!("{statements}: {error}"))
}

/// The stored data. It is read from a copy, because opening a database also tidies it up.
fn kept(scene: &Scene) -> Result<Kept, String> {
    let wrong = |error: std::io::Error| error.to_string();
    let (data, copy) = (scene.aside("data"), tempfile::tempdir().map_err(wrong)?);
    for name in [DATABASE, "holm.db-wal"] {
        let from = data.join(name);
        if from.exists() {
            fs::copy(&from, copy.path().join(name)).map_err(wrong)?;
        }
    }
    let read = records(&copy.path().join(DATABASE));
    Ok(match read {
        Ok(records) => Ok(records),
        Err(_) => Err(fs::read(data.join(DATABASE)).map_err(wrong)?),
    })
}

fn records(path: &Path) -> rusqlite::Result<Vec<(i64, i64, Vec<u8>)>> {
    let conn = Connection::open(path)?;
    let mut statement = conn.prepare(ALL)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}
