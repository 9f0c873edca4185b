//! `holm session search`: finds words in conversations. The index and the rules of matching are in
//! `holm-store`; this file quotes the words and prints the hits. Prompts, answers and the results
//! of tools are searched, and no files of a project.

use holm::store::{SearchHit, Store, StoreError, TextKind};

use super::list::date;
use crate::{
    exit::{CommandError, CommandExit},
    screen::TerminalOutput,
};

/// Arguments of `holm session search`.
#[derive(Debug, clap::Args)]
pub(crate) struct SessionSearchArgs {
    /// Words that must occur in the same record, in any letter case; words in quotation marks must
    /// be adjacent
    #[arg(required = true)]
    words: Vec<String>,
    /// Maximum number of records
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Prints the records that hold every word, those of the latest sessions first.
pub(super) async fn search(
    store: &Store,
    screen: &TerminalOutput,
    args: &SessionSearchArgs,
) -> anyhow::Result<CommandExit> {
    let found = store.search(&query(&args.words), args.limit).await.map_err(|error| match error {
        StoreError::TooShort { .. } => {
            anyhow::Error::new(CommandError::new(CommandExit::Usage, error.to_string()))
        }
        other => other.into(),
    })?;
    if args.json {
        for hit in &found {
            screen.line(&serde_json::to_string(hit)?);
        }
        return Ok(CommandExit::Done);
    }
    if found.is_empty() {
        screen.note("holm: no matches");
    }
    let width = found.iter().map(|hit| hit.run.len()).max().unwrap_or(0);
    for hit in &found {
        screen.answer(&row(width, hit));
    }
    Ok(CommandExit::Done)
}

/// An argument with blanks was quoted for the shell, so it is meant to stand together.
fn query(words: &[String]) -> String {
    let quoted = |word: &String| {
        let is_one = !word.contains(char::is_whitespace) || word.contains('"');
        if is_one { word.clone() } else { format!("\"{word}\"") }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// One record on one line.
fn row(width: usize, hit: &SearchHit) -> String {
    let who = match hit.kind {
        TextKind::Prompt => "prompt",
        TextKind::Answer => "answer",
        TextKind::Tool => "tool",
    };
    let (seq, at) = (hit.seq.value(), date(hit.at));
    format!("{:width$}  {seq:>5}  {at:16}  {who:6}  {}", hit.run, hit.excerpt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_kept_together_stands_together() {
        let check = |words: &[&str], expect: &str| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(query(&words), expect);
        };
        check(&["red", "boat"], "red boat");
        check(&["red boat", "sea"], "\"red boat\" sea");
        check(&["red \"blue boat\""], "red \"blue boat\"");
    }
}
