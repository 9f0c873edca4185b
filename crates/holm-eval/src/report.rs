//! Results for other programs and for people: `JUnit` XML and Markdown.

use crate::{AttemptResult, AttemptVerdict, EvalComparison, PassRate};

/// The results as `JUnit` XML, a test for each attempt.
#[must_use]
pub fn junit(results: &[&AttemptResult]) -> String {
    let count = |verdict: AttemptVerdict| results.iter().filter(|result| result.verdict == verdict).count();
    let time: f64 = results.iter().map(|result| result.seconds).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!(
        "<testsuite name=\"holm eval\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{time:.3}\">\n",
        results.len(),
        count(AttemptVerdict::Failed),
        count(AttemptVerdict::Error),
    ));
    for result in results {
        let name = format!("{} {}", result.model, result.attempt);
        out.push_str(&format!(
            "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
            escaped(&result.case),
            escaped(&name),
            result.seconds
        ));
        let element = match result.verdict {
            AttemptVerdict::Passed | AttemptVerdict::Changed => None,
            AttemptVerdict::Failed => Some("failure"),
            AttemptVerdict::Error => Some("error"),
        };
        match element {
            None => out.push_str("/>\n"),
            Some(element) => {
                let failures = result.failures();
                let first = failures.first().map(|line| line.lines().next().unwrap_or_default());
                let text = escaped(&failures.join("\n"));
                let message = escaped(first.unwrap_or_default());
                out.push_str(&format!(
                    ">\n    <{element} message=\"{message}\">{text}</{element}>\n  </testcase>\n"
                ));
            }
        }
    }
    out.push_str("</testsuite>\n");
    out
}

/// A text in XML. Characters that XML does not allow are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push('\t'),
            character if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            character => out.push(character),
        }
    }
    out
}

/// A comparison as Markdown.
#[must_use]
pub fn markdown(names: (&str, &str), comparison: &EvalComparison) -> String {
    let rate = |rate: &PassRate| {
        let (low, high) = rate.interval;
        format!(
            "{} of {} ({:.0} %, 95 %: {:.0} to {:.0})",
            rate.passed,
            rate.attempts,
            100.0 * rate.rate(),
            100.0 * low,
            100.0 * high
        )
    };
    let (first, second) = (&comparison.means.0, &comparison.means.1);
    let mut out = format!("| | {} | {} |\n|---|---|---|\n", cell(names.0), cell(names.1));
    let mut row =
        |name: &str, one: String, two: String| out.push_str(&format!("| {name} | {one} | {two} |\n"));
    row("passed", rate(&comparison.rates.0), rate(&comparison.rates.1));
    row("cost, mean", format!("${:.4}", first.cost_usd), format!("${:.4}", second.cost_usd));
    row("tokens, mean", format!("{:.0}", first.tokens), format!("{:.0}", second.tokens));
    row("turns, mean", format!("{:.1}", first.turns), format!("{:.1}", second.turns));
    row("seconds, mean", format!("{:.1}", first.seconds), format!("{:.1}", second.seconds));
    let paired = &comparison.paired;
    let (low, high) = paired.interval;
    out.push_str(&format!(
        "\nOf {} pairs, {} passed only before and {} only now: {:+.1} points (95 %: {:+.1} to {:+.1}).\n",
        paired.pairs,
        paired.lost,
        paired.won,
        100.0 * paired.difference,
        100.0 * low,
        100.0 * high
    ));
    if !comparison.broken.is_empty() {
        out.push_str(&format!("\nBroken: {}.\n", comparison.broken.join(", ")));
    }
    if !comparison.changed.is_empty() {
        out.push_str(&format!(
            "\nCases that changed between the two evaluations: {}.\n",
            comparison.changed.join(", ")
        ));
    }
    for (call, attempts) in &comparison.lost_by_call {
        out.push_str(&format!("\n- {}: {}\n", cell(call), attempts.join(", ")));
    }
    out
}

/// A text in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
