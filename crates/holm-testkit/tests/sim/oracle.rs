//! Who may do what, decided again by somebody who has not read the kernel.
//!
//! The oracle is naive on purpose: it walks the records, keeps the authority in plain variables, and for each call
//! that is handed out to run asks whether it was allowed at that moment. It may be more lenient than the kernel, never
//! stricter than what was promised.

use std::collections::{BTreeMap, BTreeSet};

use holm_grants::{AccessRequest, Grant, GrantSet, Level, Mode};
use holm_guards::json::Json;
use holm_kernel::{
    Answer, Approvals, AskReason, Config, ConsultPoint, ConsultationId, Effect, Event, IdempotencyKey, Input,
    MarkRule, Marks, PlanRole, Question, QuestionId, Timestamp, ToolCallId, ToolKind, ToolSpec, Verdict,
};
use holm_testkit::{Outcome, Step, Violation};

/// Everything that was handed out to run was allowed then, and children hold no more than their parent.
pub(crate) fn nothing_runs_unallowed(outcome: &Outcome) -> Vec<Violation> {
    let config = outcome.run.config();
    let mut oracle = Oracle {
        config,
        mode: config.mode,
        widest: config.mode,
        grants: config.grants.clone(),
        leases: Vec::new(),
        marks: config.marks,
        gate: None,
        questions: BTreeMap::new(),
        running: BTreeMap::new(),
        proposals: BTreeMap::new(),
        approvals: Vec::new(),
        approved: BTreeMap::new(),
        found: Vec::new(),
    };
    for step in &outcome.steps {
        let before = oracle.mode;
        oracle.take(step);
        for effect in &step.effects {
            oracle.see(step, effect);
        }
        oracle.children_are_narrowed(step, before);
    }
    oracle.found
}

struct Oracle<'a> {
    config: &'a Config,
    mode: Mode,
    /// The widest mode that a person or the configuration chose.
    widest: Mode,
    grants: GrantSet,
    leases: Vec<Lease>,
    marks: Marks,
    /// What the gate lets through; none while it is open.
    gate: Option<BTreeSet<String>>,
    questions: BTreeMap<ConsultationId, Question>,
    running: BTreeMap<ToolCallId, &'a ToolSpec>,
    /// What was asked, by the id of the question.
    proposals: BTreeMap<QuestionId, Shown>,
    /// What people said yes to, and nobody has used yet.
    approvals: Vec<Shown>,
    approved: BTreeMap<IdempotencyKey, Shown>,
    found: Vec<Violation>,
}

/// What somebody gave with an answer.
struct Lease {
    grant: Grant,
    until: Option<u64>,
    /// What the question showed of what has entered the run.
    knew: Marks,
}

impl Lease {
    fn holds(&self, now: u64) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// What a question showed.
#[derive(Clone)]
struct Shown {
    tool: String,
    arguments: String,
    reasons: Vec<AskReason>,
    marks: Marks,
}

impl Shown {
    /// Whether a yes to it is one to a call that is asked about for these reasons now.
    fn answers(&self, reasons: &[(AskReason, &'static str)], marks: Marks) -> bool {
        reasons.iter().all(|(reason, _)| match reason {
            AskReason::HookWants => true,
            AskReason::EgressAfterMark | AskReason::WriteAfterMark => {
                let about_marks = |shown: &AskReason| {
                    matches!(shown, AskReason::EgressAfterMark | AskReason::WriteAfterMark)
                };
                self.reasons.iter().any(about_marks) && self.marks == marks
            }
            AskReason::Level | AskReason::MissingGrant | AskReason::LeavesPlan => {
                self.reasons.contains(reason)
            }
        })
    }
}

/// What the rules say.
enum Standing {
    Free,
    NeedsApproval(Vec<(AskReason, &'static str)>),
    Never(String),
}

impl<'a> Oracle<'a> {
    /// Plan mode holds for the calls after the one that enters it. A child that was begun before, and may do more, is
    /// stopped.
    fn children_are_narrowed(&mut self, step: &Step, before: Mode) {
        if self.mode >= before {
            return;
        }
        for effect in &step.effects {
            let Effect::Spawn { call, request } = effect else { continue };
            let is_stopped =
                step.effects.iter().any(|other| matches!(other, Effect::Abort(stopped) if stopped == call));
            if request.mode > self.mode && !is_stopped {
                self.say(step, format!("the child of `{}` keeps the mode {}", request.tool, request.mode));
            }
        }
    }

    /// The model may narrow the mode by itself; only a person widens it, at once or by a yes to leaving plan mode, which holds
    /// until the call's turn comes.
    fn turn_to(&mut self, step: &Step, mode: Mode) {
        let asked = matches!(step.input, Input::ModeChanged(_)) || self.may_leave_plan();
        if mode > self.mode && !asked {
            self.say(step, format!("the mode went from {} to {mode} without a person", self.mode));
        }
        if mode > self.widest {
            self.say(step, format!("the mode went to {mode}, wider than anybody had chosen"));
        }
        self.mode = mode;
        self.leases.clear();
    }

    fn take(&mut self, step: &'a Step) {
        if step.events().any(|numbered| matches!(numbered.event, Event::Ignored { .. })) {
            return;
        }
        match &step.input {
            Input::ModeChanged(mode) => {
                self.mode = *mode;
                self.widest = self.widest.max(*mode);
                self.leases.clear();
            }
            Input::GrantsChanged(grants) => {
                self.grants = grants.clone();
                self.leases.clear();
            }
            Input::Judged { call, verdict: Verdict::Allow { grants, until } } => {
                let Some(shown) = self.proposals.get(call).cloned() else { return };
                self.leases.extend(grants.iter().map(|grant| Lease {
                    grant: grant.clone(),
                    until: until.map(Timestamp::value),
                    knew: shown.marks,
                }));
                self.approvals.push(shown);
            }
            Input::ToolFinished { call, result } => {
                self.marks = self.marks.join(result.marks);
                if let Some(tool) = self.running.get(call) {
                    let Marks { untrusted, private } = self.marks;
                    self.marks = Marks {
                        untrusted: untrusted || tool.yields.untrusted,
                        private: private || tool.yields.private,
                    };
                }
            }
            Input::ChildFinished { result, .. } => self.marks = self.marks.join(result.marks),
            Input::Consulted { call, answer } => {
                if let Some(Question::Tools { .. }) = self.questions.get(call) {
                    self.gate = closed_to(answer);
                }
            }
            _ => {}
        }
    }

    fn see(&mut self, step: &'a Step, effect: &'a Effect) {
        match effect {
            Effect::Emit(numbered) => {
                if let Event::ModeChanged { mode } = numbered.event {
                    self.turn_to(step, mode);
                }
            }
            Effect::Consult(consultation) => {
                self.questions.insert(consultation.call, consultation.question.clone());
            }
            Effect::Judge(proposal) => {
                let shown = Shown {
                    tool: proposal.tool.clone(),
                    arguments: proposal.arguments.clone(),
                    reasons: proposal.reasons.clone(),
                    marks: proposal.marks,
                };
                self.proposals.insert(proposal.call, shown);
            }
            Effect::RunTool { call, request } => {
                self.running.extend(self.tool(&request.tool).map(|tool| (*call, tool)));
                self.judge(step, &request.tool, &request.arguments, request.key);
            }
            Effect::Spawn { request, .. } => {
                if request.resume.is_none() {
                    self.judge(step, &request.tool, &request.arguments, request.key);
                }
                self.contain(step, &request.tool, &request.grants);
            }
            _ => {}
        }
    }

    fn tool(&self, name: &str) -> Option<&'a ToolSpec> {
        self.config.tools.iter().find(|tool| tool.name == name)
    }

    fn judge(&mut self, step: &Step, name: &str, arguments: &str, key: IdempotencyKey) {
        let Some(tool) = self.tool(name) else {
            return self.say(step, format!("`{name}` is no tool, and runs"));
        };
        match self.standing(tool, arguments, step.at.value()) {
            Standing::Free => {}
            Standing::Never(why) => self.say(step, format!("`{name}` runs although {why}")),
            Standing::NeedsApproval(reasons) => {
                let marks = self.marks;
                if self.approved.get(&key).is_some_and(|shown| shown.answers(&reasons, marks)) {
                    return;
                }
                let counts = |shown: &Shown| {
                    shown.tool == name && shown.arguments == arguments && shown.answers(&reasons, marks)
                };
                let Some(place) = self.approvals.iter().position(counts) else {
                    let why: Vec<&str> = reasons.iter().map(|(_, why)| *why).collect();
                    let why = why.join(" and ");
                    return self.say(step, format!("`{name}` {arguments} runs unapproved although {why}"));
                };
                self.approved.insert(key, self.approvals.remove(place));
            }
        }
    }

    /// Whether somebody said yes to leaving plan mode; that is used up by any change of the mode.
    fn may_leave_plan(&mut self) -> bool {
        let leaves = |name: &str| {
            let tool = self.config.tools.iter().find(|tool| tool.name == name);
            tool.is_some_and(|tool| matches!(tool.kind, ToolKind::Plan(PlanRole::Exit)))
        };
        let before = self.approvals.len();
        self.approvals.retain(|shown| !leaves(&shown.tool));
        self.approvals.len() < before
    }

    fn standing(&self, tool: &ToolSpec, arguments: &str, now: u64) -> Standing {
        if self.config.consult.contains(&ConsultPoint::Tools)
            && self.gate.as_ref().is_some_and(|gate| !gate.contains(&tool.name))
        {
            return Standing::Never("the gate is closed to it".into());
        }
        if self.mode == Mode::Plan && tool.level > Level::ReadOnly {
            return Standing::Never("the mode only looks".into());
        }
        let by_name: AccessRequest = format!("tool:{}", tool.name).parse().expect("a request");
        if self.config.denials.hitting(&by_name).is_some() {
            return Standing::Never("the tool is denied by name".into());
        }
        let needs = needs(tool, arguments);
        if let Some(denied) = needs.iter().find(|need| self.config.denials.hitting(need).is_some()) {
            return Standing::Never(format!("`{denied}` is denied"));
        }
        let reasons = self.reasons_to_ask(tool, &needs, now);
        match reasons.first() {
            None => Standing::Free,
            Some((_, why)) if self.config.approvals == Approvals::Deny => Standing::Never((*why).into()),
            Some(_) => Standing::NeedsApproval(reasons),
        }
    }

    fn reasons_to_ask(
        &self,
        tool: &ToolSpec,
        needs: &[AccessRequest],
        now: u64,
    ) -> Vec<(AskReason, &'static str)> {
        let leased = |need: &AccessRequest| {
            self.leases.iter().any(|lease| lease.holds(now) && lease.grant.admits(need))
        };
        // Given in knowledge of all that has entered, and of nothing more.
        let knowing = |need: &AccessRequest| {
            let mut leases = self.leases.iter().filter(|lease| lease.holds(now) && lease.knew == self.marks);
            leases.any(|lease| lease.grant.admits(need))
        };
        let mut reasons = Vec::new();
        let by_name: AccessRequest = format!("tool:{}", tool.name).parse().expect("a request");
        if needs.iter().any(|need| !self.grants.admits(need) && !leased(need)) {
            reasons.push((AskReason::MissingGrant, "nobody granted what it needs"));
        }
        let asks = match self.mode {
            Mode::Plan | Mode::Default => tool.level >= Level::Write,
            Mode::AcceptEdits => tool.level >= Level::Execute,
            Mode::Full => false,
        };
        if asks && !self.grants.admits(&by_name) && !leased(&by_name) {
            reasons.push((AskReason::Level, "the mode asks"));
        }
        let marked = match self.config.mark_rule {
            MarkRule::AskAfterAny => self.marks.untrusted || self.marks.private,
            MarkRule::AskAfterBoth if tool.level <= Level::ReadOnly => {
                self.marks.untrusted && self.marks.private
            }
            MarkRule::AskAfterBoth => self.marks.untrusted || self.marks.private,
            MarkRule::ShowOnly => false,
        };
        let given = knowing(&by_name) || (!needs.is_empty() && needs.iter().all(knowing));
        let leaves = tool.yields.egress || needs.iter().any(|need| need.to_string().starts_with("fetch:"));
        let writes = tool.level >= Level::Write && needs.is_empty();
        if marked && !given && (leaves || writes) {
            reasons.push((AskReason::EgressAfterMark, "something has entered the run"));
        }
        if reasons.is_empty() && self.config.approvals == Approvals::AskAlways {
            reasons.push((AskReason::HookWants, "hooks want to see every call"));
        }
        reasons
    }

    /// A child's grants are among those that its parent holds and that its tool asks for.
    fn contain(&mut self, step: &Step, name: &str, held: &GrantSet) {
        let now = step.at.value();
        let mut ours = self.grants.clone();
        ours.extend(self.leases.iter().filter(|lease| lease.holds(now)).map(|lease| lease.grant.clone()));
        let asked = match self.tool(name).map(|tool| &tool.kind) {
            Some(ToolKind::Agent { grants, .. }) => grants.clone(),
            _ => GrantSet::default(),
        };
        if !asked.contains_all(held) {
            self.say(step, format!("the child of `{name}` holds {held:?}, more than its tool asks for"));
        }
        // A child that goes on after a crash may keep what it had; a new one may not hold more than there is now.
        let fresh = !matches!(step.input, Input::Resumed { .. });
        if fresh && !ours.contains_all(held) {
            self.say(step, format!("the child of `{name}` holds {held:?}, its parent {ours:?}"));
        }
    }

    fn say(&mut self, step: &Step, message: String) {
        let promise = "nothing runs without an allowing verdict";
        self.found.push(Violation { promise, seq: Some(step.seq.value()), message });
    }
}

/// What a gate's answer lets through; a gate that does not answer properly is closed.
fn closed_to(answer: &Answer) -> Option<BTreeSet<String>> {
    match answer {
        Answer::Nothing => None,
        Answer::Tools(sets) => {
            let mut sets = sets.iter();
            let first = sets.next().cloned().unwrap_or_default();
            Some(sets.fold(first, |left, right| left.intersection(right).cloned().collect()))
        }
        _ => Some(BTreeSet::new()),
    }
}

/// What a call needs, by reading the templates of the tools in `setting` as plain text.
fn needs(tool: &ToolSpec, arguments: &str) -> Vec<AccessRequest> {
    let arguments = Json::parse(arguments).unwrap_or(Json::Null);
    let texts = tool.needs.iter().filter_map(|template| {
        let text = template.to_string();
        let (kind, slot) = text.split_once(':')?;
        let name = slot.trim_matches(['{', '}']);
        let text = arguments.get(name)?.as_str()?;
        // A file of the workspace, spelled out from the root.
        Some(format!("{kind}:{}", text.strip_prefix("/work/").unwrap_or(text)))
    });
    texts.map(|text| text.parse().expect("what runs has needs in normal form")).collect()
}
