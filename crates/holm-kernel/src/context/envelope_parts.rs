//! Shortens a tool result inside its envelope: to one line, or to its two ends.
//!
//! A result reaches the model sealed: an opening tag, a body that does not know the seal, a closing
//! tag. The functions here keep both tags and replace only the body. So the rest still reads as
//! tool output, and the call keeps its answer. Names and arguments that go into the line are made
//! harmless first, because a tool or a model chose them. Envelopes are made in `envelope/seal.rs`;
//! which results to shorten is decided in `context/view.rs` and `context/clip.rs`.

use alloc::{format, string::String, vec::Vec};

use crate::{Block, Message, ToolResult};

/// A body of up to this many characters stays: one line about it would not be shorter.
pub(super) const SHORT_CHARS: u64 = 200;

/// What the one line usually takes.
const LINE_BYTES: usize = 160;

/// The part of the line that a call's arguments may take: enough for most paths, and the line stays
/// shorter than a result that is worth eliding.
const ARGUMENT_BYTES: usize = 70;

/// The part of the line for a tool's name, which is not under our control.
const NAME_CHARS: usize = 32;

/// A cut must save at least this much, or the marker in the middle would cost more than it saves.
const CUT_SAVES: u64 = 100;

/// A sealed text in its three parts. Text without an envelope is all body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EnvelopeParts<'a> {
    pub(super) open: &'a str,
    pub(super) body: &'a str,
    pub(super) close: &'a str,
}

/// Takes an envelope apart.
pub(super) fn split(text: &str) -> EnvelopeParts<'_> {
    envelope(text).unwrap_or(EnvelopeParts { open: "", body: text, close: "" })
}

fn envelope(text: &str) -> Option<EnvelopeParts<'_>> {
    if !text.starts_with("<tool_output") {
        return None;
    }
    // The opening tag holds a seal and nothing else, and the last closing tag
    // is the envelope's own.
    let (open, rest) = text.split_at_checked(text.find('>')? + 1)?;
    let (body, close) = rest.split_at_checked(rest.rfind("</tool_output")?)?;
    Some(EnvelopeParts { open, body, close })
}

/// How many characters a text has.
pub(super) fn chars(text: &str) -> u64 {
    text.bytes().filter(|byte| byte & 0xc0 != 0x80).count() as u64
}

/// The same message with each of its long results reduced to one line; other blocks and
/// short results are unchanged.
///
/// Returns `None` if there is nothing to shorten.
///
/// `arguments_of` finds the arguments of a call by its id.
pub(super) fn elide<'a>(
    message: &Message,
    arguments_of: impl Fn(&str) -> Option<&'a str>,
) -> Option<Message> {
    rewrite(message, |result| {
        let parts = split(&result.text);
        let long = chars(parts.body) > SHORT_CHARS || !result.parts.is_empty();
        long.then(|| ToolResult {
            text: joined(parts, &line(result, arguments_of(&result.call).unwrap_or_default(), parts.body)),
            parts: Vec::new(),
            ..shell(result)
        })
    })
}

/// The same message with each result that is longer than `limit` characters reduced to its
/// head and its tail.
///
/// Returns `None` if there is no such result.
pub(super) fn clip(message: &Message, limit: u64, attachments: AttachmentPolicy) -> Option<Message> {
    rewrite(message, |result| {
        let parts = split(&result.text);
        let text = ends(parts.body, limit).map(|body| joined(parts, &body));
        let (kept, said) = match attachments {
            AttachmentPolicy::Keep => (result.parts.clone(), None),
            AttachmentPolicy::Leave if result.parts.is_empty() => (Vec::new(), None),
            AttachmentPolicy::Leave => {
                (Vec::new(), Some(format!("\n[{} attachments left out]", result.parts.len())))
            }
        };
        if text.is_none() && said.is_none() {
            return None;
        }
        let mut text = text.unwrap_or_else(|| result.text.clone());
        if let Some(said) = said {
            let inner = split(&text);
            text = joined(inner, &format!("{}{said}", inner.body));
        }
        Some(ToolResult { text, parts: kept, ..shell(result) })
    })
}

/// What happens to a result's pictures and files when its text is clipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttachmentPolicy {
    /// The attachments stay in the view.
    Keep,
    /// They leave the view, with a note.
    Leave,
}

fn rewrite(message: &Message, change: impl Fn(&ToolResult) -> Option<ToolResult>) -> Option<Message> {
    let mut changed = false;
    let mut blocks = Vec::with_capacity(message.blocks.len());
    for block in &message.blocks {
        let shorter = if let Block::ToolResult(result) = block { change(result) } else { None };
        changed |= shorter.is_some();
        blocks.push(shorter.map_or_else(|| block.clone(), Block::ToolResult));
    }
    changed.then_some(Message { author: message.author, ..Message::new(message.id, message.role, blocks) })
}

/// A result without its content.
fn shell(result: &ToolResult) -> ToolResult {
    ToolResult {
        call: result.call.clone(),
        tool: result.tool.clone(),
        text: String::new(),
        outcome: result.outcome,
        parts: Vec::new(),
    }
}

fn joined(parts: EnvelopeParts<'_>, body: &str) -> String {
    let mut out = String::with_capacity(parts.open.len() + body.len() + parts.close.len());
    out.push_str(parts.open);
    out.push_str(body);
    out.push_str(parts.close);
    out
}

/// One line about a removed result: the tool, its arguments, the size, and that the
/// call can be repeated.
fn line(result: &ToolResult, arguments: &str, body: &str) -> String {
    let mut out = String::with_capacity(LINE_BYTES);
    out.push_str("[left out: result of ");
    push_name(&mut out, &result.tool);
    if !matches!(arguments, "" | "{}") {
        out.push(' ');
        push_plain(&mut out, arguments, ARGUMENT_BYTES);
    }
    out.push_str(&format!(", {} characters", chars(body)));
    match result.parts.len() {
        0 => {}
        1 => out.push_str(" and 1 attachment"),
        more => out.push_str(&format!(" and {more} attachments")),
    }
    out.push_str("; call it again if you need it]");
    out
}

/// Appends a name. It did not pass through the envelope, so only characters of
/// ordinary names are allowed.
fn push_name(out: &mut String, name: &str) {
    for char in name.chars().take(NAME_CHARS) {
        let honest = char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | ':' | '/');
        out.push(if honest { char } else { '?' });
    }
    if name.chars().nth(NAME_CHARS).is_some() {
        out.push('…');
    }
}

/// Appends text from inside an envelope, which must stay on its line; control
/// characters are made visible.
fn push_plain(out: &mut String, text: &str, limit: usize) {
    const MORE: &str = "…";
    let end = out.len() + limit;
    let mut safe = out.len();
    for char in text.chars() {
        let before = out.len();
        match char {
            '\t' => out.push(' '),
            char if is_unruly(char) => out.push(char::REPLACEMENT_CHARACTER),
            char => out.push(char),
        }
        if out.len() > end {
            out.truncate(safe);
            if safe + MORE.len() <= end {
                out.push_str(MORE);
            }
            return;
        }
        if before + MORE.len() <= end {
            safe = before;
        }
    }
}

/// Controls, line separators, and what is invisible or turns the direction of writing.
fn is_unruly(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// What stands before and behind the number of characters that a clip left out.
const CLIP_NOTE: (&str, &str) =
    ("[… ", " characters left out to fit the window; ask for a smaller part to see them …]");

/// Three quarters of `limit` from the beginning and one from the end, in whole lines if they are
/// short; nothing if that saves too little.
fn ends(body: &str, limit: u64) -> Option<String> {
    let all = chars(body);
    if all <= limit.saturating_add(CUT_SAVES) {
        return None;
    }
    let tail = usize::try_from(limit / 4).ok()?;
    let head = usize::try_from(limit - limit / 4).ok()?;
    let head_end = body.char_indices().nth(head)?.0;
    let tail_start = match tail.checked_sub(1) {
        Some(back) => body.char_indices().rev().nth(back)?.0,
        None => body.len(),
    };
    let (first, last) = (whole_head(body.get(..head_end)?), whole_tail(body.get(tail_start..)?));
    let middle = body.get(first.len()..body.len() - last.len())?;
    let (before, behind) = CLIP_NOTE;
    Some(format!("{first}\n{before}{}{behind}\n{last}", left_out(middle)))
}

/// The most bytes of a broken line that are left out with the middle.
const MAX_BROKEN_LINE: usize = 200;

/// The text without the line in which it breaks off.
fn whole_head(text: &str) -> &str {
    shorter_by_a_line(text, text.rfind('\n').and_then(|end| text.get(..end)))
}

/// The text from the first line that begins in it.
fn whole_tail(text: &str) -> &str {
    shorter_by_a_line(text, text.split_once('\n').map(|(_, whole)| whole))
}

/// The shorter text, unless too much would be missing.
fn shorter_by_a_line<'a>(text: &'a str, whole: Option<&'a str>) -> &'a str {
    let is_near = |whole: &&str| text.len() - whole.len() <= MAX_BROKEN_LINE && whole.len() > text.len() / 2;
    whole.filter(is_near).unwrap_or(text)
}

/// The characters of a middle that is left out, together with those that an earlier clip of the
/// same text left out.
fn left_out(middle: &str) -> u64 {
    let (before, behind) = CLIP_NOTE;
    let earlier =
        middle.split_once(before).and_then(|(_, rest)| rest.split_once(behind)?.0.parse::<u64>().ok());
    let Some(earlier) = earlier else { return chars(middle) };
    let note = chars(before) + chars(behind) + chars(&format!("{earlier}"));
    chars(middle).saturating_sub(note).saturating_add(earlier)
}
