//! How much of a session's prompts the providers' caches served, in words.

use holm::{
    kernel::Usage,
    runtime::{CacheBreakCause, CacheBreaks},
};

/// The share of the prompt tokens that came from a cache; `None` without a prompt.
pub(crate) fn rate(usage: Usage) -> Option<String> {
    let milli = usage.cached.saturating_mul(1_000).checked_div(usage.input)?;
    Some(format!("{}.{} %", milli / 10, milli % 10))
}

/// The breaks with their causes: `2 (compaction 1, tools 1)`, or `0`.
pub(crate) fn breaks(breaks: CacheBreaks) -> String {
    let causes: Vec<String> = CacheBreakCause::ALL
        .into_iter()
        .filter(|cause| breaks.of(*cause) > 0)
        .map(|cause| format!("{} {}", cause.as_str(), breaks.of(cause)))
        .collect();
    if causes.is_empty() { "0".into() } else { format!("{} ({})", breaks.total(), causes.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_one_digit_and_breaks_have_their_causes() {
        assert_eq!(rate(Usage::default()), None);
        assert_eq!(rate(Usage { input: 1_000, cached: 971, ..Usage::default() }).unwrap(), "97.1 %");
        assert_eq!(breaks(CacheBreaks::default()), "0");
        let some = CacheBreaks { compaction: 2, tools: 1, tokens: 9, ..CacheBreaks::default() };
        assert_eq!(breaks(some), "3 (compaction 2, tools 1)");
    }
}
