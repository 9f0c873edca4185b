//! Writes a session as Markdown for people: who said what, which tools ran, and how it ended.
//!
//! It reads no store (`sessions/export.rs` does), and nothing reads its text back. Texts of users,
//! models and tools are in quotes or fences that they cannot break out of. Facts that are not in
//! a record, such as results of refused calls, come from a replay; withheld prompts come from
//! `sessions/withheld_prompts.rs`.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt::Write as _,
};

use holm_kernel::{
    Answer, Author, Block, Effect, Event, Input, Ladder, MessageId, ModelCallId, ModelResult, NextTry,
    Outcome, Patch, Prompt, QuestionId, Reply, Role, Seq, ToolCallId, ToolOutput, ToolResult, Verdict,
    journal::{self, JournalRecord},
    plain_text,
};

use super::{
    list::StoredSession,
    withheld_prompts::{WithheldPrompt, withheld},
};
use crate::UtcDay;

/// Writes a session as Markdown. Texts of users, models and tools stay unchanged, in quotes or
/// fences that they cannot break out of.
pub(crate) fn write(session: &StoredSession, records: &[JournalRecord]) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = writeln!(out, "# {}\n", one_line(&session.title));
    let _ = writeln!(out, "- run: `{}`", session.run);
    if !session.agent.is_empty() {
        let _ = writeln!(out, "- agent: {}", one_line(&session.agent));
    }
    let _ = writeln!(out, "- model: {}", one_line(&session.model));
    let _ =
        writeln!(out, "- records: {}, last on {}", records.len(), UtcDay::of_millis(session.updated.value()));
    if !session.tags.is_empty() {
        let _ = writeln!(out, "- tags: {}", session.tags.join(", "));
    }
    let mut details = ReplayDetails::of(records);
    let mut telling = SessionMarkdown {
        withheld: withheld(records),
        heard: std::mem::take(&mut details.heard),
        added: Vec::new(),
        calls: std::mem::take(&mut details.calls),
        labels: BTreeMap::new(),
        turns: std::mem::take(&mut details.turns),
    };
    for record in records {
        if let Some(result) = details.stopped.remove(&record.seq()) {
            telling.answer(&mut out, &result);
        }
        match record.payload().input() {
            Ok(_) if details.moved.contains(&record.seq()) => {}
            Ok(input) => telling.write_input(&mut out, &input, record.seq()),
            Err(_) => {
                let _ = writeln!(out, "\n*record {} was erased or is not understood*", record.seq());
            }
        }
        for result in details.results.remove(&record.seq()).into_iter().flatten() {
            let how = if result.outcome == Outcome::Refused { "refused" } else { "answered" };
            let label = telling.labels.get(&result.call).map(|label| format!(" {label},"));
            let label = label.unwrap_or_else(|| " of".to_owned());
            let _ = writeln!(out, "\n### Call{label} `{}` {how}\n", one_line(&result.tool));
            fence(&mut out, result.said());
        }
        for climb in details.climbs.remove(&record.seq()).into_iter().flatten() {
            let _ = writeln!(out, "\n*{}*", one_line(&climb));
        }
    }
    out
}

/// Facts that only a fold of the journal shows, by the record that caused them.
#[derive(Default)]
struct ReplayDetails {
    /// The results that the model was given for calls that did not run: refused calls, and calls
    /// that the kernel answers.
    results: BTreeMap<Seq, Vec<ToolResult>>,
    /// Which model took over from which.
    climbs: BTreeMap<Seq, Vec<String>>,
    /// The users' messages, in the order in which the run received them.
    heard: VecDeque<(MessageId, String)>,
    /// Replies that a cancel stopped, by the record of the cancel: the user read them before it.
    stopped: BTreeMap<Seq, ModelResult>,
    /// The records of these replies, which come after the cancel.
    moved: BTreeSet<Seq>,
    calls: CallIds,
    /// The numbers of the turns that prompts began, by the records of the prompts.
    turns: BTreeMap<Seq, u64>,
}

/// Whose results and questions are whose. Records name calls and questions by the run's own ids,
/// replies name calls by the provider's.
#[derive(Default)]
struct CallIds {
    provider: BTreeMap<ToolCallId, String>,
    asked: BTreeMap<QuestionId, ToolCallId>,
    tools: BTreeMap<ToolCallId, String>,
}

impl ReplayDetails {
    /// Folds the journal. Stops at the first record that cannot be folded because data
    /// in it was erased.
    fn of(records: &[JournalRecord]) -> Self {
        let ended = |record: &JournalRecord| match record.payload().input() {
            Ok(Input::ToolFinished { call, .. } | Input::ChildFinished { call, .. }) => {
                Some((call, record.seq()))
            }
            Ok(_) | Err(_) => None,
        };
        let ended: BTreeMap<_, _> = records.iter().filter_map(ended).collect();
        let (mut alone, mut details) = (BTreeSet::new(), Self::default());
        let mut withdrawn = BTreeMap::new();
        let each = |seq: Seq, effect: &Effect| {
            let event = match effect {
                Effect::Emit(event) => event,
                Effect::Judge(proposal) => {
                    details.calls.asked.insert(proposal.call, proposal.tool_call);
                    return;
                }
                _ => return,
            };
            match &event.event {
                Event::CallFinished { call, id, .. } => {
                    details.calls.provider.insert(*call, id.to_string());
                }
                Event::CallProposed { call, tool, .. } => {
                    details.calls.tools.insert(*call, tool.to_string());
                }
                Event::GroupStarted { group } => {
                    details.turns.insert(seq, *group);
                }
                _ => {}
            }
            match &event.event {
                // A background call is answered when it begins, and has its own record when it
                // ends.
                Event::CallFinished { call, id, .. } if ended.get(call).is_none_or(|at| *at > seq) => {
                    alone.insert(id.to_string());
                }
                Event::Withdrawn { call } => {
                    withdrawn.insert(*call, seq);
                }
                Event::MessageAdded { message } => {
                    if message.role == Role::User && message.author == Author::Speaker {
                        details.heard.push_back((message.id, message.plain_text()));
                    }
                    for block in &message.blocks {
                        let Block::ToolResult(result) = block else { continue };
                        // Ids are the provider's, and may come again.
                        if alone.remove(&result.call) {
                            details.results.entry(seq).or_default().push(result.clone());
                        }
                    }
                }
                Event::SteppedUp { from, to, reason, .. } => {
                    let climb = format!("{from} was not up to it ({reason}); {to} took over");
                    details.climbs.entry(seq).or_default().push(climb);
                }
                Event::ModelFailed { message, next: NextTry::Fallback { model }, .. } => {
                    let fallback = format!("the model failed ({message}); {model} took over");
                    details.climbs.entry(seq).or_default().push(fallback);
                }
                Event::LadderExhausted { model, reason, .. } => {
                    let end = format!(
                        "{model} was not up to it ({reason}), and no stronger model \
                        was left"
                    );
                    details.climbs.entry(seq).or_default().push(end);
                }
                _ => {}
            }
        };
        // Facts that were found before the fold stopped are still true.
        let _ = journal::replay_with(records, each);
        details.find_stopped(records, &withdrawn);
        details
    }

    /// Finds the replies that were withdrawn by a cancel and arrived after it.
    fn find_stopped(&mut self, records: &[JournalRecord], withdrawn: &BTreeMap<ModelCallId, Seq>) {
        let mut cancels = BTreeSet::new();
        for record in records {
            match record.payload().input() {
                Ok(Input::Cancelled { .. }) => {
                    cancels.insert(record.seq());
                }
                Ok(Input::ModelFinished { call, result: result @ ModelResult::Aborted(_) }) => {
                    let Some(cancel) = withdrawn.get(&call).filter(|at| cancels.contains(at)) else {
                        continue;
                    };
                    self.stopped.insert(*cancel, result);
                    self.moved.insert(record.seq());
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
}

/// A session while it is written.
struct SessionMarkdown {
    /// The prompts that the model never read.
    withheld: Vec<WithheldPrompt>,
    /// Messages of users that are not written yet.
    heard: VecDeque<(MessageId, String)>,
    /// What hooks added last. They add it to every request, and it is shown once.
    added: Vec<Block>,
    calls: CallIds,
    /// What calls of a reply with several of them are called, by the provider's ids.
    labels: BTreeMap<String, String>,
    /// The numbers of the turns that prompts began, by the records of the prompts.
    turns: BTreeMap<Seq, u64>,
}

impl SessionMarkdown {
    fn write_input(&mut self, out: &mut String, input: &Input, seq: Seq) {
        match input {
            Input::Prompted(prompt) => {
                let number = self.turns.get(&seq).map(|number| format!(" {number}")).unwrap_or_default();
                self.person(out, &format!("Prompt{number}"), prompt);
            }
            Input::Steered(prompt) => self.person(out, "Prompt, meanwhile", prompt),
            Input::FollowedUp(prompt) => self.person(out, "Prompt, for afterwards", prompt),
            Input::ModelFinished { result, .. } => self.answer(out, result),
            Input::Summarised { result, .. } => answer(out, "Summary", result, &BTreeMap::new()),
            Input::ToolFinished { call, result } => {
                output(out, &format!("Result{}", self.of_call(*call)), result);
            }
            Input::ChildFinished { call, result } => {
                output(out, &format!("Result of a child{}", self.of_call(*call)), &result.output);
            }
            Input::Cancelled { reason } => {
                let _ = writeln!(out, "\n*cancelled* {}", one_line(reason));
            }
            Input::Resumed { host } => {
                let _ = writeln!(out, "\n*resumed by* {}", one_line(host));
            }
            Input::Judged { verdict: Verdict::Rewrite { arguments }, .. } => {
                let _ = writeln!(out, "\n*a hook gave the call other arguments:*\n");
                fence(out, arguments);
            }
            Input::Judged { call, verdict: Verdict::Allow { grants, .. } } => {
                let grants: Vec<String> = grants.iter().map(ToString::to_string).collect();
                self.approved(out, *call, &grants);
            }
            Input::Consulted { answer, .. } => self.hooked(out, answer, seq),
            Input::Started(started) => begun(out, started.config.ladder.as_ref()),
            Input::Judged { .. }
            | Input::Dispatched { .. }
            | Input::Checked { .. }
            | Input::ChildStarted { .. }
            | Input::ToolsChanged(_)
            | Input::ModeChanged(_)
            | Input::Narrowed(_)
            | Input::GrantsChanged(_)
            | Input::BudgetChanged(_)
            | Input::TimePassed => {}
        }
    }

    /// Writes a reply. If it has several calls, they are numbered, because their
    /// results may come in another order.
    fn answer(&mut self, out: &mut String, result: &ModelResult) {
        self.labels.clear();
        if let ModelResult::Replied(reply) | ModelResult::Aborted(reply) = result {
            let calls = reply.blocks.iter().filter_map(|block| match block {
                Block::ToolCall(call) => Some(call),
                _ => None,
            });
            let calls: Vec<_> = calls.collect();
            if calls.len() > 1 {
                let label = |at: usize| format!("{} of {}", at + 1, calls.len());
                self.labels =
                    calls.iter().enumerate().map(|(at, call)| (call.id.clone(), label(at))).collect();
            }
        }
        answer(out, "Answer", result, &self.labels);
    }

    /// Which of several calls a result belongs to; nothing for a reply with one call.
    fn of_call(&self, call: ToolCallId) -> String {
        let label = self.calls.provider.get(&call).and_then(|id| self.labels.get(id));
        let tool = self.calls.tools.get(&call).map(|tool| format!(" (`{}`)", one_line(tool)));
        label.map(|label| format!(" of call {label}{}", tool.unwrap_or_default())).unwrap_or_default()
    }

    /// Writes that a call was approved: by a person, a flag, or an earlier answer.
    fn approved(&self, out: &mut String, question: QuestionId, grants: &[String]) {
        let call = self.calls.asked.get(&question);
        let tool = call.and_then(|call| self.calls.tools.get(call));
        let label = call.and_then(|call| self.labels.get(self.calls.provider.get(call)?));
        let label = label.map(|label| format!("call {label}, ")).unwrap_or_default();
        let tool = tool.map_or_else(|| "a call".to_owned(), |tool| format!("`{}`", one_line(tool)));
        let grants: Vec<String> = grants.iter().map(|grant| format!("`{}`", one_line(grant))).collect();
        let later =
            if grants.is_empty() { String::new() } else { format!("; also granted: {}", grants.join(", ")) };
        let _ = writeln!(out, "\n*approved:* {label}{tool}{later}");
    }

    /// Writes what hooks changed in a request, a result or a stop.
    fn hooked(&mut self, out: &mut String, answer: &Answer, seq: Seq) {
        for withheld in self.withheld.iter().filter(|withheld| withheld.record == seq) {
            let _ = writeln!(out, "\n*a hook withheld the prompt; the model read this instead:*\n");
            quote(out, if withheld.shown.is_empty() { "(nothing)" } else { &withheld.shown });
        }
        match answer {
            Answer::Patch(patches) => {
                let appended = patches.iter().filter_map(|patch| match patch {
                    Patch::Append(blocks) => Some(blocks),
                    Patch::Hide(_) | Patch::Replace { .. } => None,
                });
                let added: Vec<Block> = appended.flatten().cloned().collect();
                if !added.is_empty() && added != self.added {
                    let _ = writeln!(out, "\n*a hook added for the model:*\n");
                    blocks(out, &added);
                }
                self.added = added;
            }
            Answer::Output(result) => output(out, "Result, as a hook changed it", result),
            Answer::Continue(prompt) => {
                let _ = writeln!(out, "\n## A hook, instead of an end\n");
                blocks(out, &prompt.blocks);
            }
            Answer::Failed { reason } => {
                let _ = writeln!(out, "\n*a hook failed:* {}", one_line(reason));
            }
            Answer::Nothing | Answer::Tools(_) | Answer::Model(_) => {}
        }
    }

    fn person(&mut self, out: &mut String, heading: &str, prompt: &Prompt) {
        let text = plain_text(&prompt.blocks);
        // The same text may occur twice and be withheld once: the first one that is not written yet
        // is meant.
        let at = self.heard.iter().position(|(_, words)| *words == text);
        let message = at.and_then(|at| self.heard.remove(at));
        let is_withheld =
            message.is_some_and(|(id, _)| self.withheld.iter().any(|withheld| withheld.message == id));
        let mark = if is_withheld { " (withheld from the model by a hook)" } else { "" };
        let _ = writeln!(out, "\n## {heading}{mark}\n");
        blocks(out, &prompt.blocks);
    }
}

/// Writes why experience made the run begin above its first model, if it did.
fn begun(out: &mut String, ladder: Option<&Ladder>) {
    if let Some(ladder) = ladder.filter(|ladder| ladder.start > 0) {
        let _ = writeln!(out, "- started with a stronger model: {}", one_line(&ladder.why));
    }
}

fn answer(out: &mut String, heading: &str, result: &ModelResult, labels: &BTreeMap<String, String>) {
    match result {
        ModelResult::Replied(reply) => reply_text(out, heading, reply, labels),
        ModelResult::Aborted(reply) => reply_text(out, &format!("{heading} (stopped)"), reply, labels),
        ModelResult::Failed(failure) => {
            let _ = writeln!(out, "\n*the model failed:* {}", one_line(&failure.message));
        }
    }
}

fn reply_text(out: &mut String, heading: &str, reply: &Reply, labels: &BTreeMap<String, String>) {
    let _ = writeln!(out, "\n## {heading}\n");
    labelled_blocks(out, &reply.blocks, labels);
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
        let _ = writeln!(out, "\n{} bytes, stored as `{}`", spill.bytes, spill.sha256);
    } else {
        fence(out, &result.text);
    }
    blocks(out, &result.parts);
}

fn blocks(out: &mut String, blocks: &[Block]) {
    labelled_blocks(out, blocks, &BTreeMap::new());
}

/// Writes blocks, with what their calls are called by the provider's ids.
fn labelled_blocks(out: &mut String, blocks: &[Block], labels: &BTreeMap<String, String>) {
    for block in blocks {
        match block {
            Block::Text(text) => quote(out, text),
            Block::ToolCall(call) => {
                let label = labels.get(&call.id).map(|label| format!(" {label},"));
                let label = label.unwrap_or_else(|| " of".to_owned());
                let _ = writeln!(out, "\n### Call{label} `{}`\n", one_line(&call.name));
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
