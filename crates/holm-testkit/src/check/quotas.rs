//! What tools may use, added up by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use holm_kernel::{Effect, Event, Input, Outcome as Came, Quota, ToolCallId, ToolOutput};

use crate::{Outcome, Step, Violation};

/// No tool runs in a group once it has used its calls, its time or its bytes. Only what has come to its end is counted: a call that
/// was given up gives its place back.
pub fn quotas_are_kept(outcome: &Outcome) -> Vec<Violation> {
    let bounded = outcome.run.config().tools.iter().filter(|tool| tool.quota != Quota::default());
    let mut book = Book {
        quotas: bounded.map(|tool| (tool.name.as_str(), tool.quota)).collect(),
        used: BTreeMap::new(),
        running: BTreeMap::new(),
        found: Vec::new(),
    };
    if book.quotas.is_empty() {
        return Vec::new();
    }
    for step in &outcome.steps {
        book.take(step);
        for effect in &step.effects {
            book.see(step, effect);
        }
    }
    book.found
}

#[derive(Default)]
struct Used {
    calls: u64,
    millis: u64,
    bytes: u64,
}

struct Book<'a> {
    quotas: BTreeMap<&'a str, Quota>,
    /// In this group.
    used: BTreeMap<Arc<str>, Used>,
    running: BTreeMap<ToolCallId, Arc<str>>,
    found: Vec<Violation>,
}

impl Book<'_> {
    /// Bytes count when they arrive, whatever is believed of them.
    fn take(&mut self, step: &Step) {
        let Input::ToolFinished { call, result } = &step.input else { return };
        let ignored = step.events().any(|numbered| matches!(numbered.event, Event::Ignored { .. }));
        if let Some(tool) = self.running.get(call).filter(|_| !ignored) {
            self.used.entry(tool.clone()).or_default().bytes += bytes_of(result);
        }
    }

    fn see(&mut self, step: &Step, effect: &Effect) {
        match effect {
            Effect::RunTool { call, request } if self.quotas.contains_key(&*request.tool) => {
                self.hold(step, &request.tool);
                self.running.insert(*call, request.tool.clone());
            }
            Effect::Emit(numbered) => match &numbered.event {
                Event::GroupStarted { .. } => self.used.clear(),
                Event::CallFinished { call, outcome: Came::Succeeded | Came::Failed, millis, .. } => {
                    let Some(tool) = self.running.remove(call) else { return };
                    let used = self.used.entry(tool.clone()).or_default();
                    used.calls += 1;
                    used.millis = used.millis.saturating_add(*millis);
                    self.hold_calls(step, &tool);
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Another call begins.
    fn hold(&mut self, step: &Step, tool: &Arc<str>) {
        let (Some(quota), Some(used)) = (self.quotas.get(&**tool), self.used.get(tool)) else { return };
        let spent = |used: u64, allowed: Option<u64>| allowed.is_some_and(|allowed| used >= allowed);
        let over = spent(used.calls, quota.calls)
            || spent(used.millis, quota.millis)
            || spent(used.bytes, quota.bytes);
        if over {
            self.say(step, format!("`{tool}` begins although its quota is used"));
        }
    }

    /// Several that began together may come to their ends.
    fn hold_calls(&mut self, step: &Step, tool: &Arc<str>) {
        let (Some(quota), Some(used)) = (self.quotas.get(&**tool), self.used.get(tool)) else { return };
        let (calls, allowed) = (used.calls, quota.calls);
        if allowed.is_some_and(|allowed| calls > allowed) {
            self.say(step, format!("`{tool}` ran {calls} times"));
        }
    }

    fn say(&mut self, step: &Step, message: String) {
        let promise = "no tool uses more than its quota";
        self.found.push(Violation::new(promise, step.seq, message));
    }
}

fn bytes_of(result: &ToolOutput) -> u64 {
    result.spill.as_ref().map_or(result.text.len() as u64, |spill| spill.bytes)
}
