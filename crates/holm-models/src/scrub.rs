//! Takes known secrets out of text, in whatever form they stand there.
//!
//! Providers echo keys in error messages, proxies echo URLs, and a recorded request holds what was sent. So each secret is
//! looked for as it is, as a URL writes it, as JSON writes it, and in base64 at each of the three places where it can
//! begin inside a longer encoded text (`Basic` authentication joins it to a name first).

#[cfg(test)]
mod tests;

use std::fmt;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use holm_kernel::{Block, Failure, ModelResult, Reply};
use secrecy::{ExposeSecret, SecretString};

/// Shorter secrets are not looked for: they would be found in ordinary words, and nobody can keep them secret anyway.
const SHORTEST: usize = 8;

/// Replaces known secrets by `‹secret:name›`.
///
/// ```
/// use holm_models::Scrubber;
///
/// let scrubber = Scrubber::new([("openai", &"k-0123456789".into())]);
/// assert_eq!(scrubber.text("wrong key k-0123456789!"), "wrong key ‹secret:openai›!");
/// assert!(!format!("{scrubber:?}").contains("0123"));
/// ```
#[derive(Clone, Default)]
pub struct Scrubber {
    /// Longest first, so that no form leaves the rest of a longer one behind.
    forms: Vec<Form>,
}

#[derive(Clone)]
struct Form {
    looks: SecretString,
    shown: String,
}

impl Scrubber {
    /// Looks for these secrets, each under its name.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a SecretString)>) -> Self {
        let mut forms = Vec::new();
        for (name, secret) in secrets {
            let secret = secret.expose_secret();
            if secret.len() < SHORTEST {
                continue;
            }
            let shown = format!("‹secret:{name}›");
            let looks = forms_of(secret);
            forms.extend(looks.into_iter().map(|looks| Form { looks: looks.into(), shown: shown.clone() }));
        }
        forms.sort_by_key(|form| std::cmp::Reverse(form.looks.expose_secret().len()));
        Self { forms }
    }

    /// Whether a text holds a secret.
    pub fn finds(&self, text: &str) -> bool {
        self.forms.iter().any(|form| text.contains(form.looks.expose_secret()))
    }

    /// The text without secrets.
    pub fn text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        self.clean(&mut out);
        out
    }

    /// The bytes without secrets. Bytes that are no text are kept; a secret among them is found all the same.
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = bytes.to_vec();
        for form in &self.forms {
            let looks = form.looks.expose_secret().as_bytes();
            let mut from = 0;
            while let Some(at) = find(&out, looks, from) {
                out.splice(at..at.saturating_add(looks.len()), form.shown.bytes());
                from = at.saturating_add(form.shown.len());
            }
        }
        out
    }

    /// A model's result without secrets.
    pub fn result(&self, mut result: ModelResult) -> ModelResult {
        match &mut result {
            ModelResult::Replied(reply) | ModelResult::Aborted(reply) => self.reply(reply),
            ModelResult::Failed(failure) => self.failure(failure),
        }
        result
    }

    fn failure(&self, failure: &mut Failure) {
        self.clean(&mut failure.message);
    }

    fn reply(&self, reply: &mut Reply) {
        for block in &mut reply.blocks {
            match block {
                Block::Text(text) => self.clean(text),
                Block::Thinking(thinking) => self.clean(&mut thinking.text),
                Block::ToolCall(call) => self.clean(&mut call.arguments),
                // A model's reply holds none of these as text.
                Block::ToolResult(_) | Block::Image(_) | Block::File(_) | Block::Custom(_) => {}
            }
        }
    }

    fn clean(&self, text: &mut String) {
        for form in &self.forms {
            if text.contains(form.looks.expose_secret()) {
                *text = text.replace(form.looks.expose_secret(), &form.shown);
            }
        }
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Scrubber").field("forms", &self.forms.len()).finish()
    }
}

fn forms_of(secret: &str) -> Vec<String> {
    let mut url = String::new();
    holm_wire::escape(secret, &mut url);
    let mut forms = vec![secret.to_owned(), lower_escapes(&url), url];
    if let Ok(json) = serde_json::to_string(secret) {
        forms.push(json.trim_matches('"').to_owned());
    }
    for shift in 0..3 {
        forms.push(inner_base64(&STANDARD, secret, shift));
        forms.push(inner_base64(&URL_SAFE, secret, shift));
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// The same URL form with `%2f` for `%2F`, as some programs write it.
fn lower_escapes(url: &str) -> String {
    let mut parts = url.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        out.push('%');
        out.push_str(&digits.to_ascii_lowercase());
        out.push_str(rest);
    }
    out
}

/// The characters of the secret's base64 form that do not depend on what stands before and behind it, when `shift` bytes
/// (modulo 3) stand before it.
fn inner_base64(engine: &impl Engine, secret: &str, shift: usize) -> String {
    let mut bytes = vec![0; shift];
    bytes.extend_from_slice(secret.as_bytes());
    let whole = bytes.len() / 3 * 3;
    let text = engine.encode(bytes.get(..whole).unwrap_or(&bytes));
    // The first group mixes the bytes before; it is dropped unless nothing stands there.
    let skip = if shift == 0 { 0 } else { 4 };
    text.get(skip..).unwrap_or_default().to_owned()
}

fn find(hay: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let rest = hay.get(from..)?;
    let place = rest.windows(needle.len()).position(|window| window == needle)?;
    Some(from.saturating_add(place))
}
