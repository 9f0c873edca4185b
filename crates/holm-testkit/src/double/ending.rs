//! Replies that are right up to their end, and end in a way of their own.

use holm_kernel::{Reply, StopReason};
use holm_wire::{Format, server::ReplyStream};

/// What is wrong with the end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Each event of the end is said twice; the second time for another reason.
    Twice,
    /// Nothing says what the reply has used.
    WithoutUsage,
}

impl Ending {
    /// Writes a reply that ends like this.
    pub(super) fn write(
        self,
        format: Format,
        stream: &mut dyn ReplyStream,
        reply: &Reply,
        piece: usize,
        out: &mut Vec<u8>,
    ) {
        for block in &reply.blocks {
            stream.block(block, piece, out);
        }
        let mut end = Vec::new();
        stream.end(reply.stop, reply.usage, &mut end);
        match self {
            Self::Twice => {
                let mut again = Vec::new();
                stream.end(StopReason::MaxTokens, reply.usage, &mut again);
                let again = frames(format, &again);
                for (place, frame) in frames(format, &end).into_iter().enumerate() {
                    out.extend_from_slice(frame);
                    out.extend_from_slice(again.get(place).copied().unwrap_or_default());
                }
            }
            // Its events have checksums, and usage has an event of its own.
            Self::WithoutUsage if format == Format::Bedrock => {
                let says = |frame: &&[u8]| frame.windows(7).any(|word| word == b"\"usage\"");
                for frame in frames(format, &end).into_iter().filter(|frame| !says(frame)) {
                    out.extend_from_slice(frame);
                }
            }
            Self::WithoutUsage => {
                out.append(&mut end);
                for word in ["\"usage", "eval_count\""] {
                    blot(out, word.as_bytes());
                }
            }
        }
    }
}

/// Takes the bytes of a stream apart where its events end.
fn frames(format: Format, bytes: &[u8]) -> Vec<&[u8]> {
    let mut frames = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let length = match format {
            Format::Bedrock => rest
                .first_chunk()
                .and_then(|total| usize::try_from(u32::from_be_bytes(*total)).ok())
                .filter(|length| *length > 0),
            Format::Ollama => rest.iter().position(|byte| *byte == b'\n').map(|at| at + 1),
            Format::OpenaiChat
            | Format::OpenaiResponses
            | Format::Anthropic
            | Format::Gemini
            | Format::Cohere => rest.windows(2).position(|pair| pair == b"\n\n").map(|at| at + 2),
        };
        let (frame, after) = rest.split_at(length.unwrap_or(rest.len()).min(rest.len()));
        frames.push(frame);
        rest = after;
    }
    frames
}

/// Makes a word another one wherever it stands: its letters become an `x`.
fn blot(body: &mut [u8], word: &[u8]) {
    let mut from = 0;
    while let Some(at) = body.get(from..).and_then(|rest| rest.windows(word.len()).position(|it| it == word))
    {
        let end = from + at + word.len();
        for byte in body.iter_mut().take(end).skip(from + at) {
            if byte.is_ascii_alphabetic() {
                *byte = b'x';
            }
        }
        from = end;
    }
}
