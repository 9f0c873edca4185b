//! Nobody goes round in circles unseen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use holm_grants::Level;
use holm_kernel::{
    Author, ConsultPoint, Effect, Event, Exemption, Input, Outcome as Came, PlanStep, Role, ToolCallId,
    ToolOutput, ToolSpec,
};

use crate::{Outcome, Step, Violation};

/// How far back the kernel looks at least.
const LOOKED_AT: usize = 30;

/// A call that has just given the same result twice, while nothing changed and nobody spoke, is not run a third time.
pub fn repeats_are_refused(outcome: &Outcome) -> Vec<Violation> {
    let config = outcome.run.config();
    if config.consult.contains(&ConsultPoint::AfterTool) {
        // Hooks may make another result of it, and theirs counts.
        return Vec::new();
    }
    let mut memory = Memory {
        tools: &config.tools,
        named: BTreeMap::new(),
        gave: BTreeMap::new(),
        seen: VecDeque::new(),
        circles: BTreeSet::new(),
        found: Vec::new(),
    };
    for step in &outcome.steps {
        memory.take(step);
        for effect in &step.effects {
            memory.see(step, effect);
        }
    }
    memory.found
}

/// A call by what it asks for.
#[derive(Clone, PartialEq, Eq)]
struct Named {
    tool: Arc<str>,
    arguments: Arc<str>,
}

/// Whether it went wrong, and what came back.
type Gave<'a> = (bool, &'a str);

struct Memory<'a> {
    tools: &'a [ToolSpec],
    named: BTreeMap<ToolCallId, Named>,
    /// Results that were reported, until their calls end.
    gave: BTreeMap<ToolCallId, Gave<'a>>,
    /// What ended since the last change, the latest at the back; none where it gave nothing that could be compared.
    seen: VecDeque<(Named, Option<Gave<'a>>)>,
    /// Calls that were proposed once too often.
    circles: BTreeSet<ToolCallId>,
    found: Vec<Violation>,
}

impl<'a> Memory<'a> {
    fn take(&mut self, step: &'a Step) {
        let ignored = || step.events().any(|numbered| matches!(numbered.event, Event::Ignored { .. }));
        if let Input::ToolFinished { call, result } = &step.input
            && !ignored()
        {
            self.gave.insert(*call, gave(result));
        }
    }

    fn see(&mut self, step: &Step, effect: &Effect) {
        match effect {
            Effect::RunTool { call, request } if self.circles.contains(call) => {
                let message = format!("`{}` {} runs once more", request.tool, request.arguments);
                let promise = "a call that goes round in circles is refused";
                self.found.push(Violation::new(promise, step.seq, message));
            }
            Effect::Emit(numbered) => self.hear(&numbered.event),
            _ => {}
        }
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::CallProposed { call, tool, arguments, .. } => {
                let named = Named { tool: tool.clone(), arguments: arguments.clone() };
                if self.goes_round(&named) {
                    self.circles.insert(*call);
                } else {
                    self.circles.remove(call);
                }
                self.named.insert(*call, named);
            }
            Event::CallFinished { call, outcome, .. } | Event::ChildFinished { call, outcome, .. } => {
                self.end(*call, *outcome);
            }
            Event::MessageAdded { message }
                if message.role == Role::User && message.author == Author::Speaker =>
            {
                self.seen.clear();
            }
            // The model may look again at what it no longer sees.
            Event::ContextPlanned { step, .. } if *step != PlanStep::SummaryDiscarded => self.seen.clear(),
            Event::GroupStarted { .. }
            | Event::ModeChanged { .. }
            | Event::Narrowed { .. }
            | Event::QueueDropped { .. }
            | Event::GrantsChanged
            | Event::ToolsChanged { .. }
            | Event::SteppedUp { .. } => self.seen.clear(),
            _ => {}
        }
    }

    fn goes_round(&self, named: &Named) -> bool {
        let polls = |tool: &ToolSpec| tool.name == *named.tool && tool.exemption == Exemption::Polling;
        if self.tools.iter().any(polls) {
            return false;
        }
        let mut results = self.seen.iter().rev().filter(|(seen, _)| seen == named).map(|(_, gave)| *gave);
        match (results.next().flatten(), results.next().flatten()) {
            (Some(last), Some(before)) => last == before,
            _ => false,
        }
    }

    fn end(&mut self, call: ToolCallId, came: Came) {
        let gave = self.gave.remove(&call).filter(|_| matches!(came, Came::Succeeded | Came::Failed));
        let Some(named) = self.named.get(&call).cloned() else {
            // It was answered unread, and may have been any call.
            return self.seen.clear();
        };
        let writes = |tool: &ToolSpec| tool.name == *named.tool && tool.level >= Level::Write;
        if came == Came::Succeeded && self.tools.iter().any(writes) {
            return self.seen.clear();
        }
        while self.seen.len() >= LOOKED_AT {
            self.seen.pop_front();
        }
        self.seen.push_back((named, gave));
    }
}

fn gave(result: &ToolOutput) -> Gave<'_> {
    let text = result.spill.as_ref().map_or(&result.text, |spill| &spill.sha256);
    (result.outcome.is_error(), text.as_str())
}
