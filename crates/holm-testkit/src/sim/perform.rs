//! Performs effects as a host would: answers arrive later, and in any order.

use holm_kernel::{
    Answer, CallId, CheckId, CheckRuling, ChildResult, Consultation, ConsultationId, Effect, Event, Failure,
    FailureClass, Input, ModelCallId, ModelResult, NanoUsd, Proposal, Purpose, QuestionId, SpawnRequest,
    Timestamp, ToolCallId, ToolOutput, ToolRequest, Usage, Verdict,
};

use super::{Coming, Host, Sim};
use crate::planted::{Slip, planted};
use crate::{Child, Mishap, Ran, Step, Verdicted};

/// After so many milliseconds a host reports that an answer is lost.
pub(crate) const PATIENCE: u64 = 60_000;

/// A child run as its host keeps it; found again by the key of the call that asked for it.
#[derive(Debug, Clone)]
pub(super) struct Grown {
    name: String,
    result: ChildResult,
}

impl Sim {
    pub(super) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::CallModel { call, .. } => self.call_model(|result| Input::ModelFinished { call, result }),
            Effect::Summarise { call, .. } => self.call_model(|result| Input::Summarised { call, result }),
            Effect::RunTool { call, request } => self.run_tool(call, &request),
            Effect::Spawn { call, request } => self.spawn(call, &request),
            Effect::Judge(proposal) => self.judge(&proposal),
            Effect::Consult(consultation) => self.consult(&consultation),
            Effect::Check { call, .. } => {
                let ruling = self.supply.check();
                let lost = CheckRuling::Broken { reason: "no answer".into() };
                self.answer(30, Input::Checked { call, ruling }, Some(Input::Checked { call, ruling: lost }));
            }
            Effect::Abort(_) | Effect::Emit(_) | Effect::Finish(_) | Effect::Wait(_) => {}
        }
    }

    fn call_model(&mut self, fact: impl Fn(ModelResult) -> Input) {
        let line = self.supply.line();
        let result = line.result(self.supply.usage());
        let lost = ModelResult::Failed(Failure {
            class: FailureClass::Network,
            message: "no answer".into(),
            retry_after_ms: None,
            usage: Usage::default(),
        });
        self.answer(40, fact(result), Some(fact(lost)));
    }

    /// Writes down that the call runs, then runs it.
    fn run_tool(&mut self, call: ToolCallId, request: &ToolRequest) {
        if planted(Slip::PerformsFirst) {
            let (tool, key) = (request.tool.clone(), request.key);
            self.ran.push(Ran { seq: self.run.receipt().seq, call, tool, key });
        }
        if self.give(Input::Dispatched { call }, None) == Host::Died {
            return;
        }
        let started = |event: &Event| matches!(event, Event::CallStarted { call: of } if *of == call);
        let heard =
            self.steps.last().into_iter().flat_map(Step::events).any(|numbered| started(&numbered.event));
        if !heard {
            self.violate("a call that nobody stopped starts when it is dispatched", format!("call {call}"));
        }
        let (delay, lost) = match self.mishap_now() {
            Some(Mishap::Late(millis)) => (millis, false),
            Some(Mishap::Lost) => (self.draw(200), true),
            _ => (self.draw(200), false),
        };
        let (tool, arguments, key) = (request.tool.clone(), request.arguments.clone(), request.key);
        self.expect(delay, Coming::Work { call, tool, arguments, key, lost });
    }

    pub(super) fn happen(&mut self, coming: Coming) {
        match coming {
            Coming::Fact(input, verdict) => {
                let input = if planted(Slip::AnswerMisdirected) { self.misdirected(input) } else { input };
                self.give(input, verdict);
            }
            Coming::Work { call, tool, arguments, key, lost } => {
                if !planted(Slip::PerformsFirst) {
                    self.ran.push(Ran { seq: self.run.receipt().seq, call, tool, key });
                }
                let output = self.supply.work(&arguments).output();
                if let Some(result) = output.filter(|_| !lost) {
                    let fact = Input::ToolFinished { call, result };
                    self.count_answer(&fact);
                    self.give(fact, None);
                }
            }
        }
    }

    /// Takes a model's answer for the answer to the latest call.
    fn misdirected(&self, input: Input) -> Input {
        let latest = self.sent.iter().rfind(|sent| sent.request.purpose == Purpose::Turn);
        match (input, latest) {
            (Input::ModelFinished { call, result }, Some(latest)) if latest.call > call => {
                Input::ModelFinished { call: latest.call, result }
            }
            (input, _) => input,
        }
    }

    /// Writes down under which name the child runs, then lets it begin. A host looks for the child of a key before it
    /// starts one, so no key has two.
    fn spawn(&mut self, call: ToolCallId, request: &SpawnRequest) {
        let known = self.children.get(&request.key).filter(|_| !planted(Slip::ChildStartedTwice)).cloned();
        let name = match (&known, &request.resume) {
            (Some(grown), _) => grown.name.clone(),
            (None, Some(resumed)) => resumed.clone(),
            (None, None) => format!("child-{}", self.children.len() + 1),
        };
        if request.resume.is_none()
            && self.give(Input::ChildStarted { call, child: name.clone() }, None) == Host::Died
        {
            return;
        }
        let grown = known.unwrap_or_else(|| self.grow(call, request, name));
        let failed =
            ChildResult { output: ToolOutput::failed("the child did not answer"), ..grown.result.clone() };
        let lost = Input::ChildFinished { call, result: failed };
        self.answer(500, Input::ChildFinished { call, result: grown.result }, Some(lost));
    }

    /// The child does its work in the world.
    fn grow(&mut self, call: ToolCallId, request: &SpawnRequest, name: String) -> Grown {
        self.ran.push(Ran {
            seq: self.run.receipt().seq,
            call,
            tool: request.tool.clone(),
            key: request.key,
        });
        let result = child_result(&self.supply.child(), request.budget);
        let grown = Grown { name, result };
        self.children.insert(request.key, grown.clone());
        grown
    }

    fn judge(&mut self, proposal: &Proposal) {
        let call = proposal.call;
        let now = Timestamp::new(self.clock);
        let about = Verdicted { digest: proposal.digest.clone() };
        let Some(verdict) = self.supply.ruling().verdict(now) else {
            self.in_vain.insert(call, about);
            return;
        };
        let delay = self.delay(400).unwrap_or(PATIENCE);
        self.expect(delay, Coming::Fact(Input::Judged { call, verdict }, Some(about)));
    }

    fn consult(&mut self, consultation: &Consultation) {
        let call = consultation.call;
        let answer = self.supply.answer();
        let lost = Answer::Failed { reason: "no answer".into() };
        self.answer(20, Input::Consulted { call, answer }, Some(Input::Consulted { call, answer: lost }));
    }

    /// Lets an answer arrive within so many milliseconds; one that is lost is reported as lost, much later.
    fn answer(&mut self, within: u64, fact: Input, lost: Option<Input>) {
        match self.delay(within) {
            Some(delay) => self.expect(delay, Coming::Fact(fact, None)),
            None => {
                if let Some(lost) = lost {
                    self.expect(PATIENCE, Coming::Fact(lost, None));
                }
            }
        }
    }

    /// How long the next answer takes; none if it is lost.
    fn delay(&mut self, within: u64) -> Option<u64> {
        match self.mishap_now() {
            Some(Mishap::Late(millis)) => Some(millis),
            Some(Mishap::Lost) => None,
            _ => Some(self.draw(within)),
        }
    }

    /// What befalls the answer that is given now.
    fn mishap_now(&mut self) -> Option<Mishap> {
        let fault = self.mishap.take()?;
        self.befell.push(fault);
        Some(fault.mishap)
    }
}

fn child_result(child: &Child, budget: Option<NanoUsd>) -> ChildResult {
    match child {
        Child::Answers(text, share) => {
            let budget = budget.map_or(0, NanoUsd::value);
            let spent = u128::from(budget) * u128::from((*share).min(1_000)) / 1_000;
            let spent = NanoUsd::new(u64::try_from(spent).unwrap_or(u64::MAX));
            let usage = Usage { input: 7, output: 3, ..Usage::default() };
            ChildResult { output: ToolOutput::text(text.clone()), spent, usage, ..ChildResult::default() }
        }
        Child::Fails(text) => {
            ChildResult { output: ToolOutput::failed(text.clone()), ..ChildResult::default() }
        }
    }
}

/// The call that somebody answered: what a host notes by itself is no answer.
pub(crate) fn answered(input: &Input) -> Option<CallId> {
    let notes = matches!(input, Input::Dispatched { .. } | Input::ChildStarted { .. });
    input.call().filter(|_| !notes)
}

/// Answers may come twice; what a person says twice is said twice, and a dispatch is the host's own note.
pub(super) fn may_come_twice(input: &Input) -> bool {
    input.call().is_some() && !matches!(input, Input::Dispatched { .. })
}

/// The call that an effect asks for.
pub(super) fn call_asked(effect: &Effect) -> Option<CallId> {
    match effect {
        Effect::CallModel { call, .. } | Effect::Summarise { call, .. } => Some((*call).into()),
        Effect::RunTool { call, .. } | Effect::Spawn { call, .. } => Some((*call).into()),
        Effect::Check { call, .. } => Some((*call).into()),
        Effect::Judge(proposal) => Some(proposal.call.into()),
        Effect::Consult(consultation) => Some(consultation.call.into()),
        Effect::Abort(_) | Effect::Emit(_) | Effect::Finish(_) | Effect::Wait(_) => None,
    }
}

/// A fact of some kind about a call.
pub(super) fn about_nothing(call: u64, kind: u64) -> Input {
    let reply = ModelResult::Replied(holm_kernel::Reply::default());
    match kind {
        0 => Input::ModelFinished { call: ModelCallId::new(call), result: reply },
        1 => Input::Judged { call: QuestionId::new(call), verdict: Verdict::allow() },
        2 => Input::Consulted { call: ConsultationId::new(call), answer: Answer::Nothing },
        3 => Input::Dispatched { call: ToolCallId::new(call) },
        4 => Input::Checked { call: CheckId::new(call), ruling: CheckRuling::Passed },
        5 => Input::ChildFinished { call: ToolCallId::new(call), result: ChildResult::default() },
        _ => Input::ToolFinished { call: ToolCallId::new(call), result: ToolOutput::text("nobody asked") },
    }
}
