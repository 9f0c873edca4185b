//! The `read` tool: a file, some of its lines, an image, or a large result that was stored
//! elsewhere. Encodings are in `text.rs`, pictures in `image.rs`, stored results come from the
//! host's blob store. What was read is remembered (`file_tool_context.rs`), so that a later change
//! can be compared. Every page makes progress, even if one line is longer than a page.

use std::{fmt::Write, sync::Arc};

use holm_grants::Level;
use holm_kernel::ToolOutput;
use holm_runtime::{BlobStore, ClosureTool, ToolInvocation, blocking_tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    file_tool_context::{FileToolContext, FileToolError, MOST_BYTES, SHOWN, declared, failed},
    image,
    text::DecodedText,
};

/// Lines that are shown by default.
const LINES: usize = 2_000;

/// Characters of one line that are shown: a longer one is data.
const LINE: usize = 2_000;

/// Bytes of a page: the part that a model sees, less the notes around it.
const PAGE: usize = SHOWN - 1_000;

/// Bytes of a kept result that are shown at once.
const PIECE: u64 = PAGE as u64;

/// Bytes for the number of a line.
const NUMBER: usize = 8;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    /// The file; relative paths start at the workspace.
    path: Option<String>,
    /// In place of a path: the reference of a result that was too large to show, as its note says.
    reference: Option<String>,
    /// The first line, counted from 1. For a reference: the first byte, counted from 0.
    offset: Option<u64>,
    /// How many lines at most. For a reference: how many bytes.
    limit: Option<u64>,
}

pub(super) fn tool(context: Arc<FileToolContext>) -> ClosureTool<impl JsonSchema> {
    let text = "Reads a file: its lines with line numbers, or an image. Long files come in pages; \
        continue with offset. With reference instead of path, reads a result that was too large to show.";
    let read = blocking_tool("read", text, move |arguments: ReadArguments, invocation: ToolInvocation| {
        run(&context, &arguments, &invocation)
    });
    declared(read, Level::ReadOnly, &["read:{path?}"])
}

fn run(
    context: &FileToolContext,
    arguments: &ReadArguments,
    invocation: &ToolInvocation,
) -> Result<ToolOutput, FileToolError> {
    match (&arguments.path, &arguments.reference) {
        (Some(path), None) => file(context, path, arguments, invocation),
        (None, Some(reference)) => kept(context, reference, arguments),
        (Some(_), Some(_)) => Err(failed("give a path or a reference, not both")),
        (None, None) => Err(failed("give the path of a file, or the reference of a large result")),
    }
}

fn file(
    context: &FileToolContext,
    path: &str,
    arguments: &ReadArguments,
    invocation: &ToolInvocation,
) -> Result<ToolOutput, FileToolError> {
    let path = context.root.path(path)?;
    context.root.permit(&invocation.needs).read(&path)?;
    let (root, inside) = context.place(&path)?;
    let bytes = root.read(&inside)?.bytes(MOST_BYTES)?;
    if let Some(media_type) = image::media_type(&bytes) {
        if bytes.len() > image::MOST_BYTES {
            let most = image::MOST_BYTES;
            return Err(failed(format!(
                "`{path}` is an image of {} bytes; at most {most} can be shown",
                bytes.len()
            )));
        }
        let text = format!("`{path}` is an image ({media_type}, {} bytes)", bytes.len());
        let parts = vec![image::block(&bytes, media_type, path.as_str())];
        return Ok(ToolOutput { text, parts, ..ToolOutput::default() });
    }
    let Some(text) = DecodedText::read(&bytes) else {
        return Err(failed(format!(
            "`{path}` is a binary file of {} bytes; use a program to inspect it",
            bytes.len()
        )));
    };
    context.saw(&path, &bytes);
    let page = TextPage::of(&text.text, arguments.offset, arguments.limit)?;
    Ok(ToolOutput::text(page.shown(text.remark())))
}

/// Some lines of a text.
struct TextPage {
    lines: String,
    first: usize,
    /// The line after the last one that is shown.
    next: usize,
    total: usize,
}

impl TextPage {
    fn of(text: &str, offset: Option<u64>, limit: Option<u64>) -> Result<Self, FileToolError> {
        let total = text.lines().count();
        let first = usize::try_from(offset.unwrap_or(1).max(1)).unwrap_or(usize::MAX);
        if first > total.max(1) {
            return Err(failed(format!("line {first} does not exist; the file has {total} lines")));
        }
        let limit = limit.map_or(LINES, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let mut lines = String::new();
        let mut next = first;
        for line in text.lines().skip(first - 1).take(limit) {
            let shown = clipped(line);
            // One line always fits, so that every page makes progress.
            if !lines.is_empty() && lines.len() + shown.len() + NUMBER > PAGE {
                break;
            }
            let _ = writeln!(lines, "{next:>6}\t{shown}");
            next += 1;
        }
        Ok(Self { lines, first, next, total })
    }

    fn shown(self, remark: Option<&str>) -> String {
        let mut out = self.lines;
        if self.total == 0 {
            out.push_str("[the file is empty]\n");
        }
        if self.next <= self.total {
            let (first, last, total, next) = (self.first, self.next.saturating_sub(1), self.total, self.next);
            let _ = writeln!(out, "[lines {first} to {last} of {total}; continue with offset {next}]");
        }
        if let Some(remark) = remark {
            let _ = writeln!(out, "[the file is encoded as {remark}; edits keep that]");
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// A line that a person could read.
fn clipped(line: &str) -> String {
    match line.char_indices().nth(LINE) {
        None => line.to_owned(),
        Some((at, _)) => {
            let (head, rest) = line.split_at(at);
            format!("{head}… [{} more bytes in this line]", rest.len())
        }
    }
}

fn kept(
    context: &FileToolContext,
    reference: &str,
    arguments: &ReadArguments,
) -> Result<ToolOutput, FileToolError> {
    let Some(blobs) = &context.blobs else { return Err(failed("this host does not store large results")) };
    let is_digest = reference.len() == 64 && reference.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_digest {
        return Err(failed(
            "not a valid reference; copy the 64 digits from the note of the shortened result",
        ));
    }
    let start = arguments.offset.unwrap_or(0);
    let wanted = arguments.limit.unwrap_or(PIECE).clamp(1, PIECE);
    let bytes = fetch(blobs.as_ref(), reference, start..start.saturating_add(wanted))?;
    if bytes.is_empty() {
        return Ok(ToolOutput::text(format!("[the result ends before byte {start}]")));
    }
    let whole = bytes.len() as u64 == wanted;
    let (text, used) = on_boundaries(&bytes);
    let mut out = text.to_owned();
    if whole {
        let next = start.saturating_add(used as u64);
        let _ = write!(out, "\n[bytes {start} to {}; continue with offset {next}]", next.saturating_sub(1));
    }
    Ok(ToolOutput::text(out))
}

/// Waits for the store, on a thread where waiting is allowed.
fn fetch(
    blobs: &dyn BlobStore,
    reference: &str,
    range: std::ops::Range<u64>,
) -> Result<Vec<u8>, FileToolError> {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return Err(failed("large results can be read only within a run"));
    };
    runtime
        .block_on(blobs.get(&reference.to_ascii_lowercase(), range))
        .map_err(|error| failed(error.to_string()))
}

/// The text of a piece whose ends may fall within characters, and how many bytes were used to its end.
fn on_boundaries(bytes: &[u8]) -> (&str, usize) {
    let skipped = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    let rest = bytes.get(skipped..).unwrap_or_default();
    let text = match std::str::from_utf8(rest) {
        Ok(text) => text,
        Err(error) => {
            let valid = rest.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
    };
    // Stored results are always text. If one is not, the rest is skipped, so that the model does
    // not request it for ever.
    let used = if text.is_empty() { bytes.len() } else { skipped + text.len() };
    (text, used)
}
