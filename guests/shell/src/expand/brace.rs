//! Brace expansion: `{a,b}` and `{1..9}` turn one written word into several.

use brush_parser::ParserOptions;
use brush_parser::word::{BraceExpressionMember, BraceExpressionOrText, parse_brace_expansions};

/// The most words that one word becomes.
const MAX_WORDS: usize = 100_000;

/// All words that a word with braces stands for; the word itself if it has none.
pub(crate) fn braces(word: &str, options: &ParserOptions) -> Vec<String> {
    // Two dots or a comma make braces mean something; `${` alone does not.
    if !word.contains('{') || !(word.contains(',') || word.contains("..")) {
        return vec![word.to_owned()];
    }
    match parse_brace_expansions(word, options) {
        Ok(Some(pieces)) => product(&pieces),
        Ok(None) | Err(_) => vec![word.to_owned()],
    }
}

fn product(pieces: &[BraceExpressionOrText]) -> Vec<String> {
    let mut words = vec![String::new()];
    for piece in pieces {
        let choices = match piece {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => members.iter().flat_map(member).take(MAX_WORDS).collect(),
        };
        words = words
            .iter()
            .flat_map(|word| choices.iter().map(move |choice| format!("{word}{choice}")))
            .take(MAX_WORDS)
            .collect();
    }
    words
}

fn member(member: &BraceExpressionMember) -> Vec<String> {
    match member {
        BraceExpressionMember::Child(pieces) => product(pieces),
        BraceExpressionMember::NumberSequence { start, end, increment } => {
            span(*start, *end, *increment).map(|number| number.to_string()).collect()
        }
        BraceExpressionMember::CharSequence { start, end, increment } => {
            span(i64::from(u32::from(*start)), i64::from(u32::from(*end)), *increment)
                .filter_map(|code| char::from_u32(u32::try_from(code).ok()?))
                .map(String::from)
                .collect()
        }
    }
}

/// The numbers from one to another, upwards or downwards.
fn span(start: i64, end: i64, step: i64) -> impl Iterator<Item = i64> {
    let step = step.unsigned_abs().max(1);
    let count = start.abs_diff(end) / step;
    (0..=count).take(MAX_WORDS).map(move |index| {
        let distance = i64::try_from(index.saturating_mul(step)).unwrap_or(i64::MAX);
        if start <= end { start.saturating_add(distance) } else { start.saturating_sub(distance) }
    })
}
