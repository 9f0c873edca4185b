//! `holm usage`: shows what sessions have used, and how much of it the providers' prompt caches
//! served. It only prints: the sums come from `holm-store`, amounts are written by `money.rs`, and
//! cache rates by `cache_rate.rs`. A cost without a known price is not shown as zero, unless all
//! tokens are estimates, as those of a script are.

use std::path::Path;

use clap::ValueEnum;
use holm::kernel::NanoUsd;
use holm::store::{UsageGrouping, UsageLine, UsageQuery, UsageTally};
use serde_json::json;

use super::session;
use crate::{
    cache_rate,
    exit::CommandExit,
    holm_paths,
    money::{self, CostCompleteness},
    screen::TerminalOutput,
    session_name,
};

/// Arguments of `holm usage`.
#[derive(Debug, clap::Args)]
pub(crate) struct UsageArgs {
    /// What to group the totals by
    #[arg(long, value_enum, default_value_t = UsageBy::Model)]
    by: UsageBy,
    /// Show only the usage of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UsageBy {
    Model,
    Session,
    Tool,
    Day,
    Agent,
}

impl From<UsageBy> for UsageGrouping {
    fn from(by: UsageBy) -> Self {
        match by {
            UsageBy::Model => Self::Model,
            UsageBy::Session => Self::Session,
            UsageBy::Tool => Self::Tool,
            UsageBy::Day => Self::Day,
            UsageBy::Agent => Self::Agent,
        }
    }
}

pub(crate) async fn execute(args: UsageArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let store = holm_paths::store_to_read(&holm_paths::data_here(data)?).await?;
    let session = match args.session {
        Some(session) => Some(session_name::resolve(&store, session).await?),
        None => None,
    };
    let query = UsageQuery { run: session, ..UsageQuery::default() };
    let lines = store.usage(args.by.into(), &query).await?;
    if let Some(session) = query.run.as_deref().filter(|_| lines.is_empty()) {
        store.has_record(session, 0).await.map_err(|error| session::missing_journal(error.into()))?;
    }
    let screen = TerminalOutput::default();
    if args.json {
        screen.line(&json!({ "lines": lines }).to_string());
    } else if lines.is_empty() {
        screen.note("holm: no usage recorded");
    } else {
        screen.answer(&table(&lines, args.by));
    }
    Ok(CommandExit::Done)
}

fn table(lines: &[UsageLine], by: UsageBy) -> String {
    let rows: Vec<Vec<String>> = if by == UsageBy::Tool {
        let head = ["tool", "calls", "failed", "seconds", "bytes"].map(str::to_owned).to_vec();
        std::iter::once(head).chain(lines.iter().map(tool_row)).collect()
    } else {
        let head = ["", "calls", "tokens in", "cache rate", "tokens out", "cost", "cache breaks"];
        std::iter::once(head.map(str::to_owned).to_vec()).chain(lines.iter().map(model_row)).collect()
    };
    let columns = rows.first().map_or(0, Vec::len);
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let cell = |(at, (text, width)): (usize, (&String, &usize))| {
        if at == 0 || at == columns - 1 { format!("{text:<width$}") } else { format!("{text:>width$}") }
    };
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn tool_row(line: &UsageLine) -> Vec<String> {
    let UsageTally { calls, failed, millis, bytes, .. } = line.tally;
    let seconds = format!("{}.{}", millis / 1_000, millis % 1_000 / 100);
    vec![line.name.clone(), calls.to_string(), failed.to_string(), seconds, bytes.to_string()]
}

fn model_row(line: &UsageLine) -> Vec<String> {
    let UsageTally { calls, tokens, cost, unpriced, breaks, .. } = line.tally;
    vec![
        line.name.clone(),
        calls.to_string(),
        tokens.input.to_string(),
        cache_rate::rate(tokens).unwrap_or_else(|| "-".into()),
        tokens.output.to_string(),
        shown_cost(cost, unpriced, tokens),
        cache_rate::breaks(breaks),
    ]
}

fn shown_cost(cost: NanoUsd, unpriced: u64, tokens: holm::kernel::Usage) -> String {
    let priced = if unpriced > 0 { CostCompleteness::InPart } else { CostCompleteness::Whole };
    if tokens.total() == tokens.estimated { money::show(cost) } else { priced.show(cost, tokens) }
}

#[cfg(test)]
mod tests {
    use holm::{kernel::Usage, runtime::CacheBreaks};

    use super::*;

    #[test]
    fn a_line_has_its_cache_rate_and_its_breaks_with_their_causes() {
        let tokens = Usage { input: 2_000, cached: 1_900, output: 30, ..Usage::default() };
        let breaks = CacheBreaks { compaction: 1, model: 1, ..CacheBreaks::default() };
        let tally =
            UsageTally { calls: 12, tokens, cost: NanoUsd::new(5_000_000), breaks, ..UsageTally::default() };
        let lines = [UsageLine { name: "openai/gpt-5".into(), tally }];
        insta::assert_snapshot!(table(&lines, UsageBy::Model), @r"
                      calls  tokens in  cache rate  tokens out    cost  cache breaks
        openai/gpt-5     12       2000      95.0 %          30  $0.005  2 (model 1, compaction 1)
        ");
        let tally = UsageTally { calls: 3, failed: 1, millis: 1_250, bytes: 90, ..UsageTally::default() };
        let lines = [UsageLine { name: "read".into(), tally }];
        insta::assert_snapshot!(table(&lines, UsageBy::Tool), @r"
        tool  calls  failed  seconds  bytes
        read      3       1      1.2  90
        ");
    }
}
