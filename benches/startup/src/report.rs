//! The figures as Markdown, and what they are meant to reach. A missed aim is shown, never an error.

use std::{fmt::Write as _, time::Duration};

use crate::contender::Figure;

/// How much sooner Holm is meant to say its version than codex.
const OVER_CODEX: f64 = 4.0;
/// The most memory that this is meant to take.
const MEMORY: f64 = 8.0 * 1024.0 * 1024.0;
/// How large the binary may be.
const SIZE: f64 = 40e6;

/// The whole report.
pub fn markdown(figures: &[Figure], not_measured: &[(&str, String)]) -> String {
    let mut out = String::from(
        "| program | `--version`, quickest ms | median | memory MiB | first request, quickest ms | median | size MB |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for figure in figures {
        let (version, request) = (figure.version, figure.request);
        let memory = figure.memory as f64 / (1024.0 * 1024.0);
        let size = figure.size as f64 / 1e6;
        writeln!(
            out,
            "| {} | {:.2} | {:.2} | {memory:.1} | {:.1} | {:.1} | {size:.1} |",
            figure.name,
            ms(version.0),
            ms(version.1),
            ms(request.0),
            ms(request.1)
        )
        .unwrap_or_default();
    }
    out.push('\n');
    for (name, why) in not_measured {
        writeln!(out, "- {name} could not be measured: {why}").unwrap_or_default();
    }
    let find = |name: &str| figures.iter().find(|figure| figure.name == name);
    let ratio = find("holm").zip(find("codex")).map(|(holm, codex)| {
        codex.version.0.as_secs_f64() / holm.version.0.as_secs_f64().max(f64::MIN_POSITIVE)
    });
    let mut aim = |what: &str, measured: Option<(String, bool)>| {
        let text = measured.map_or("not measured".into(), |(measured, met)| {
            format!("{measured}, {}", if met { "met" } else { "missed" })
        });
        writeln!(out, "- {what}: {text}").unwrap_or_default();
    };
    aim(
        "times sooner with its version than codex (at least 4)",
        ratio.map(|ratio| (format!("{ratio:.2}"), ratio >= OVER_CODEX)),
    );
    let within =
        |value: u64, most: f64, unit: f64| (format!("{:.1}", value as f64 / unit), value as f64 <= most);
    let holm = find("holm");
    aim("MiB of memory for that (at most 8)", holm.map(|holm| within(holm.memory, MEMORY, 1024.0 * 1024.0)));
    aim("MB of binary without local inference (at most 40)", holm.map(|holm| within(holm.size, SIZE, 1e6)));
    out
}

/// The same for a program: milliseconds and bytes.
pub fn json(figures: &[Figure]) -> String {
    let figures: Vec<String> = figures
        .iter()
        .map(|figure| {
            format!(
                "{{\"system\":\"{}\",\"version_ms\":{:.3},\"version_median_ms\":{:.3},\"memory\":{},\"request_ms\":{:.3},\
                 \"request_median_ms\":{:.3},\"size\":{}}}",
                figure.name,
                ms(figure.version.0),
                ms(figure.version.1),
                figure.memory,
                ms(figure.request.0),
                ms(figure.request.1),
                figure.size
            )
        })
        .collect();
    format!("{{\"figures\":[{}]}}\n", figures.join(","))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests;
