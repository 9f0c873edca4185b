//! The plausibility rules of agent.rs, with its reason texts.
//!
//! They refuse true answers such as `7` or the silence of `mkdir`, which is why they are not Holm's
//! rules. They are kept to the letter for runs that must decide as agent.rs did.

/// The name that agent.rs gives to this guard.
pub(super) const GUARD: &str = "plausibility_guard";

/// Fewer bytes than this never counted as an answer.
const MIN_BYTES: usize = 3;

/// The reason to reject a successful output, if there is one.
pub(super) fn examine(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Some("Tool output is empty - no data returned");
    }
    if is_total_line(text) {
        return Some("Tool output contains only metadata (e.g. 'total' line), not actual data");
    }
    if text.len() < MIN_BYTES || !text.chars().any(char::is_alphanumeric) {
        return Some("Tool output lacks substantive content");
    }
    None
}

/// Exactly one line, and on it exactly `total` and ASCII digits.
fn is_total_line(text: &str) -> bool {
    if text.lines().count() != 1 {
        return false;
    }
    let mut words = text.split_whitespace();
    let (Some(total), Some(digits), None) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    total.eq_ignore_ascii_case("total") && digits.chars().all(|c| c.is_ascii_digit())
}
