//! Turns messages into tokens. Template marks may become control tokens, and text never does, so
//! `<|im_start|>` in a tool's output becomes ten harmless tokens.
//!
//! The order of messages is made in `holm-local/src/prompt.rs`. The rule about control tokens must
//! stay, because a tool's output could otherwise pretend to be another role.

use std::cell::OnceCell;

use llama_cpp_2::{
    model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel},
    token::LlamaToken,
};

use super::token_sampler::TokenVocabulary;
use crate::prompt::{LocalMessage, PromptPiece, chatml, filled, placeholder};

/// A model's vocabulary and template.
pub(super) struct ModelVocabulary<'m> {
    model: &'m LlamaModel,
    template: Option<LlamaChatTemplate>,
    /// Computed once, when first needed.
    quotes: OnceCell<Vec<u32>>,
}

impl<'m> ModelVocabulary<'m> {
    pub(super) fn new(model: &'m LlamaModel) -> Self {
        Self { model, template: model.chat_template(None).ok(), quotes: OnceCell::new() }
    }

    /// The prompt as tokens.
    pub(super) fn prompt(&self, messages: &[LocalMessage]) -> Vec<i32> {
        let vocab = self.model.vocab();
        let pieces = self.rendered(messages).unwrap_or_else(|| chatml(messages));
        let mut out = Vec::new();
        // A template may write the first token itself.
        let first = LlamaToken(vocab.bos().0);
        let wants_first = vocab.should_add_bos() && first.0 >= 0;
        for part in pieces {
            match &part {
                PromptPiece::Marks(text) => {
                    let tokens = vocab.tokenize(text.as_bytes(), false, true);
                    out.extend(tokens.into_iter().map(|token| token.0));
                }
                PromptPiece::Words(text) => out.extend(self.words(text)),
            }
        }
        if wants_first && out.first() != Some(&first.0) {
            out.insert(0, first.0);
        }
        out
    }

    /// Plain text as tokens.
    pub(super) fn words(&self, text: &str) -> Vec<i32> {
        let tokens = self.model.vocab().tokenize(text.as_bytes(), false, false);
        tokens.into_iter().map(|token| token.0).collect()
    }

    /// All tokens that begin with a quotation mark.
    pub(super) fn quotes(&self) -> &[u32] {
        self.quotes.get_or_init(|| {
            let all = 0..u32::try_from(self.model.n_vocab()).unwrap_or_default();
            all.filter(|token| self.piece(*token).first() == Some(&b'"')).collect()
        })
    }

    /// The prompt rendered with the model's own template, if llama.cpp supports it.
    fn rendered(&self, messages: &[LocalMessage]) -> Option<Vec<PromptPiece>> {
        let template = self.template.as_ref()?;
        let chat_messages: Option<Vec<LlamaChatMessage>> = messages
            .iter()
            .enumerate()
            .map(|(number, message)| {
                LlamaChatMessage::new(message.by.name().into(), placeholder(number)).ok()
            })
            .collect();
        let rendered = self.model.apply_chat_template(template, &chat_messages?, true).ok()?;
        filled(&rendered, messages)
    }
}

impl TokenVocabulary for ModelVocabulary<'_> {
    fn ends(&self, token: u32) -> bool {
        i32::try_from(token).is_ok_and(|token| self.model.vocab().is_eog(LlamaToken(token)))
    }

    fn piece(&self, token: u32) -> Vec<u8> {
        let Ok(token) = i32::try_from(token) else { return Vec::new() };
        self.model.vocab().token_to_piece(LlamaToken(token), false, None)
    }
}
