//! Contains tools: a panic is a failed call, a hang is given up, and excessive output is cut. The
//! run always continues.
//!
//! It also inserts secrets for a call (`secrets/reveal.rs`), removes them from the output, and
//! moves a large text out of the journal (`spill.rs`). It confines nothing: what a tool may touch
//! is enforced by the tool, the jail or the sandbox. Secrets are removed before a text is cut or
//! stored, because half a secret would not be found. A tool cannot name a stored result itself.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use holm_guards::json::Json;
use holm_kernel::{Block, Outcome, ToolOutput};
use tokio::task;
use tokio_util::sync::CancellationToken;

use super::{
    SecretReveal, Tool, ToolInvocation,
    panics::{PanicCatcher, caught},
};
use crate::{BlobStore, BoxFuture, MemoryBlobStore, SecretRedactor, spill};

/// How long a stopped tool may take to return its output; then it is dropped.
const GRACE: Duration = Duration::from_millis(500);

/// A text of this size is searched for secrets on another thread, so that other runs do not wait.
const SLOW: usize = 1024 * 1024;

/// Values nested more deeply than this are not useful for rendering, and
/// would be walked recursively.
const DEEPEST: usize = 64;

/// How much of an output stays in the journal; the rest is stored elsewhere or
/// dropped, with a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimits {
    /// Bytes of text that stay in the journal; a longer text is spilled.
    pub text: usize,
    /// Bytes of text that are stored at all.
    pub whole: usize,
    /// The number of images and files.
    pub parts: usize,
    /// Their bytes in total.
    pub part_bytes: usize,
    /// The bytes of metadata that are kept.
    pub metadata: usize,
}

impl Default for OutputLimits {
    /// Twice what a model sees of a result by default, a few images, and metadata that
    /// a screen can show.
    fn default() -> Self {
        Self {
            text: 64 * 1024,
            whole: 64 * 1024 * 1024,
            parts: 16,
            part_bytes: 16 * 1024 * 1024,
            metadata: 64 * 1024,
        }
    }
}

/// Runs the tools of a run, so that their failures do not affect anything but their call.
///
/// Secrets are removed from the output, and from spilled text. References to secrets in the
/// arguments are replaced, for the names in the call's needs.
#[derive(Clone)]
pub struct ToolContainment {
    run: Arc<str>,
    blobs: Arc<dyn BlobStore>,
    secrets: SecretRedactor,
    carry: OutputLimits,
    grace: Duration,
}

impl ToolContainment {
    /// For the tools of a run; large results stay in memory until
    /// [`blobs`](Self::blobs) sets another store.
    pub fn new(run: impl Into<Arc<str>>) -> Self {
        Self {
            run: run.into(),
            blobs: Arc::new(MemoryBlobStore::new()),
            secrets: SecretRedactor::new(),
            carry: OutputLimits::default(),
            grace: GRACE,
        }
    }

    /// Sets the store for large results.
    #[must_use]
    pub fn blobs(mut self, blobs: Arc<dyn BlobStore>) -> Self {
        self.blobs = blobs;
        self
    }

    /// Sets the secrets to remove and to insert.
    #[must_use]
    pub fn secrets(mut self, secrets: SecretRedactor) -> Self {
        self.secrets = secrets;
        self
    }

    /// Sets the limits of an output.
    #[must_use]
    pub fn carry(mut self, carry: OutputLimits) -> Self {
        self.carry = carry;
        self
    }

    /// Sets how long a stopped tool may take to finish.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Runs one call. The future always ends: with the tool's output, or a while after the job
    /// was stopped, without it.
    pub fn contain(&self, tool: Arc<dyn Tool>, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let this = self.clone();
        Box::pin(async move {
            let limit = caught(|| tool.declaration().result_limit).ok().flatten().unwrap_or_default();
            // Most calls contain no reference, and share their arguments with the run.
            let revealed = match caught(|| tool.reveal()).unwrap_or_default() {
                SecretReveal::OnTheWayOut => None,
                SecretReveal::InArguments => match this.secrets.reveal(&job.arguments, &job.needs) {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(arguments) => Some(arguments),
                },
            };
            let job = match revealed {
                Some(arguments) => job.arguments(arguments),
                None => job,
            };
            let job = job.run(Arc::clone(&this.run));
            let output = this.run_tool(tool, job).await;
            this.bound(output, usize::try_from(limit).unwrap_or(usize::MAX)).await
        })
    }

    async fn run_tool(&self, tool: Arc<dyn Tool>, job: ToolInvocation) -> ToolOutput {
        let stop = job.stop.clone();
        let mut running = match caught(|| tool.run(job)) {
            Ok(running) => PanicCatcher(running),
            Err(panic) => return panicked(&panic),
        };
        let output = tokio::select! {
            biased;
            ended = &mut running => ended.unwrap_or_else(|panic| panicked(&panic)),
            () = given_up(&stop, self.grace) => stopped(self.grace),
        };
        // Its remaining state is its own, and may panic again when it is dropped.
        let _ = caught(move || drop(running));
        output
    }

    async fn bound(&self, mut output: ToolOutput, limit: usize) -> ToolOutput {
        let mut notes = Vec::new();
        // Only the host stores large results: a reference made up by a tool could name another
        // run's.
        if output.spill.take().is_some() {
            notes.push("a reference to a stored result was left out".into());
        }
        self.bound_parts(&mut output, &mut notes);
        self.bound_metadata(&mut output, &mut notes);
        let mut output = self.clean(output).await;
        if output.text.len() > self.carry.whole {
            let cut = output.text.floor_char_boundary(self.carry.whole);
            notes.push(format!("{} bytes of text were left out", output.text.len().saturating_sub(cut)));
            output.text.truncate(cut);
        }
        for note in notes {
            output.text.push_str("\n[");
            output.text.push_str(&note);
            output.text.push(']');
        }
        // A tool with a higher result limit may also keep more text.
        if output.text.len() > self.carry.text.max(limit) {
            spill::spill(&mut output, &self.run, self.blobs.as_ref()).await;
        }
        output
    }

    async fn clean(&self, mut output: ToolOutput) -> ToolOutput {
        if output.text.len() < SLOW {
            self.secrets.output(&mut output);
            return output;
        }
        let secrets = self.secrets.clone();
        let cleaned = task::spawn_blocking(move || {
            secrets.output(&mut output);
            output
        });
        // Output that could not be cleaned is not passed on.
        cleaned.await.unwrap_or_else(|_| ToolOutput::failed("the output could not be searched for secrets"))
    }

    fn bound_parts(&self, output: &mut ToolOutput, notes: &mut Vec<String>) {
        let before = output.parts.len();
        let (mut count, mut bytes) = (0, 0_usize);
        output.parts.retain(|part| {
            let shown = match part {
                Block::Text(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => true,
                Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) => false,
            };
            let weight = match part {
                Block::Custom(custom) => weigh(&custom.payload),
                _ => usize::try_from(part.size()).unwrap_or(usize::MAX),
            };
            let fits =
                shown && count < self.carry.parts && bytes.saturating_add(weight) <= self.carry.part_bytes;
            if fits {
                count += 1;
                bytes = bytes.saturating_add(weight);
            }
            fits
        });
        let left_out = before - output.parts.len();
        if left_out > 0 {
            notes.push(format!(
                "{left_out} of {before} parts were left out: too many, too large or of no use here"
            ));
        }
    }

    fn bound_metadata(&self, output: &mut ToolOutput, notes: &mut Vec<String>) {
        if output.metadata.as_ref().is_some_and(|metadata| weigh(metadata) > self.carry.metadata) {
            output.metadata = None;
            notes.push("metadata was left out: too large".into());
        }
    }
}

impl fmt::Debug for ToolContainment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ToolContainment")
            .field("run", &self.run)
            .field("carry", &self.carry)
            .finish_non_exhaustive()
    }
}

async fn given_up(stop: &CancellationToken, grace: Duration) {
    stop.cancelled().await;
    tokio::time::sleep(grace).await;
}

fn panicked(panic: &str) -> ToolOutput {
    ToolOutput::failed(format!("the tool panicked: {panic}"))
}

fn stopped(grace: Duration) -> ToolOutput {
    let text = format!(
        "the tool was stopped and did not end within {} ms; its effects until then are unknown",
        grace.as_millis()
    );
    ToolOutput { outcome: Outcome::Stopped, text, ..ToolOutput::default() }
}

/// Roughly the bytes of a value; more than any limit if it is nested too deeply.
fn weigh(value: &Json) -> usize {
    let (mut total, mut open) = (0_usize, vec![(value, 0_usize)]);
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return usize::MAX;
        }
        let own = match value {
            Json::Null | Json::Bool(_) => 4,
            Json::Number(number) => number.as_str().len(),
            Json::String(text) => text.len(),
            Json::Array(items) => {
                open.extend(items.iter().map(|item| (item, depth + 1)));
                items.len()
            }
            Json::Object(members) => {
                open.extend(members.values().map(|member| (member, depth + 1)));
                members.keys().map(|name| name.len() + 2).sum()
            }
        };
        total = total.saturating_add(own);
    }
    total
}
