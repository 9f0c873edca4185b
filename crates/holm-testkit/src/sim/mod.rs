//! Plays a script against a real kernel, by way of a journal.
//!
//! The order is the one that every host keeps: handle, append, perform. So a crash can be put before or after any
//! append, and what is lost then is what a real host would lose: its queue, its timers and the answers it waited
//! for, never the journal and never what tools have done in the world.
//!
//! A script is played for safety, as it stands, or for liveness ([`Sim::lively`]): then the world behaves once the script has
//! nothing more that goes wrong.

mod crash;
mod liveness;
mod perform;
mod script_supply;

use std::collections::{BTreeMap, VecDeque};

use holm_kernel::{
    Budget, CallId, Config, Effect, Ending, Event, IdempotencyKey, Input, Prompt, QuestionId, Run, Seq,
    Started, Timestamp, ToolCallId,
    journal::{self, JournalWriter, Snapshot},
};

pub(crate) use self::perform::{PATIENCE, answered};
use self::script_supply::Supply;
use crate::naive::Naive;
use crate::outcome::state_of;
use crate::planted::{Slip, planted};
use crate::{Fault, Mishap, Offence, Outcome, Ran, Rest, Script, Sent, Step, Verdicted, Violation, What};

/// Records after which a simulation gives up: far beyond what any bounded script needs.
pub const MOST_RECORDS: usize = 20_000;

/// Where the clock stands when a simulation begins, so that it can be set back.
const MORNING: u64 = 1_000_000;

/// A kernel, a script, a clock that jumps to the next thing that happens, and a seed for the rest.
///
/// ```
/// use holm_kernel::{Config, ModelSpec, Outcome, ToolSpec, ToolResult, Block};
/// use holm_guards::json::Json;
/// use holm_testkit::{Fault, Line, Mishap, Script, Sim};
///
/// let mut config = Config::new(ModelSpec::named("scripted/one"));
/// config.tools = vec![ToolSpec::new("pay", "Pays.", Json::object::<String>([]))];
/// config.mode = holm_grants::Mode::Full;
/// let script = Script {
///     model: vec![Line::calls("pay", "{}")],
///     // Record 3 says that the call was dispatched. Then the host dies.
///     faults: vec![Fault { at: 3, mishap: Mishap::CrashAfter }],
///     ..Script::prompted("Pay the bill.")
/// };
/// let outcome = Sim::new(config, script, 7).run();
/// let blocks = outcome.run.transcript().iter().flat_map(|message| &message.blocks);
/// let results: Vec<&ToolResult> = blocks
///     .filter_map(|block| if let Block::ToolResult(result) = block { Some(result) } else { None })
///     .collect();
/// assert_eq!(results[0].outcome, Outcome::Unknown);
/// assert!(outcome.ran.is_empty(), "and it is not run again to find out");
/// ```
#[derive(Debug)]
pub struct Sim {
    seed: u64,
    drawn: u64,
    clock: u64,
    run: Run,
    writer: JournalWriter,
    /// As bytes, because a line may be cut within a letter.
    journal: Vec<u8>,
    /// The length of the line that was appended last.
    appended: usize,
    /// The last line was cut, and nobody has taken over since.
    torn: bool,
    supply: Supply,
    /// What people say next; heard before anything else is done.
    said: VecDeque<Input>,
    /// What the host still has to do.
    todo: VecDeque<Effect>,
    /// What will happen by itself, by time and order.
    coming: BTreeMap<(u64, u64), Coming>,
    wait: Option<Timestamp>,
    snapshot: Option<Snapshot>,
    children: BTreeMap<IdempotencyKey, perform::Grown>,
    /// Questions that nobody answers, with what was shown.
    in_vain: BTreeMap<QuestionId, Verdicted>,
    /// What befalls the next answer, and the record from which it does.
    mishap: Option<Fault>,
    /// The next two answers change places: the record from which they do.
    swaps: Option<u64>,
    /// Faults that really happened.
    befell: Vec<Fault>,
    /// How often each call was answered.
    answered: BTreeMap<CallId, u64>,
    calm: liveness::Calm,
    steps: Vec<Step>,
    sent: Vec<Sent>,
    ran: Vec<Ran>,
    takeovers: u64,
    /// The host dies once it has nothing left to do.
    dying: bool,
    /// Decides the same, record by record.
    naive: Naive,
    violations: Vec<Violation>,
}

/// Something that will happen by itself.
#[derive(Debug)]
enum Coming {
    /// A fact arrives.
    Fact(Input, Option<Verdicted>),
    /// A tool does its work, and answers unless its answer is lost.
    Work {
        call: ToolCallId,
        tool: std::sync::Arc<str>,
        arguments: std::sync::Arc<str>,
        key: IdempotencyKey,
        lost: bool,
    },
}

impl Coming {
    fn is_about(&self, wanted: CallId) -> bool {
        match self {
            Self::Fact(input, _) => input.call() == Some(wanted),
            Self::Work { call, .. } => wanted == *call,
        }
    }
}

/// Whether the host that gave a fact goes on, or the run was folded again from its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    Lives,
    Died,
}

impl Sim {
    /// Sets the stage. The seed decides how long everything takes, and so in which order answers arrive.
    pub fn new(config: Config, script: Script, seed: u64) -> Self {
        let started = Started::new("sim", seed, config);
        let now = Timestamp::new(MORNING);
        let naive = Naive::new(&started.config);
        let mut violations = Vec::new();
        let (run, writer, journal) = journal::begin(started.clone(), now).unwrap_or_else(|error| {
            violations.push(Violation::new("a configuration can be journaled", None, error.to_string()));
            (Run::start(started.clone(), now), JournalWriter::new(), String::new())
        });
        let mut sim = Self {
            seed,
            drawn: 0,
            clock: MORNING,
            run,
            writer,
            appended: journal.len(),
            journal: journal.into_bytes(),
            torn: false,
            supply: Supply::new(script),
            said: VecDeque::new(),
            todo: VecDeque::new(),
            coming: BTreeMap::new(),
            wait: None,
            snapshot: None,
            children: BTreeMap::new(),
            in_vain: BTreeMap::new(),
            mishap: None,
            swaps: None,
            befell: Vec::new(),
            answered: BTreeMap::new(),
            calm: liveness::Calm::Never,
            steps: Vec::new(),
            sent: Vec::new(),
            ran: Vec::new(),
            takeovers: 0,
            dying: false,
            naive,
            violations,
        };
        sim.drain(Input::Started(Box::new(started)), None);
        sim
    }

    /// Plays to the end.
    pub fn run(mut self) -> Outcome {
        let rest = loop {
            if self.steps.len() > MOST_RECORDS {
                break Rest::Endless;
            }
            self.calm_down_if_spent();
            if let Some(input) = self.said.pop_front() {
                self.hear(input);
            } else if let Some(effect) = self.todo.pop_front() {
                self.perform(effect);
            } else if self.dying {
                self.die_having_performed();
            } else if let Some(rest) = self.advance() {
                break rest;
            }
        };
        self.outcome(rest)
    }

    fn outcome(mut self, rest: Rest) -> Outcome {
        let state = self.state();
        let effects = self.steps.iter().flat_map(|step| &step.effects);
        let endings = effects.filter_map(|effect| match effect {
            Effect::Finish(ending) => Some(Ending::clone(ending)),
            _ => None,
        });
        let endings = endings.collect();
        let journal = String::from_utf8(self.journal).unwrap_or_else(|error| {
            self.violations.push(Violation::new("a journal is text", None, error.to_string()));
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        Outcome {
            seed: self.seed,
            endings,
            script: self.supply.into_script(),
            steps: self.steps,
            journal,
            befell: self.befell,
            answered: self.answered,
            calm: self.calm.since(),
            sent: self.sent,
            ran: self.ran,
            rest,
            run: self.run,
            state,
            takeovers: self.takeovers,
            naive: self.naive.comparison,
            violations: self.violations,
        }
    }

    /// Goes on to the next thing that happens by itself; where nothing does, to the next prompt or interruption.
    fn advance(&mut self) -> Option<Rest> {
        self.change_places();
        let due = self.coming.keys().next().map(|(time, _)| *time);
        let wait = self.wait.filter(|_| !self.fires_for_ever()).map(Timestamp::value);
        match (due, wait) {
            (None, None) => return self.at_rest(),
            (due, Some(wait)) if due.is_none_or(|due| wait < due || (wait == due && self.flips())) => {
                self.clock = self.clock.max(wait);
                self.give(Input::TimePassed, None);
            }
            _ => {
                let Some(((time, _), coming)) = self.coming.pop_first() else { return self.at_rest() };
                self.clock = self.clock.max(time);
                self.happen(coming);
            }
        }
        None
    }

    /// At the end of time, which two jumps of the clock reach, a timer that has fired in vain would fire again and again.
    fn fires_for_ever(&self) -> bool {
        let fired = |step: &Step| {
            matches!(step.input, Input::TimePassed) && step.effects.is_empty() && step.wait == self.wait
        };
        self.clock == u64::MAX && self.steps.last().is_some_and(fired)
    }

    fn at_rest(&mut self) -> Option<Rest> {
        if self.run.is_idle()
            && let Some(prompt) = self.supply.prompt()
        {
            self.give(Input::Prompted(Prompt::text(prompt)), None);
            return None;
        }
        if let Some(what) = self.supply.interrupt(u64::MAX) {
            self.interrupt(what);
            return None;
        }
        if self.calm == liveness::Calm::Awaited {
            self.calm_down();
            return None;
        }
        if self.run.is_idle() {
            return Some(Rest::Idle);
        }
        let answered = |question: &QuestionId| {
            // The first question about a call has its number.
            let call = CallId::from(*question);
            let finished =
                |event: &Event| matches!(event, Event::CallFinished { call: of, .. } if call == *of);
            self.steps.iter().flat_map(Step::events).any(|numbered| finished(&numbered.event))
        };
        let waits = self.in_vain.keys().any(|question| !answered(question));
        Some(if waits { Rest::AwaitsPerson } else { Rest::Stuck })
    }

    /// Gives one fact to the kernel and appends its record; then whatever is due at this record happens.
    fn give(&mut self, input: Input, verdict: Option<Verdicted>) -> Host {
        let seq = self.run.receipt().seq.value() + 1;
        let crash = self.supply.crash(seq);
        let stood = crash.is_some_and(Mishap::loses_the_record).then(|| self.state());
        let line = journal::step(&mut self.run, &mut self.writer, Timestamp::new(self.clock), input.clone());
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                self.violate("a well-behaved host is never refused", format!("{error}: {input:?}"));
                return Host::Lives;
            }
        };
        self.befell.extend(crash.map(|mishap| Fault { at: seq, mishap }));
        let ignored = planted(Slip::FailedAppendIgnored) && crash == Some(Mishap::DiskFull);
        if let (Some(mishap), Some(stood)) = (crash.filter(|_| !ignored), stood) {
            self.fail_to_append(mishap, &line, &stood);
            return Host::Died;
        }
        let early = planted(Slip::AcknowledgedEarly) && crash == Some(Mishap::CrashPerformed);
        if !ignored && !early {
            self.append(&line);
        }
        let again = perform::may_come_twice(&input).then(|| (input.clone(), verdict.clone()));
        self.drain(input, verdict);
        let elsewhere = match crash {
            Some(Mishap::CrashAfter) => crash::Elsewhere::Lost,
            Some(Mishap::CrashLeaving) => crash::Elsewhere::Answers,
            other => {
                self.dying |= other == Some(Mishap::CrashPerformed);
                self.befall(seq, again.as_ref());
                return Host::Lives;
            }
        };
        let stood = self.state();
        self.recover(&stood, elsewhere);
        Host::Died
    }

    fn append(&mut self, line: &str) {
        self.journal.extend_from_slice(line.as_bytes());
        self.appended = line.len();
    }

    /// Takes what came out and lines up what is to be done.
    fn drain(&mut self, input: Input, verdict: Option<Verdicted>) {
        let receipt = self.run.receipt();
        let mut effects = Vec::new();
        self.wait = loop {
            match self.run.poll() {
                Effect::Wait(deadline) => break deadline,
                effect => effects.push(effect),
            }
        };
        for effect in &effects {
            match effect {
                Effect::CallModel { call, request } | Effect::Summarise { call, request } => {
                    let messages = self.run.messages(request).to_vec();
                    self.sent.push(Sent {
                        seq: receipt.seq,
                        call: *call,
                        request: request.clone(),
                        messages,
                    });
                    self.todo.push_back(effect.clone());
                }
                Effect::Abort(call) => self.stop(*call),
                Effect::Emit(_) | Effect::Finish(_) | Effect::Wait(_) => {}
                Effect::RunTool { .. }
                | Effect::Spawn { .. }
                | Effect::Judge(_)
                | Effect::Consult(_)
                | Effect::Check { .. } => self.todo.push_back(effect.clone()),
            }
        }
        let step = Step { seq: receipt.seq, at: receipt.at, input, effects, wait: self.wait, verdict };
        self.naive.hear(&step);
        self.steps.push(step);
    }

    /// A host that is told to stop drops what it has not begun; what it has begun may be too far gone.
    fn stop(&mut self, call: CallId) {
        if planted(Slip::AbortUnheard) {
            return;
        }
        self.todo.retain(|effect| perform::call_asked(effect) != Some(call));
        if self.flips() {
            self.coming.retain(|_, coming| !coming.is_about(call));
        }
    }

    /// What the script has for this record.
    fn befall(&mut self, seq: u64, fact: Option<&(Input, Option<Verdicted>)>) {
        for mishap in self.supply.mishaps(seq) {
            let fault = Fault { at: seq, mishap };
            // What befalls an answer happens when one comes, if one does.
            let happens = matches!(mishap, Mishap::Snapshot | Mishap::Slow(_))
                || (mishap == Mishap::Twice && fact.is_some());
            self.befell.extend(happens.then_some(fault));
            match mishap {
                Mishap::Twice => {
                    if let Some((input, verdict)) = fact.cloned() {
                        let delay = self.draw(300);
                        self.expect(delay, Coming::Fact(input, verdict));
                    }
                }
                Mishap::Snapshot => self.take_snapshot(),
                Mishap::Slow(millis) => self.write_slowly(millis),
                Mishap::Reordered => self.swaps = Some(seq),
                Mishap::Late(_) | Mishap::Lost => self.mishap = Some(fault),
                Mishap::CrashBefore
                | Mishap::CrashAfter
                | Mishap::CrashLeaving
                | Mishap::CrashPerformed
                | Mishap::Torn(_)
                | Mishap::DiskFull => {}
            }
        }
        while let Some(what) = self.supply.interrupt(seq) {
            self.interrupt(what);
        }
    }

    /// The append took its time: what is due by now comes before anything is performed and before any answer.
    fn write_slowly(&mut self, millis: u64) {
        self.clock = self.clock.saturating_add(millis);
        if self.wait.is_some_and(|wait| wait.value() <= self.clock) {
            self.said.push_front(Input::TimePassed);
        }
        if planted(Slip::AppendRepeated) {
            let last = self.journal.len().saturating_sub(self.appended);
            let again = self.journal.get(last..).unwrap_or_default().to_vec();
            self.journal.extend_from_slice(&again);
        }
    }

    /// Two answers that wait change places, once there are two.
    fn change_places(&mut self) {
        let Some(at) = self.swaps.take_if(|_| self.coming.len() >= 2) else { return };
        let mut first = self.coming.values_mut();
        if let (Some(one), Some(other)) = (first.next(), first.next()) {
            std::mem::swap(one, other);
            self.befell.push(Fault { at, mishap: Mishap::Reordered });
        }
    }

    fn interrupt(&mut self, what: What) {
        let said = match what {
            What::Prompts(text) => Input::Prompted(Prompt::text(text)),
            What::Steers(text) => Input::Steered(Prompt::text(text)),
            What::FollowsUp(text) => Input::FollowedUp(Prompt::text(text)),
            What::Cancels => Input::Cancelled { reason: "scripted".into() },
            What::Mode(mode) => Input::ModeChanged(mode),
            What::Grants(grants) => Input::GrantsChanged(grants),
            What::Budget(usd) => Input::BudgetChanged(Budget { usd: usd.map(holm_kernel::NanoUsd::new) }),
            What::Tools(names) => {
                let tools = self.run.config().tools.iter().filter(|tool| names.contains(&tool.name));
                Input::ToolsChanged(tools.cloned().collect())
            }
            What::ClockForward(millis) => {
                self.clock = self.clock.saturating_add(millis);
                Input::TimePassed
            }
            What::ClockBack(millis) => {
                self.clock = self.clock.saturating_sub(millis);
                return;
            }
            What::HandOver => self.resumed(),
            What::Mistake(offence) => return self.err(offence),
        };
        self.said.push_back(said);
    }

    fn hear(&mut self, input: Input) {
        if matches!(input, Input::Resumed { .. }) {
            // Another host goes on; what the first had not begun is asked for again.
            self.todo.clear();
        }
        self.give(input, None);
    }

    /// Makes a mistake on purpose: it must be refused, and nothing may change.
    fn err(&mut self, offence: Offence) {
        let input = match offence {
            Offence::UnknownCall => perform::about_nothing(1 << 40, self.draw(7)),
            Offence::StartedAgain => Input::Started(Box::new(self.run.started().clone())),
            Offence::NotDispatched => {
                let first = self.todo.iter().find_map(|effect| match effect {
                    Effect::RunTool { call, request } if !request.again => Some(*call),
                    _ => None,
                });
                let Some(call) = first else { return };
                Input::ToolFinished { call, result: holm_kernel::ToolOutput::text("too early") }
            }
        };
        let before = self.state();
        let refused = self.run.handle(Timestamp::new(self.clock), input).is_err();
        if !refused {
            self.violate("a host's mistake is refused", format!("{offence:?}"));
        }
        if self.state() != before {
            self.violate("a refused fact leaves the run unchanged", format!("{offence:?}"));
        }
    }

    fn violate(&mut self, promise: &'static str, message: impl Into<String>) {
        let seq: Seq = self.run.receipt().seq;
        self.violations.push(Violation::new(promise, seq, message));
    }

    /// The whole state as text, to be compared.
    fn state(&mut self) -> String {
        let state = self.writer.head().map(|head| state_of(&self.run, head));
        match state {
            Some(Ok(state)) => state,
            Some(Err(error)) => {
                self.violate("a state can be written", error.to_string());
                String::new()
            }
            None => String::new(),
        }
    }

    fn expect(&mut self, delay: u64, coming: Coming) {
        if let Coming::Fact(input, _) = &coming {
            self.count_answer(input);
        }
        let order = self.drawn;
        self.coming.insert((self.clock.saturating_add(delay), order), coming);
        self.drawn += 1;
    }

    /// Somebody answered a call, whether or not the host comes to hear of it.
    fn count_answer(&mut self, input: &Input) {
        if let Some(call) = perform::answered(input) {
            *self.answered.entry(call).or_default() += 1;
        }
    }

    /// A number below `bound`, from the seed.
    fn draw(&mut self, bound: u64) -> u64 {
        self.drawn += 1;
        mix(self.seed, self.drawn) % bound.max(1)
    }

    fn flips(&mut self) -> bool {
        self.draw(2) == 1
    }
}

/// The output step of `SplitMix64`.
const fn mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
