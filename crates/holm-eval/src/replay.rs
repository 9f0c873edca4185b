//! Compares a replay with the recording of its case, turn by turn.
//!
//! Other decisions, calls or answers are regressions. A changed prompt, tool or result is shown and
//! is no failure by itself: but a model that sees it may answer otherwise, so the recording applies
//! only up to that turn.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use crate::recording::{CaseRecording, RecordedTool, RecordingScope, lasting, shortened};
use crate::{SessionCall, SessionTranscript, SessionTurn, TextPattern};

/// The most lines of a difference that are shown.
const MAX_LINES: usize = 12;

/// How many lines of a result at its beginning and at its end say why a decision changed.
const REASON_LINES: (usize, usize) = (4, 4);

/// A difference between a recording and its replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayDifference {
    /// The turn, from 1; 0 for what the session begins with.
    pub turn: usize,
    pub kind: DifferenceKind,
    /// What differs, in plain words.
    pub what: String,
}

/// What differs between a recording and its replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// The system prompt, or a prompt of the case.
    Prompt,
    /// What the model is told of a tool.
    Tool,
    /// A call was allowed, denied, or failed otherwise than before.
    Decision,
    /// The calls of a turn.
    Call,
    /// The text of a result.
    Result,
    /// The answer, or how the run ended.
    Answer,
}

impl ReplayDifference {
    /// Whether it fails a replay by itself.
    #[must_use]
    pub const fn is_regression(&self) -> bool {
        match self.kind {
            DifferenceKind::Decision | DifferenceKind::Call | DifferenceKind::Answer => true,
            DifferenceKind::Prompt | DifferenceKind::Tool | DifferenceKind::Result => false,
        }
    }

    /// All differences, in order.
    pub(crate) fn between(
        recording: &CaseRecording,
        session: &SessionTranscript,
        varies: &[TextPattern],
    ) -> Vec<Self> {
        let mut found = Vec::new();
        let mut add = |turn, kind, what| found.push(Self { turn, kind, what });
        let has_texts = recording.scope == RecordingScope::All;
        let (old, new) = (&recording.system, lasting(&session.system));
        if has_texts && *old != new {
            add(
                0,
                DifferenceKind::Prompt,
                format!("the system prompt changed:\n{}", changed_lines(old, &new)),
            );
        }
        for (turn, what) in changed_prompts(recording, session) {
            add(turn, DifferenceKind::Prompt, what);
        }
        if has_texts {
            for what in changed_tools(&recording.tools, &session.tools) {
                add(0, DifferenceKind::Tool, what);
            }
        }
        let turns = recording.turns.len().max(session.turns.len());
        for index in 0..turns {
            match (recording.turns.get(index), session.turns.get(index)) {
                (Some(old), Some(new)) => {
                    compare_turn(old, new, varies, |kind, what| {
                        if has_texts || kind != DifferenceKind::Result {
                            add(index + 1, kind, what);
                        }
                    });
                }
                (Some(_), None) => add(index + 1, DifferenceKind::Call, "the turn did not come".into()),
                (None, Some(_)) => add(index + 1, DifferenceKind::Call, "the turn is new".into()),
                (None, None) => {}
            }
        }
        if recording.ending != session.ending {
            let word = |ending: &Option<String>| ending.clone().unwrap_or_else(|| "not ended".into());
            let what =
                format!("it ended otherwise: {}, before {}", word(&session.ending), word(&recording.ending));
            add(turns, DifferenceKind::Answer, what);
        } else if recording.answer != session.answer {
            let text = |answer: &Option<String>| answer.clone().unwrap_or_default();
            let lines = changed_lines(&text(&recording.answer), &text(&session.answer));
            add(turns, DifferenceKind::Answer, format!("the answer changed:\n{lines}"));
        }
        found
    }
}

impl fmt::Display for ReplayDifference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.turn {
            0 => write!(out, "at the start: {}", self.what),
            turn => write!(out, "turn {turn}: {}", self.what),
        }
    }
}

/// The prompts of the case that changed, each with the turn that answers it.
fn changed_prompts(recording: &CaseRecording, session: &SessionTranscript) -> Vec<(usize, String)> {
    let pairs = recording.prompts.iter().zip(&session.prompts).enumerate();
    let changed = pairs.filter(|(_, (old, new))| old != new).map(|(index, (old, new))| {
        let answers = |turn: &SessionTurn| turn.prompt == index + 1;
        let before = recording.turns.iter().take_while(|turn| !answers(turn)).count();
        let turn = if index == 0 { 0 } else { before + 1 };
        (turn, format!("prompt {} changed:\n{}", index + 1, changed_lines(old, new)))
    });
    changed.collect()
}

fn changed_tools(old: &[RecordedTool], new: &[RecordedTool]) -> Vec<String> {
    let mut found = Vec::new();
    for tool in old {
        match new.iter().find(|other| other.name == tool.name) {
            None => found.push(format!("the tool {} is gone", tool.name)),
            Some(other) if other.description != tool.description => found.push(format!(
                "the description of {} changed:\n{}",
                tool.name,
                changed_lines(&tool.description, &other.description)
            )),
            Some(other) if other.schema != tool.schema => {
                found.push(format!("the schema of {} changed", tool.name));
            }
            Some(_) => {}
        }
    }
    let is_new = |tool: &&RecordedTool| !old.iter().any(|other| other.name == tool.name);
    found.extend(new.iter().filter(is_new).map(|tool| format!("the tool {} is new", tool.name)));
    found
}

fn compare_turn(
    old: &SessionTurn,
    new: &SessionTurn,
    varies: &[TextPattern],
    mut add: impl FnMut(DifferenceKind, String),
) {
    let names = |turn: &SessionTurn| turn.calls.iter().map(|call| call.tool.clone()).collect::<Vec<_>>();
    if names(old) != names(new) {
        let (before, now) = (names(old).join(", "), names(new).join(", "));
        add(DifferenceKind::Call, format!("other calls: {now}; before: {before}"));
        return;
    }
    for (old, new) in old.calls.iter().zip(&new.calls) {
        compare_call(old, new, varies, &mut add);
    }
}

fn compare_call(
    old: &SessionCall,
    new: &SessionCall,
    varies: &[TextPattern],
    mut add: impl FnMut(DifferenceKind, String),
) {
    let tool = &new.tool;
    if old.arguments != new.arguments {
        add(DifferenceKind::Call, format!("other arguments of {tool}: {}", shortened(&new.arguments)));
    }
    let word = |call: &SessionCall| format!("{:?}", call.outcome).to_lowercase();
    if old.outcome != new.outcome {
        let (now, before) = (word(new), word(old));
        let said = reason(&new.result);
        add(DifferenceKind::Decision, format!("{tool} {now}, before {before}: {said}"));
        return;
    }
    // The recorded result was normalized before it was cut. The new one goes the same way.
    let before = normalized(&old.result, varies);
    let now = normalized(&shortened(&normalized(&new.result, varies)), varies);
    let is_hidden = now.trim() == PLACEHOLDER && normalized(&new.result, &[]).trim() != PLACEHOLDER;
    if is_hidden {
        let what = format!("`varies` matches the whole result of {tool}, so it cannot be compared");
        add(DifferenceKind::Result, what);
    } else if before != now {
        let lines = changed_lines(&before, &now);
        add(DifferenceKind::Result, format!("the result of {tool} changed:\n{lines}"));
    }
}

/// What a result says about its decision: its first lines, and its last ones, where programs
/// name what went wrong.
fn reason(result: &str) -> String {
    let lines: Vec<&str> = result.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let first = lines.len().min(REASON_LINES.0);
    let last = lines.len().saturating_sub(REASON_LINES.1).max(first);
    let (start, end) = (lines.get(..first).unwrap_or_default(), lines.get(last..).unwrap_or_default());
    let middle = (last > first).then(|| format!("… {} more lines", last - first));
    let shown = start.iter().map(|line| (*line).to_owned()).chain(middle);
    shortened(&shown.chain(end.iter().map(|line| (*line).to_owned())).collect::<Vec<_>>().join("\n"))
}

/// Durations, times of day, hashes and addresses.
static ALWAYS_VARIES: LazyLock<Option<TextPattern>> = LazyLock::new(|| {
    let pattern =
        r"\d+(\.\d+)? ?(ms|µs|s|seconds?)\b|\d+(\.\d+)?s\b|\b[0-9a-f]{7,64}\b|\d\d:\d\d(:\d\d)?|0x[0-9a-f]+";
    TextPattern::new(pattern.to_owned()).ok()
});

/// What stands in a result for something that differs from run to run.
const PLACEHOLDER: &str = "#";
/// How much of a result is normalized, in characters. The time of some patterns grows with the
/// square of the text.
const MAX_NORMALIZED: usize = 8_000;

/// The beginning of a result without what differs from run to run: what the case names first, then
/// durations, times of day and hashes.
pub(crate) fn normalized(text: &str, varies: &[TextPattern]) -> String {
    let end = text.char_indices().nth(MAX_NORMALIZED).map_or(text.len(), |(end, _)| end);
    let text = text.get(..end).unwrap_or(text).to_owned();
    let patterns = varies.iter().chain(ALWAYS_VARIES.as_ref());
    patterns.fold(text, |text, pattern| pattern.replace(&text, PLACEHOLDER))
}

/// The lines that were removed and added.
fn changed_lines(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let lines = diff.iter_all_changes().filter_map(|change| {
        let sign = match change.tag() {
            similar::ChangeTag::Delete => "-",
            similar::ChangeTag::Insert => "+",
            similar::ChangeTag::Equal => return None,
        };
        Some(format!("{sign} {}", change.value().trim_end()))
    });
    let lines: Vec<String> = lines.collect();
    let more = lines.len().saturating_sub(MAX_LINES);
    let mut shown: Vec<String> = lines.into_iter().take(MAX_LINES).collect();
    if more > 0 {
        shown.push(format!("… {more} more lines"));
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests;
