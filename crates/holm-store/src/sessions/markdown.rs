//! A session to read: who said what, which tools ran, and what came of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use holm_kernel::{
    Block, Effect, Event, Input, ModelResult, Outcome, Prompt, Reply, Seq, ToolOutput, ToolResult,
    journal::{self, Record},
};

use super::list::Session;
use crate::Day;

/// Writes a session as Markdown. What people, models and tools said stands as it is, in quotes or fences that it
/// cannot break out of.
pub(crate) fn write(session: &Session, records: &[Record]) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = writeln!(out, "# {}\n", one_line(&session.title));
    let _ = writeln!(out, "- run: `{}`", session.run);
    if !session.agent.is_empty() {
        let _ = writeln!(out, "- agent: {}", one_line(&session.agent));
    }
    let _ = writeln!(out, "- model: {}", one_line(&session.model));
    let _ =
        writeln!(out, "- records: {}, last on {}", records.len(), Day::of_millis(session.updated.value()));
    if !session.tags.is_empty() {
        let _ = writeln!(out, "- tags: {}", session.tags.join(", "));
    }
    let refused = refusals(records);
    for record in records {
        match record.payload().input() {
            Ok(input) => said(&mut out, &input),
            Err(_) => {
                let _ = writeln!(out, "\n*record {} was erased or is not understood*", record.seq());
            }
        }
        for result in refused.get(&record.seq()).into_iter().flatten() {
            let _ = writeln!(out, "\n### Call of `{}` refused\n", one_line(&result.tool));
            fence(&mut out, &result.said());
        }
    }
    out
}

/// What the model was told of calls that did not run, by the record that led to it: they have no record of their own. Stops
/// where the journal cannot be folded any more, because something in it was erased.
fn refusals(records: &[Record]) -> BTreeMap<Seq, Vec<ToolResult>> {
    let ended = |record: &Record| match record.payload().input() {
        Ok(Input::ToolFinished { call, .. } | Input::ChildFinished { call, .. }) => Some(call),
        Ok(_) | Err(_) => None,
    };
    let ended: BTreeSet<_> = records.iter().filter_map(ended).collect();
    let (mut refused, mut found) = (BTreeSet::new(), BTreeMap::<Seq, Vec<ToolResult>>::new());
    let told = |seq: Seq, effect: &Effect| {
        let Effect::Emit(event) = effect else { return };
        match &event.event {
            Event::CallFinished { call, id, outcome: Outcome::Refused, .. } if !ended.contains(call) => {
                refused.insert(id.to_string());
            }
            Event::MessageAdded { message } => {
                for block in &message.blocks {
                    let Block::ToolResult(result) = block else { continue };
                    // Ids are the provider's, and may come again.
                    if refused.remove(&result.call) {
                        found.entry(seq).or_default().push(result.clone());
                    }
                }
            }
            _ => {}
        }
    };
    // What was found before the fold stopped is still true.
    let _ = journal::replay_with(records, told);
    found
}

fn said(out: &mut String, input: &Input) {
    match input {
        Input::Prompted(prompt) => person(out, "Prompt", prompt),
        Input::Steered(prompt) => person(out, "Prompt, meanwhile", prompt),
        Input::FollowedUp(prompt) => person(out, "Prompt, for afterwards", prompt),
        Input::ModelFinished { result, .. } => answer(out, "Answer", result),
        Input::Summarised { result, .. } => answer(out, "Summary", result),
        Input::ToolFinished { result, .. } => output(out, "Result", result),
        Input::ChildFinished { result, .. } => output(out, "Result of a child", &result.output),
        Input::Cancelled { reason } => {
            let _ = writeln!(out, "\n*cancelled* {}", one_line(reason));
        }
        Input::Resumed { host } => {
            let _ = writeln!(out, "\n*resumed by* {}", one_line(host));
        }
        Input::Started(_)
        | Input::Judged { .. }
        | Input::Consulted { .. }
        | Input::Dispatched { .. }
        | Input::Checked { .. }
        | Input::ChildStarted { .. }
        | Input::ToolsChanged(_)
        | Input::ModeChanged(_)
        | Input::GrantsChanged(_)
        | Input::BudgetChanged(_)
        | Input::TimePassed => {}
    }
}

fn person(out: &mut String, heading: &str, prompt: &Prompt) {
    let _ = writeln!(out, "\n## {heading}\n");
    blocks(out, &prompt.blocks);
}

fn answer(out: &mut String, heading: &str, result: &ModelResult) {
    match result {
        ModelResult::Replied(reply) => reply_text(out, heading, reply),
        ModelResult::Aborted(reply) => reply_text(out, &format!("{heading} (stopped)"), reply),
        ModelResult::Failed(failure) => {
            let _ = writeln!(out, "\n*the model failed:* {}", one_line(&failure.message));
        }
    }
}

fn reply_text(out: &mut String, heading: &str, reply: &Reply) {
    let _ = writeln!(out, "\n## {heading}\n");
    blocks(out, &reply.blocks);
}

fn output(out: &mut String, heading: &str, result: &ToolOutput) {
    let how = match result.outcome {
        Outcome::Succeeded => "",
        Outcome::Failed => " (failed)",
        Outcome::Refused => " (refused)",
        Outcome::Unknown => " (outcome unknown)",
        Outcome::Stopped => " (stopped)",
    };
    let _ = writeln!(out, "\n### {heading}{how}\n");
    if let Some(spill) = &result.spill {
        fence(out, &format!("{}\n…\n{}", spill.head, spill.tail));
        let _ = writeln!(out, "\n{} bytes, kept as `{}`", spill.bytes, spill.sha256);
    } else {
        fence(out, &result.text);
    }
    blocks(out, &result.parts);
}

fn blocks(out: &mut String, blocks: &[Block]) {
    for block in blocks {
        match block {
            Block::Text(text) => quote(out, text),
            Block::ToolCall(call) => {
                let _ = writeln!(out, "\n### Call of `{}`\n", one_line(&call.name));
                fence(out, &call.arguments);
            }
            Block::ToolResult(result) => fence(out, &result.text),
            Block::Image(media) | Block::File(media) => {
                let name = media.name.as_deref().unwrap_or("a file");
                let _ = writeln!(out, "*{} ({})*", one_line(name), one_line(&media.media_type));
            }
            Block::Thinking(_) | Block::Custom(_) => {}
        }
    }
}

/// Every line in a quote: no heading, fence or HTML block of the text ends it.
fn quote(out: &mut String, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "> {line}");
    }
}

/// A fence longer than any in the text.
fn fence(out: &mut String, text: &str) {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let _ = writeln!(out, "{fence}\n{}\n{fence}", text.trim_end_matches('\n'));
}

fn one_line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect()
}

#[cfg(test)]
mod tests;
