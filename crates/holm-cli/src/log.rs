//! Writes a log for operators: one JSON object a line, to a file or a URL. Nothing is written
//! unless a flag asks for it, and nothing is ever sent elsewhere.
//!
//! A log never blocks a run. Lines that do not fit are counted and reported at the end; the journal
//! has everything. It is not the journal (`holm-store`), and not traces or metrics (`otlp/`).
//!
//! Where things are:
//! - `log/file.rs` writes to a file.
//! - `log/http.rs` sends to a URL.
//! - `commands/log.rs` prints the same lines for a past session.

mod file;
pub(crate) mod http;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use holm::{
    grants::{GrantSet, Url},
    kernel::{Event, Numbered, ToolCallId},
    runtime::EventSink,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::{
    exit::{CommandError, CommandExit},
    network_scope::NetworkScope,
};

/// Lines that may wait for a slow disk or a slow network: a busy run makes some hundreds a second.
const ROOM: usize = 16 << 10;

/// The flags that choose where logs go.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct LogFlags {
    /// Also append events to this file, one JSON object per line
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    log_json_file: Option<PathBuf>,
    /// Also send events to this URL, as JSON lines; for another machine, add --grant fetch:… to the
    /// command's options
    #[arg(long, global = true, value_name = "URL", help_heading = "Global options")]
    log_http: Option<Url>,
}

/// The log of this command. Cheap to clone; without a destination it does nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActivityLog {
    ways: Arc<Mutex<Vec<LogDestination>>>,
}

/// A destination of log lines.
#[derive(Debug)]
struct LogDestination {
    name: String,
    lines: Sender<Arc<str>>,
    missed: u64,
    end: LogWriter,
}

/// The thread or task that writes the lines. It ends when the channel is closed.
#[derive(Debug)]
enum LogWriter {
    Thread(std::thread::JoinHandle<Result<(), String>>),
    Task(tokio::task::JoinHandle<Result<(), String>>),
}

impl ActivityLog {
    /// Opens the destinations in the flags. An address on another machine needs a grant, and
    /// connections stay within the network scope. Must be called within a runtime.
    ///
    /// # Errors
    /// If a file cannot be opened, or an address is not allowed.
    pub(crate) fn open(args: &LogFlags, granted: &GrantSet, bounds: NetworkScope) -> anyhow::Result<Self> {
        let log = Self::default();
        if let Some(path) = &args.log_json_file {
            let file = file::open(path)?;
            log.add(path.display().to_string(), |lines| {
                LogWriter::Thread(std::thread::spawn(move || file::write(file, lines)))
            });
        }
        if let Some(url) = &args.log_http {
            let target = http::HttpLogTarget::new("--log-http", url, granted, bounds)?;
            // What stands behind a question mark may be a token.
            let shown = url.to_string();
            let shown = shown.split(['?', '#']).next().unwrap_or_default().to_owned();
            log.add(shown, |lines| LogWriter::Task(tokio::spawn(target.send_all(lines))));
        }
        Ok(log)
    }

    /// Whether anybody asked for it.
    pub(crate) fn is_on(&self) -> bool {
        !self.ways().is_empty()
    }

    /// Writes a line, if there is room for it.
    pub(crate) fn put(&self, line: &Value) {
        let line: Arc<str> = line.to_string().into();
        for way in self.ways().iter_mut() {
            if way.lines.try_send(Arc::clone(&line)).is_err() {
                way.missed += 1;
            }
        }
    }

    /// Writes a line and waits until there is room, for those whom a log may hold up.
    pub(crate) async fn put_in_time(&self, line: &Value) {
        let line: Arc<str> = line.to_string().into();
        let senders: Vec<Sender<Arc<str>>> = self.ways().iter().map(|way| way.lines.clone()).collect();
        for sender in senders {
            // A writer that has ended reports its reason at the end.
            let _ = sender.send(Arc::clone(&line)).await;
        }
    }

    /// Waits until everything is written. Gives what was not, in words.
    pub(crate) async fn finish(&self) -> Vec<String> {
        let ways = std::mem::take(&mut *self.ways());
        let mut notes = Vec::new();
        for LogDestination { name, lines, missed, end } in ways {
            drop(lines);
            let ended = match end {
                LogWriter::Thread(thread) => {
                    let joined = move || thread.join().unwrap_or_else(|_| Err("it stopped".into()));
                    http::in_time(tokio::task::spawn_blocking(joined)).await
                }
                LogWriter::Task(task) => http::in_time(task).await,
            };
            if let Err(why) = ended {
                notes.push(format!("the log to {name} is incomplete: {why}"));
            } else if missed > 0 {
                notes.push(format!("the log to {name} lacks {missed} lines: the buffer was full"));
            }
        }
        notes
    }

    fn add(&self, name: String, begin: impl FnOnce(Receiver<Arc<str>>) -> LogWriter) {
        let (lines, taken) = mpsc::channel(ROOM);
        let end = begin(taken);
        self.ways().push(LogDestination { name, lines, missed: 0, end });
    }

    fn ways(&self) -> MutexGuard<'_, Vec<LogDestination>> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The events of every run that this command drives, each with its session's name.
impl EventSink for ActivityLog {
    /// Never asked: every run has a sink of its own.
    fn event(&self, _: &Numbered) {}

    fn of_run(&self, run: &str) -> Option<Arc<dyn EventSink>> {
        let (log, run, clock) = (self.clone(), run.to_owned(), CallClock::default());
        Some(Arc::new(move |event: &Numbered| log.put(&clock.timed(line(&run, event), event))))
    }
}

/// Measures events as they happen, in microseconds. The journal has milliseconds, so a log of a past
/// session has no such times.
#[derive(Debug, Default)]
struct CallClock(Mutex<BTreeMap<ToolCallId, Instant>>);

impl CallClock {
    /// The line with its time, and with how long a call took that has finished.
    fn timed(&self, mut line: Value, event: &Numbered) -> Value {
        line["at_us"] = jiff::Timestamp::now().as_microsecond().into();
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.event {
            Event::CallStarted { call, .. } => {
                begun.insert(*call, Instant::now());
            }
            Event::CallFinished { call, .. } => {
                if let Some(since) = begun.remove(call) {
                    line["micros"] = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX).into();
                }
            }
            _ => {}
        }
        line
    }
}

/// An event as a line of a log.
pub(crate) fn line(session: &str, event: &Numbered) -> Value {
    json!({
        "at": event.at,
        "session": session,
        "record": event.id.record,
        "index": event.id.index,
        "event": event.event,
    })
}

/// That a command began.
pub(crate) fn began(command: &str) -> Value {
    json!({ "at": now(), "command": command, "version": env!("CARGO_PKG_VERSION") })
}

/// How a command ended.
pub(crate) fn ended(command: &str, ended: &anyhow::Result<CommandExit>) -> Value {
    match ended {
        Ok(exit) => json!({ "at": now(), "command": command, "exit": exit.code() }),
        Err(error) => {
            let exit =
                error.downcast_ref::<CommandError>().map_or(CommandExit::Failed, |trouble| trouble.exit);
            json!({ "at": now(), "command": command, "exit": exit.code(), "error": format!("{error:#}") })
        }
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

#[cfg(test)]
mod tests;
