//! The figures side by side, as Markdown and as JSON.

use std::fmt::Write as _;

use serde_json::json;

use crate::score::{Figures, Outcome, Share, Verdict, figures};

/// The verdicts of one column.
pub(crate) type Judged = (&'static str, Vec<Verdict>);

/// What a row shows of a column's figures.
type Row = fn(&Figures) -> Share;

/// The table, and below it what went wrong.
pub(crate) fn markdown(model: &str, judged: &[Judged]) -> String {
    let all: Vec<Figures> = judged.iter().map(|(_, verdicts)| figures(verdicts)).collect();
    let names: Vec<&str> = judged.iter().map(|(name, _)| *name).collect();
    let mut out = format!("| {model} | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    let rows: [(&str, Row); 5] = [
        ("valid calls", |figures| figures.valid_calls),
        ("right tool first", |figures| figures.right_tool),
        ("task success", |figures| figures.success),
        ("failures admitted", |figures| figures.honest_failures),
        ("wrong, stated as right", |figures| figures.stated_as_right),
    ];
    for (name, share) in rows {
        let cells: Vec<String> = all.iter().map(|figures| share(figures).shown()).collect();
        let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
    }
    let seconds = all
        .iter()
        .map(|figures| format!("{}.{} s", figures.mean_millis / 1000, figures.mean_millis % 1000 / 100));
    let _ = writeln!(out, "| mean time of a task | {} |", seconds.collect::<Vec<_>>().join(" | "));
    for (name, verdicts) in judged {
        let _ = writeln!(out, "\nNot right with {name}:\n");
        for verdict in verdicts.iter().filter(|verdict| verdict.outcome != Outcome::Success) {
            let how = if verdict.outcome == Outcome::HonestFailure { "admitted" } else { "stated as right" };
            let said: String =
                verdict.answer.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect();
            let _ = writeln!(
                out,
                "- {} ({how}); called {}; said: {said}",
                verdict.task,
                verdict.called.join(", ")
            );
        }
    }
    out
}

/// Everything.
pub(crate) fn json(model: &str, judged: &[Judged]) -> serde_json::Value {
    let columns: Vec<_> = judged
        .iter()
        .map(|(name, verdicts)| json!({ "column": name, "figures": figures(verdicts), "tasks": verdicts }))
        .collect();
    json!({ "model": model, "columns": columns })
}
