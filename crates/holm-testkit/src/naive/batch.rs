//! The calls of one reply: each is looked at anew whenever something could be decided about it.

use std::sync::Arc;

use holm_grants::Level;
use holm_kernel::{
    Answer, Background, BatchOrder, ChildResult, ConsultPoint, ConsultationId, Event, Marks, NanoUsd,
    Outcome, Pace, QuestionId, Quota, Repeat, Timestamp, ToolCall, ToolCallId, ToolKind, ToolOutput,
    ToolSpec, Verdict, Vote,
};

use super::{
    Left,
    authority::{Shown, Word, needs_of},
    call::{Call, Stage},
    due_work::Due,
    kernel::{Go, Halt, Kernel, Phase},
    money::Share,
};
use crate::Step;

/// How often one call may be rewritten.
const MOST_REWRITES: u64 = 3;

/// With so many children unpaid the real kernel begins to refuse more.
const MANY_CHILDREN: usize = 32;

impl Kernel {
    /// Takes the calls of a reply.
    pub(super) fn open(&mut self, step: &Step, wanted: &[&ToolCall]) -> Go {
        let taken = self.newly_named(step);
        if taken.len() != wanted.len() {
            let (made, taken) = (wanted.len(), taken.len());
            return Err(Halt::Differs(format!("a reply makes {made} calls, and {taken} were taken up")));
        }
        self.calls.clear();
        (self.order, self.dropped, self.phase) = (self.config.batch, false, Phase::Working);
        let spent = self.budget_reached();
        if let Some(how) = spent {
            self.unless_shares_return(how)?;
        }
        // In the last turn no tools are offered, so a call made there is refused and the limit ends the run.
        let spent = spent.or_else(|| self.last_turn_ended());
        let most = self.config.limits.calls_per_turn.limit();
        let mut running = 0;
        for ((id, arguments), wanted) in taken.into_iter().zip(wanted) {
            self.name(id.into())?;
            let place = self.calls.len();
            self.calls.push(Call::new(id, self.authority.tool(&wanted.name).cloned()));
            if spent.is_some() {
                self.refuse(place);
                continue;
            }
            if most.is_some_and(|most| running >= most) {
                self.dropped = true;
                self.refuse(place);
                continue;
            }
            match arguments {
                None => self.refuse(place),
                Some(arguments) => self.admit(place, arguments)?,
            }
            let call = &self.calls[place];
            if !call.is_done() {
                running += 1;
            }
        }
        if let Some(how) = spent {
            self.end(how);
            return Ok(());
        }
        self.advance()
    }

    /// Calls that the real kernel names for the first time, with their arguments where it found them valid.
    fn newly_named(&self, step: &Step) -> Vec<(ToolCallId, Option<Arc<str>>)> {
        let mut found: Vec<(ToolCallId, Option<Arc<str>>)> = Vec::new();
        for numbered in step.events() {
            let (call, arguments) = match &numbered.event {
                Event::CallProposed { call, arguments, .. } => (*call, Some(arguments.clone())),
                Event::CallFinished { call, .. } => (*call, None),
                _ => continue,
            };
            if !self.known.contains(&call.into()) && found.iter().all(|(named, _)| *named != call) {
                found.push((call, arguments));
            }
        }
        found
    }

    /// Takes a call with valid arguments.
    fn admit(&mut self, place: usize, arguments: Arc<str>) -> Go {
        let Some(tool) = self.calls[place].tool.clone() else {
            return Err(Halt::Differs("a call of a tool that is not there was taken for valid".into()));
        };
        if self.gate.as_ref().is_some_and(|gate| !gate.contains(&tool.name)) {
            return Err(Halt::Differs(format!(
                "a call of `{}` passes a gate that is closed to it",
                tool.name
            )));
        }
        if tool.quota != Quota::default() {
            return Err(Halt::Left(Left::Quota));
        }
        let is_simple = match &tool.kind {
            ToolKind::Host => true,
            ToolKind::Agent { .. } => tool.background == Background::Never,
            ToolKind::Skill { .. } | ToolKind::Plan(_) | ToolKind::Children => false,
        };
        if !is_simple {
            return Err(Halt::Left(Left::Kind));
        }
        self.calls[place].arguments = arguments;
        self.permit(place);
        Ok(())
    }

    fn permit(&mut self, place: usize) {
        let call = &self.calls[place];
        let Some(tool) = call.tool.clone() else { return self.refuse(place) };
        let Some(needs) = needs_of(&self.config, &tool, &call.arguments) else { return self.refuse(place) };
        let word = self.authority.decide(&self.config, &tool, &needs, self.now);
        let call = &mut self.calls[place];
        call.needs = needs;
        match word {
            Word::Deny => self.refuse(place),
            Word::Allow => call.stage = Stage::Ready,
            Word::Ask(shown) => {
                call.stage = Stage::Judging;
                call.approved = false;
                self.due.push(Due::Ask { call: call.id, reasons: shown.reasons.clone() });
                call.shown = Some(shown);
            }
        }
    }

    /// Withdraws the questions to which an answer would no longer count, and asks again.
    fn renew_questions(&mut self) {
        for place in 0..self.calls.len() {
            let call = &self.calls[place];
            if call.stage != Stage::Judging {
                continue;
            }
            match self.standing(call) {
                Word::Deny => self.stop(place),
                Word::Allow => {}
                Word::Ask(now) if call.shown.as_ref().is_some_and(|shown| shown.answers(&now)) => {}
                Word::Ask(_) => {
                    self.due.push(Due::Stop(call.question.map_or(call.id.into(), Into::into)));
                    self.permit(place);
                }
            }
        }
    }

    /// What the rules say of a call now. A tool that was changed is another tool.
    fn standing(&self, call: &Call) -> Word {
        let Some(tool) = &call.tool else { return Word::Deny };
        if self.authority.tool(&tool.name) != Some(tool) {
            return Word::Deny;
        }
        self.authority.decide(&self.config, tool, &call.needs, self.now)
    }

    /// Whether somebody said yes, under circumstances that have not grown since.
    fn is_approved(call: &Call, now: &Shown) -> bool {
        call.approved && call.shown.as_ref().is_some_and(|shown| shown.answers(now))
    }

    fn permit_again(&mut self, place: usize) {
        let call = &self.calls[place];
        match self.standing(call) {
            Word::Deny => self.refuse(place),
            Word::Allow => {}
            Word::Ask(now) if Self::is_approved(call, &now) => {}
            Word::Ask(_) => self.permit(place),
        }
    }

    /// Starts what may start; goes on when all is answered.
    pub(super) fn advance(&mut self) -> Go {
        self.renew_questions();
        for place in 0..self.calls.len() {
            if self.calls[place].stage == Stage::Ready && self.has_its_turn(place) {
                self.start(place)?;
            }
        }
        if self.calls.iter().all(Call::is_done) { self.close() } else { Ok(()) }
    }

    /// By docs/tools.md: a call waits for every call before it if it may change something, else for those that may.
    fn has_its_turn(&self, place: usize) -> bool {
        let (before, call) = (&self.calls[..place], &self.calls[place]);
        let alone = |call: &Call| self.order == BatchOrder::Sequential || may_change(call);
        before.iter().all(|earlier| earlier.is_done() || !(alone(earlier) || alone(call)))
    }

    fn close(&mut self) -> Go {
        let votes = self.calls.iter().filter_map(|call| match call.stage {
            Stage::Done { vote } => vote,
            Stage::Judging
            | Stage::Ready
            | Stage::Issued { .. }
            | Stage::Running { .. }
            | Stage::Delegated { .. }
            | Stage::Reviewing { .. } => None,
        });
        let votes: Vec<bool> = votes.collect();
        let ends = !self.dropped && !votes.is_empty() && votes.iter().all(|vote| *vote);
        self.calls.clear();
        if ends { self.natural_stop() } else { self.next_turn() }
    }

    fn start(&mut self, place: usize) -> Go {
        self.permit_again(place);
        let call = &self.calls[place];
        let (Stage::Ready, Some(tool)) = (&call.stage, call.tool.clone()) else { return Ok(()) };
        if self.budget.is_some_and(|limit| self.money.spent >= limit) {
            self.refuse(place);
            return Ok(());
        }
        if let ToolKind::Agent { grants, reserve, tokens } = &tool.kind {
            let wanted = (*reserve, *tokens);
            let grants = self.authority.lasting().meet(grants);
            return self.delegate(place, grants, wanted);
        }
        let deadline = self.now.plus(tool.timeout_ms.unwrap_or(self.config.limits.tool_ms));
        let call = &mut self.calls[place];
        call.stage = Stage::Issued { deadline };
        self.due.push(Due::Run {
            call: call.id,
            tool: Arc::from(tool.name.as_str()),
            arguments: call.arguments.clone(),
            again: call.again,
            deadline,
        });
        Ok(())
    }

    fn delegate(&mut self, place: usize, grants: holm_grants::GrantSet, wanted: (NanoUsd, u64)) -> Go {
        if self.money.open() >= MANY_CHILDREN {
            return Err(Halt::Left(Left::Shares));
        }
        let too_deep = self.config.depth.saturating_add(1) > self.config.limits.depth;
        let Some(share) = self.share(wanted).filter(|_| !too_deep) else {
            self.refuse(place);
            return Ok(());
        };
        let id = self.calls[place].id;
        self.money.set_aside(id, share);
        let (since, mode) = (self.now, self.authority.mode);
        self.calls[place].stage = Stage::Delegated { since, grants, mode, child: None };
        self.spawn(place);
        Ok(())
    }

    /// What a child may use; none where nothing is left. Zero asks for all that is left.
    fn share(&self, (money, tokens): (NanoUsd, u64)) -> Option<Share> {
        let money = match self.money.money_left(self.budget) {
            None => money,
            Some(NanoUsd::ZERO) => return None,
            Some(left) if money == NanoUsd::ZERO => left,
            Some(left) => money.min(left),
        };
        let tokens = match self.money.tokens_left(self.config.limits.tokens.limit()) {
            None => Some(tokens).filter(|tokens| *tokens > 0),
            Some(0) => return None,
            Some(left) if tokens == 0 => Some(left),
            Some(left) => Some(tokens.min(left)),
        };
        Some(Share { money, tokens })
    }

    fn spawn(&mut self, place: usize) {
        let call = &self.calls[place];
        let Stage::Delegated { grants, mode, child, .. } = &call.stage else { return };
        let share = self.money.share(call.id);
        self.due.push(Due::Child {
            call: call.id,
            grants: grants.clone(),
            mode: self.authority.mode.min(*mode),
            money: Some(share.money).filter(|money| *money > NanoUsd::ZERO),
            tokens: share.tokens,
            resume: child.clone(),
        });
    }

    pub(super) fn judged(&mut self, step: &Step, question: QuestionId, verdict: &Verdict) -> Go {
        let place = self
            .calls
            .iter()
            .position(|call| call.stage == Stage::Judging && call.question == Some(question));
        let Some(place) = place else { return Ok(()) };
        match verdict {
            Verdict::Allow { grants, until } => {
                self.give(place, grants, *until);
                let call = &mut self.calls[place];
                call.approved = true;
                call.stage = Stage::Ready;
                self.permit_again(place);
            }
            Verdict::Deny { .. } => self.refuse(place),
            Verdict::Rewrite { .. } if self.calls[place].rewrites >= MOST_REWRITES => self.refuse(place),
            Verdict::Rewrite { .. } => {
                self.calls[place].rewrites += 1;
                match proposed(step, self.calls[place].id) {
                    None => self.refuse(place),
                    Some(arguments) => self.admit(place, arguments)?,
                }
            }
        }
        self.advance()
    }

    fn give(&mut self, place: usize, grants: &holm_grants::GrantSet, until: Option<Timestamp>) {
        let call = &mut self.calls[place];
        let (Some(shown), Some(tool)) = (&mut call.shown, &call.tool) else { return };
        let before = self.authority.share(tool);
        self.authority.give(grants, until, shown);
        shown.gave(&before, self.authority.share(tool));
    }

    pub(super) fn dispatched(&mut self, call: ToolCallId) -> Go {
        let Some(place) = self.place(call, |stage| matches!(stage, Stage::Issued { .. })) else {
            return Ok(());
        };
        if let Stage::Issued { deadline } = self.calls[place].stage {
            self.calls[place].stage = Stage::Running { deadline };
        }
        self.due.push(Due::Began(call));
        self.advance()
    }

    pub(super) fn tool_finished(&mut self, call: ToolCallId, output: &ToolOutput) -> Go {
        let Some(place) = self.place(call, |stage| matches!(stage, Stage::Running { .. })) else {
            return Ok(());
        };
        self.review(place, output)
    }

    pub(super) fn child_started(&mut self, call: ToolCallId, name: &str) -> Go {
        let waits = |stage: &Stage| matches!(stage, Stage::Delegated { child: None, .. });
        let Some(place) = self.place(call, waits) else { return Ok(()) };
        if let Stage::Delegated { child, .. } = &mut self.calls[place].stage {
            *child = Some(name.to_owned());
        }
        self.due.push(Due::Began(call));
        self.advance()
    }

    pub(super) fn child_finished(&mut self, call: ToolCallId, result: &ChildResult) -> Go {
        if !self.money.child_answered(call, result) {
            return Ok(());
        }
        self.authority.mark(result.marks);
        match self.place(call, |stage| matches!(stage, Stage::Delegated { .. })) {
            Some(place) => self.review(place, &result.output),
            // It was stopped before; what has entered it may be news for whoever is asked.
            None if self.phase == Phase::Working => self.advance(),
            None => Ok(()),
        }
    }

    /// Takes a result; hooks see it first.
    fn review(&mut self, place: usize, output: &ToolOutput) -> Go {
        let yields = self.calls[place].tool.as_ref().map(|tool| tool.yields).unwrap_or_default();
        self.authority.mark(Marks { untrusted: yields.untrusted, private: yields.private });
        self.authority.mark(output.marks);
        if self.wants(ConsultPoint::AfterTool) {
            self.ask_review(place, output.clone());
            return self.advance();
        }
        self.believe(place, output)
    }

    fn ask_review(&mut self, place: usize, output: ToolOutput) {
        let call = &mut self.calls[place];
        call.stage = Stage::Reviewing { consult: None, output: output.into() };
        self.due.push(Due::Consult { point: ConsultPoint::AfterTool, call: Some(call.id) });
    }

    pub(super) fn reviewed(&mut self, question: ConsultationId, answer: &Answer) -> Go {
        let asked =
            |call: &Call| matches!(call.stage, Stage::Reviewing { consult, .. } if consult == Some(question));
        let Some(place) = self.calls.iter().position(asked) else { return Ok(()) };
        if let Answer::Output(changed) = answer {
            self.authority.mark(changed.marks);
            return self.believe(place, changed);
        }
        let Stage::Reviewing { output, .. } = &self.calls[place].stage else { return Ok(()) };
        let output = output.clone();
        self.believe(place, &output)
    }

    /// Answers a call with its result. Where a guard does not believe it, the comparison has ended before.
    fn believe(&mut self, place: usize, output: &ToolOutput) -> Go {
        let Some(tool) = self.calls[place].tool.clone() else { return Ok(()) };
        let succeeded = output.outcome == Outcome::Succeeded;
        let terminal = self.config.policy.terminal_tools.contains(&tool.name);
        self.answer(place, output.outcome, succeeded && (output.terminate || terminal));
        if !succeeded && tool.aborts_siblings {
            self.stop_all();
        }
        self.advance()
    }

    /// A child that had not begun when its host stopped begins only within what is left now.
    fn spawn_again(&mut self, place: usize) -> Go {
        let id = self.calls[place].id;
        let Some(ToolKind::Agent { reserve, tokens, .. }) =
            self.calls[place].tool.as_ref().map(|tool| tool.kind.clone())
        else {
            return Ok(());
        };
        self.money.give_back(id);
        if self.money.open() > MANY_CHILDREN {
            return Err(Halt::Left(Left::Shares));
        }
        match self.share((reserve, tokens)) {
            None => self.refuse(place),
            Some(share) => {
                self.money.set_aside(id, share);
                self.spawn(place);
            }
        }
        Ok(())
    }

    /// Goes on after a crash: what was never written down as dispatched is handed out again, what may be done twice is done
    /// again, and of the rest nobody knows.
    pub(super) fn resume_calls(&mut self) -> Go {
        for place in 0..self.calls.len() {
            match &self.calls[place].stage {
                Stage::Ready | Stage::Done { .. } => {}
                Stage::Judging => self.permit(place),
                Stage::Issued { .. } => self.calls[place].stage = Stage::Ready,
                Stage::Running { .. } => {
                    if self.calls[place].tool.as_deref().is_some_and(is_harmless_twice) {
                        self.calls[place].again = true;
                        self.calls[place].stage = Stage::Ready;
                    } else {
                        self.answer(place, Outcome::Unknown, false);
                    }
                }
                Stage::Delegated { child: None, .. } => self.spawn_again(place)?,
                Stage::Delegated { .. } => self.spawn(place),
                Stage::Reviewing { output, .. } => {
                    let output = (**output).clone();
                    self.ask_review(place, output);
                }
            }
        }
        self.advance()
    }

    /// Whether some call would begin again on the next host.
    pub(super) fn any_begins_again(&self) -> bool {
        self.calls.iter().any(|call| match &call.stage {
            Stage::Issued { .. } | Stage::Reviewing { .. } => true,
            Stage::Running { .. } => call.tool.as_deref().is_some_and(is_harmless_twice),
            Stage::Judging | Stage::Ready | Stage::Delegated { .. } | Stage::Done { .. } => false,
        })
    }

    /// Answers every call of a run whose hosts stop again and again; of what may have happened nobody knows.
    pub(super) fn abandon_calls(&mut self) {
        for place in 0..self.calls.len() {
            if matches!(self.calls[place].stage, Stage::Running { .. }) {
                self.answer(place, Outcome::Unknown, false);
            } else {
                self.stop(place);
            }
        }
    }

    /// Authority has changed: stops what it no longer covers, as far as it has not begun.
    pub(super) fn look_again(&mut self) -> Go {
        self.stop_where(|kernel, call| match &call.stage {
            Stage::Judging => matches!(kernel.standing(call), Word::Deny),
            Stage::Issued { .. } => match kernel.standing(call) {
                Word::Deny => true,
                Word::Allow => false,
                Word::Ask(now) => !Self::is_approved(call, &now),
            },
            Stage::Delegated { grants, mode, .. } => {
                kernel.authority.mode < *mode || !kernel.authority.lasting().contains_all(grants)
            }
            Stage::Ready | Stage::Running { .. } | Stage::Reviewing { .. } | Stage::Done { .. } => false,
        })
    }

    /// The budget has changed: stops children whose share it no longer covers.
    pub(super) fn stop_uncovered(&mut self) -> Go {
        self.stop_where(|kernel, call| {
            let (Stage::Delegated { .. }, Some(limit)) = (&call.stage, kernel.budget) else { return false };
            let set_aside = kernel.money.spent.plus(kernel.money.reserved());
            kernel.money.share(call.id).money == NanoUsd::ZERO || set_aside > limit
        })
    }

    fn stop_where(&mut self, which: impl Fn(&Self, &Call) -> bool) -> Go {
        if self.phase != Phase::Working {
            return Ok(());
        }
        for place in 0..self.calls.len() {
            if which(self, &self.calls[place]) {
                self.stop(place);
            }
        }
        self.advance()
    }

    pub(super) fn stop_overdue(&mut self) -> Go {
        let mut takes_others = false;
        for place in 0..self.calls.len() {
            if self.calls[place].deadline().is_some_and(|deadline| self.now >= deadline) {
                self.stop(place);
                takes_others |= self.calls[place].aborts_siblings();
            }
        }
        if takes_others {
            self.stop_all();
        }
        self.advance()
    }

    fn stop_all(&mut self) {
        (0..self.calls.len()).for_each(|place| self.stop(place));
    }

    /// Stops a call, whatever it is doing, and answers it.
    pub(super) fn stop(&mut self, place: usize) {
        let call = &self.calls[place];
        let id = call.id;
        match &call.stage {
            Stage::Done { .. } => {}
            Stage::Ready => self.refuse(place),
            Stage::Judging => {
                self.due.push(Due::Stop(call.question.map_or(id.into(), Into::into)));
                self.refuse(place);
            }
            Stage::Issued { .. } => {
                self.due.push(Due::Stop(id.into()));
                self.refuse(place);
            }
            Stage::Running { .. } => {
                self.due.push(Due::Stop(id.into()));
                self.answer(place, Outcome::Stopped, false);
            }
            Stage::Reviewing { consult, .. } => {
                self.due.extend(consult.map(|consult| Due::Stop(consult.into())));
                self.answer(place, Outcome::Stopped, false);
            }
            Stage::Delegated { child, .. } => {
                self.money.stopped(id, child.is_some(), self.now);
                self.due.push(Due::Stop(id.into()));
                self.answer(place, Outcome::Stopped, false);
            }
        }
    }

    /// Answers a call that does not run; of one that may have run before nobody knows.
    fn refuse(&mut self, place: usize) {
        let came = if self.calls[place].again { Outcome::Unknown } else { Outcome::Refused };
        self.answer(place, came, false);
    }

    fn answer(&mut self, place: usize, came: Outcome, ends: bool) {
        let call = &mut self.calls[place];
        let vote = match call.tool.as_ref().map(|tool| tool.vote) {
            None => Some(false),
            Some(Vote::Advisory) => None,
            Some(Vote::Counts) => Some(ends),
        };
        call.stage = Stage::Done { vote };
        self.due.push(Due::Answer(call.id, came));
    }
}

/// The arguments with which a call was proposed once more.
fn proposed(step: &Step, wanted: ToolCallId) -> Option<Arc<str>> {
    step.events().find_map(|numbered| match &numbered.event {
        Event::CallProposed { call, arguments, .. } if *call == wanted => Some(arguments.clone()),
        _ => None,
    })
}

/// Whether a tool may run once more when nobody knows whether it ran.
fn is_harmless_twice(tool: &ToolSpec) -> bool {
    tool.level <= Level::ReadOnly || tool.repeat == Repeat::Idempotent
}

/// A tool of the host that writes or executes, or one that asks for its turn.
fn may_change(call: &Call) -> bool {
    call.tool.as_ref().is_some_and(|tool| {
        let level = matches!(tool.level, Level::Write | Level::Execute);
        tool.pace == Pace::Exclusive || (level && matches!(tool.kind, ToolKind::Host))
    })
}
