//! The encodings in which a known secret can appear in a text.
//!
//! Case does not matter to the search, so `%2F` and `%2f`, or hex in capitals, are one form. A new
//! encoding is added here; searching is in `secrets/finder.rs`. Short forms are left out, because
//! they would match ordinary words. Keys without a name are found by `secrets/shapes.rs`.

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE},
};

/// Shorter forms are ignored: they would match ordinary words, and a secret that short
/// is not safe anyway.
pub(super) const SHORTEST: usize = 8;

/// A line of a longer secret is searched separately from this length on; shorter lines
/// are headings and padding.
const TELLING_LINE: usize = 16;

/// Only this many bytes of a longer secret are searched as one piece; its lines are searched
/// anyway. The search keeps every form in memory.
const LONGEST: usize = 4096;

/// Every form of a secret that is searched.
pub(super) fn forms_of(secret: &str) -> Vec<String> {
    let mut forms = Vec::new();
    add(secret, &mut forms);
    let lines = secret.lines().map(str::trim).filter(|line| line.len() >= TELLING_LINE && *line != secret);
    lines.for_each(|line| add(line, &mut forms));
    forms.retain(|form| form.len() >= SHORTEST);
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn add(secret: &str, forms: &mut Vec<String>) {
    let end = secret.floor_char_boundary(LONGEST);
    let secret = secret.get(..end).unwrap_or(secret);
    let json = json(secret);
    forms.extend([
        secret.to_owned(),
        // Programs differ in what they leave unencoded in a URL; these are the sets in use.
        percent(secret, "-._~"),
        percent(secret, "-._~/"),
        percent(secret, "-._~!'()*"),
        percent(secret, "-._*").replace("%20", "+"),
        json.replace('/', "\\/"),
        json_in_json(&json),
        json,
        html(secret),
        secret.bytes().map(|byte| format!("{byte:02x}")).collect(),
    ]);
    for shift in 0..3 {
        forms.push(inner_base64(&STANDARD, secret, shift));
        forms.push(inner_base64(&URL_SAFE, secret, shift));
    }
}

fn percent(secret: &str, kept: &str) -> String {
    let mut out = String::with_capacity(secret.len());
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The text inside the quotes of a JSON string.
pub(super) fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

fn json_in_json(once: &str) -> String {
    json(once)
}

fn html(secret: &str) -> String {
    secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The characters of the secret's base64 form that do not depend on the text around it, if `shift`
/// bytes (modulo 3) come before it.
fn inner_base64(engine: &impl Engine, secret: &str, shift: usize) -> String {
    let mut bytes = vec![0; shift];
    bytes.extend_from_slice(secret.as_bytes());
    let complete_len = bytes.len() / 3 * 3;
    let text = engine.encode(bytes.get(..complete_len).unwrap_or(&bytes));
    // The first group depends on the bytes before; it is dropped unless there are none.
    let skip = if shift == 0 { 0 } else { 4 };
    text.get(skip..).unwrap_or_default().to_owned()
}
