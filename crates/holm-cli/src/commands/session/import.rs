//! `holm session import`: imports a session that another host began, such as a page, an edge worker
//! or another machine, so that it can continue here.
//!
//! A journal from elsewhere is not trusted: it decides what was said, and nothing about what is
//! allowed. So all its grants are withdrawn in the same step that stores it, and its mode becomes
//! `default`. It counts as untrusted content, so this host's rule about data that leaves afterwards
//! applies, and so do this host's limits and prices.
//!
//! Records that exist here are never changed: a longer journal is appended only if it begins with
//! them. A helper's session is refused (`children.rs`). Files of other programs are imported by
//! `commands/import.rs`.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _},
    path::PathBuf,
};

use holm::{
    grants::{GrantSet, Mode},
    kernel::{
        Effect, Input, Limits, MarkRule, Marks, Narrowing, Price, RetryPolicy, Seq, Timestamp,
        journal::{self, JournalRecord, JournalWriter, ReplayError, Snapshot},
    },
    runtime::{
        Durability, Journal, JournalStorageError, JournalStore as _, PendingWork, check_run_name,
        fork_journal,
    },
    store::Store,
};

use super::{SessionCommandContext, exe_session::ExeSession, missing_journal};
use crate::screen::DisplayablePath as _;
use crate::{
    children::is_named_like_one,
    commands::tool,
    exit::{CommandError, CommandExit},
    model,
    screen::TerminalOutput,
    session_sidecar::SessionSidecar,
    session_terms::SessionTerms,
};

/// The largest journal that is imported: a thousand turns with pictures are smaller, and an
/// endless file is refused.
const MOST_BYTES: u64 = 256 << 20;

/// How much of a system prompt is shown.
const SHOWN_SYSTEM: usize = 4_000;

/// Arguments of `holm session import`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionImportArgs {
    /// Journal from a web page, an edge worker or `holm session export --format jsonl`, or a session
    /// file of agents-exe; `-` reads standard input
    file: PathBuf,
    /// Import under another name, as a separate session with the same history [default: its own
    /// name]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// For a session file of agents-exe: model that continues it
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
}

/// Takes it in, and prints its name.
pub(super) async fn import(
    opened: &SessionCommandContext,
    args: &SessionImportArgs,
) -> anyhow::Result<CommandExit> {
    let text = args.read()?;
    let text = match ExeSession::read(&text) {
        Some(session) => args.converted(session).await?,
        None => text,
    };
    let reach = tool::reach(&opened.places);
    let price = |name: &str| model::own_price(name, &reach);
    let brought =
        ImportedJournal::of(text, args.session.as_deref(), price).map_err(|error| args.unfit(&error))?;
    check_run_name(&brought.id).map_err(missing_journal)?;
    match SessionSidecar::of(&opened.places, &brought.id)? {
        Some(known) => known.check(&opened.places, &brought.id)?,
        // A session that is here without terms has lost them, and an import does not bring them back.
        None if opened.store.session(&brought.id).await.is_ok() => {}
        // Before the journal is stored: resuming it requires its folder.
        None => {
            let bare = SessionSidecar::here(&opened.places, SessionTerms::default());
            bare.keep(&opened.places, &brought.id)?;
        }
    }
    let came = brought.keep(&opened.store).await?;
    opened.screen.line(&brought.id);
    if came != JournalImportResult::Known {
        brought.show_system(&opened.screen);
    }
    opened.screen.note(match came {
        JournalImportResult::New => "holm: it has no grants here; add some with `holm run --resume --grant`",
        JournalImportResult::Longer => {
            "holm: it continued elsewhere and has no grants here; add some with `holm run --resume \
             --grant`"
        }
        JournalImportResult::Known => {
            "holm: nothing new: this machine already has the session up to the end of the file"
        }
    });
    Ok(CommandExit::Done)
}

impl SessionImportArgs {
    fn read(&self) -> Result<Vec<u8>, CommandError> {
        let mut text = Vec::new();
        let read = if self.file.as_os_str() == "-" {
            io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut text)
        } else {
            fs::File::open(&self.file).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut text))
        };
        read.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                CommandError::new(CommandExit::Missing, format!("there is no file {}", self.file.shown()))
            }
            _ => CommandError::new(CommandExit::Failed, format!("{} cannot be read: {error}", self.shown())),
        })?;
        if text.len() as u64 > MOST_BYTES {
            let message = format!("{} is larger than {} MiB", self.shown(), MOST_BYTES >> 20);
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint("no session is that long; check the file"));
        }
        Ok(text)
    }

    /// The journal of a session of agents-exe.
    async fn converted(&self, session: ExeSession) -> anyhow::Result<Vec<u8>> {
        let Some(model) = &self.model else {
            let message = format!("{} is a session of agents-exe and has no model of Holm", self.shown());
            let hint = "name the model with which it continues: --model MODEL";
            return Err(CommandError::new(CommandExit::Usage, message).hint(hint).into());
        };
        let name = self.session.clone().unwrap_or_else(|| session.name());
        check_run_name(&name).map_err(missing_journal)?;
        session.journal(&name, model).await
    }

    /// Where the journal comes from, for people.
    fn shown(&self) -> String {
        if self.file.as_os_str() == "-" { "standard input".into() } else { self.file.shown() }
    }

    fn unfit(&self, error: &anyhow::Error) -> CommandError {
        CommandError::new(CommandExit::Usage, format!("cannot import {}: {error}", self.shown()))
            .hint("export it again where it was created; a journal that was edited by hand is not valid")
    }
}

/// A journal from another host, replayed and found valid.
struct ImportedJournal {
    id: String,
    /// Its lines as they came, renamed if a name was given.
    lines: String,
    /// The added lines, which withdraw all grants from elsewhere.
    bare: String,
    /// Its state after these lines, so that no prompt replays it again.
    snapshot: Option<String>,
    system: String,
}

/// The result of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JournalImportResult {
    /// The session was unknown here.
    New,
    /// It was begun or continued here, and comes back longer.
    Longer,
    /// It contains nothing new.
    Known,
}

impl ImportedJournal {
    /// Reads and replays a journal. `price` gives what this host knows of a model's price.
    fn of(text: Vec<u8>, name: Option<&str>, price: impl Fn(&str) -> Option<Price>) -> anyhow::Result<Self> {
        let lines = match name {
            None => String::from_utf8(text)?,
            Some(name) => {
                let records = journal::decode_strict(&text)?;
                let last = records.last().map_or(Seq::new(0), JournalRecord::seq);
                fork_journal(&text, last, name, PendingWork::Kept)?
            }
        };
        let records = journal::decode_strict(lines.as_bytes())?;
        let mut run = journal::replay(&records).map_err(|error| without_digest(&error))?;
        let id = run.started().run.clone();
        // The session that started the helper would take this journal for the helper's work.
        anyhow::ensure!(
            !is_named_like_one(&id),
            "it belongs to a helper, which continues only with its parent session"
        );
        let system = run.config().system.clone();
        let (mut bare, mut snapshot) = (String::new(), None);
        if let Some(head) = records.last().map(JournalRecord::head) {
            let mut writer = JournalWriter::after(head);
            let names = run.config().models.iter().map(|model| model.name.clone());
            let prices = names.filter_map(|name| Some((name.clone(), price(&name)?))).collect();
            for fact in own_terms(prices) {
                bare += &journal::step(&mut run, &mut writer, now(), fact)?;
                // Resuming the session requests the remaining work again.
                while !matches!(run.poll(), Effect::Wait(_)) {}
            }
            // It only saves time, so an import does not fail without it.
            let taken = writer.head().and_then(|head| Snapshot::without_transcript(&run, head).ok());
            snapshot = taken.map(|snapshot| snapshot.encode());
        }
        Ok(Self { id, lines, bare, snapshot, system })
    }

    /// Shows the system prompt that comes with it: the model obeys it, and the user has not written it.
    fn show_system(&self, screen: &TerminalOutput) {
        if self.system.is_empty() {
            return;
        }
        let shown: String = self.system.chars().take(SHOWN_SYSTEM).collect();
        let more = self.system.chars().count().saturating_sub(SHOWN_SYSTEM);
        screen.note("holm: it has this system prompt:");
        shown.lines().for_each(|line| screen.note(&format!("  {line}")));
        if more > 0 {
            screen.note(&format!("  […{more} more characters…]"));
        }
    }

    /// Keeps it: all of it and its withdrawal, or nothing.
    async fn keep(&self, store: &Store) -> anyhow::Result<JournalImportResult> {
        match store.create(&self.id).await {
            Ok(mut journal) => {
                journal.append(&format!("{}{}", self.lines, self.bare), Durability::Synced).await?;
                self.keep_snapshot(&mut *journal).await;
                Ok(JournalImportResult::New)
            }
            Err(JournalStorageError::Exists { .. }) => self.lengthen(store).await,
            Err(error) => Err(missing_journal(error)),
        }
    }

    /// Appends the records from elsewhere to the local ones. History is never rewritten, so both
    /// must share the same past.
    async fn lengthen(&self, store: &Store) -> anyhow::Result<JournalImportResult> {
        let mut opened = store.open(&self.id).await.map_err(missing_journal)?;
        let text = store.read(&self.id).await.map_err(missing_journal)?;
        if text.starts_with(self.lines.as_bytes()) {
            return Ok(JournalImportResult::Known);
        }
        let known = std::str::from_utf8(&text)?;
        let Some(more) = self.lines.strip_prefix(known) else {
            let message = format!("session `{}` already exists here and continued differently", self.id);
            return Err(CommandError::new(CommandExit::Usage, message)
                .hint(
                    "import the file under another name with --session, then compare them with `holm \
                     session diff`",
                )
                .into());
        };
        opened.journal.append(&format!("{more}{}", self.bare), Durability::Synced).await?;
        self.keep_snapshot(&mut *opened.journal).await;
        Ok(JournalImportResult::Longer)
    }

    async fn keep_snapshot(&self, journal: &mut dyn Journal) {
        if let Some(snapshot) = &self.snapshot {
            // A cache: without it, the next prompt replays the journal once.
            let _ = journal.keep_snapshot(snapshot.as_bytes()).await;
        }
    }
}

/// The terms of this host for an imported session, independent of its own claims.
fn own_terms(prices: BTreeMap<String, Price>) -> [Input; 3] {
    let narrowing = Narrowing {
        mark_rule: Some(MarkRule::AskAfterAny),
        marks: Marks { untrusted: true, private: false },
        limits: Some(Limits::default()),
        retry: Some(RetryPolicy::default()),
        aliases: Some(Vec::new()),
        prices: Some(prices),
        drops_workspace: true,
    };
    [
        Input::Narrowed(Box::new(narrowing)),
        Input::GrantsChanged(GrantSet::default()),
        Input::ModeChanged(Mode::default()),
    ]
}

/// Why a journal cannot be replayed. The digest that this kernel computes is left out, because a
/// forger would need exactly that.
fn without_digest(error: &ReplayError) -> anyhow::Error {
    match error {
        ReplayError::Diverged { seq, .. } => {
            anyhow::anyhow!(
                "record {seq} does not follow from the records before it under this version's rules"
            )
        }
        other => anyhow::anyhow!("{other}"),
    }
}

/// The current time. The kernel does not let time run backwards, even if the other
/// host's clock was ahead.
fn now() -> Timestamp {
    let now = jiff::Timestamp::now().as_millisecond();
    Timestamp::new(u64::try_from(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_does_not_tell_the_digest_that_a_forged_record_would_need() {
        let error = ReplayError::Diverged { seq: Seq::new(4), expected: 0xaaaa_bbbb, found: 0xcccc_dddd };
        let told = without_digest(&error).to_string();
        assert!(told.starts_with("record 4 "), "{told}");
        assert!(!told.contains("cccc") && !told.contains("aaaa"), "{told}");
    }
}
