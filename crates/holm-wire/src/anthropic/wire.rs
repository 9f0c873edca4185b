//! The types on the wire, borrowed from the frame.

use alloc::vec::Vec;

use holm_kernel::Usage;
use holm_read::Read;
use serde::Deserialize;

use crate::{
    lean::lean,
    loose::{Count, Raw, Str},
};

/// One event. Its members depend on its type. A complete body is read as an event with all members.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) index: Count<'a>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) content_block: Option<Block<'a>>,
    #[serde(borrow)]
    pub(super) message: Option<Start<'a>>,
    #[serde(borrow)]
    pub(super) usage: Option<Tokens<'a>>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) text: Option<Str<'a>>,
    #[serde(borrow)]
    pub(super) thinking: Option<Str<'a>>,
    #[serde(borrow)]
    pub(super) partial_json: Option<Str<'a>>,
    #[serde(borrow)]
    pub(super) signature: Option<Str<'a>>,
    #[serde(borrow)]
    pub(super) stop_reason: Str<'a>,
}

#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Start<'a> {
    #[serde(borrow)]
    pub(super) model: Str<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<Tokens<'a>>,
}

/// A content block, at its start or complete.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) text: Str<'a>,
    #[serde(borrow)]
    pub(super) thinking: Str<'a>,
    #[serde(borrow)]
    pub(super) signature: Str<'a>,
    #[serde(borrow)]
    pub(super) data: Str<'a>,
    #[serde(borrow)]
    pub(super) id: Str<'a>,
    #[serde(borrow)]
    pub(super) name: Str<'a>,
    #[serde(borrow)]
    pub(super) input: Option<Raw<'a>>,
}

/// A complete reply that was not streamed.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Whole<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Str<'a>,
    #[serde(borrow)]
    pub(super) model: Str<'a>,
    #[serde(borrow)]
    pub(super) content: Option<Vec<Block<'a>>>,
    #[serde(borrow)]
    pub(super) stop_reason: Str<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<Tokens<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<Raw<'a>>,
}

/// The reported usage. Here, `input_tokens` does not include cached tokens.
#[derive(Debug, Default, Deserialize, Read)]
#[serde(default)]
pub(super) struct Tokens<'a> {
    #[serde(borrow)]
    input_tokens: Count<'a>,
    #[serde(borrow)]
    output_tokens: Count<'a>,
    #[serde(borrow)]
    cache_creation_input_tokens: Count<'a>,
    #[serde(borrow)]
    cache_read_input_tokens: Count<'a>,
}

/// The largest counts so far. Counts are cumulative, and some services send zeros first or last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    fresh: u64,
    written: u64,
    read: u64,
    output: u64,
}

impl Counts {
    pub(super) fn see(&mut self, tokens: &Tokens<'_>) {
        self.fresh = self.fresh.max(tokens.input_tokens.or_zero());
        self.written = self.written.max(tokens.cache_creation_input_tokens.or_zero());
        self.read = self.read.max(tokens.cache_read_input_tokens.or_zero());
        self.output = self.output.max(tokens.output_tokens.or_zero());
    }

    pub(super) const fn usage(self) -> Usage {
        Usage {
            input: self.fresh.saturating_add(self.written).saturating_add(self.read),
            output: self.output,
            cached: self.read,
            cache_write: self.written,
            reasoning: 0,
            estimated: 0,
        }
    }
}

lean!(Event {
    b"type" => kind,
    b"index" => index,
    b"delta" => delta,
    b"content_block" => content_block,
    b"message" => message,
    b"usage" => usage,
});
lean!(Delta {
    b"text" => text,
    b"thinking" => thinking,
    b"partial_json" => partial_json,
    b"signature" => signature,
    b"stop_reason" => stop_reason,
});
lean!(Start { b"model" => model, b"usage" => usage });
lean!(Block {
    b"type" => kind,
    b"text" => text,
    b"thinking" => thinking,
    b"signature" => signature,
    b"data" => data,
    b"id" => id,
    b"name" => name,
    b"input" => input,
});
lean!(Tokens {
    b"input_tokens" => input_tokens,
    b"output_tokens" => output_tokens,
    b"cache_creation_input_tokens" => cache_creation_input_tokens,
    b"cache_read_input_tokens" => cache_read_input_tokens,
});
