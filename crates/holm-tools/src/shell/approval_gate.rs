//! Asks a person about a command, and remembers the answer.
//!
//! The kernel decides whether a call needs approval at all. The gate then answers for the
//! person if the person has answered before: for the same call in this session, or for a
//! command with an approved beginning. It remembers nothing beyond its own life, so an
//! answer never applies to another session, project or agent. It forgets answers when the
//! mode, the grants or the tools change (`answer_withdrawal.rs`).
//!
//! It answers by itself only for the reasons that the person was shown. Approved calls and beginnings
//! of commands are remembered with the grants that they missed, and a call that misses more is asked
//! about again. An answer for a family also answers the open questions of the same caller that miss
//! only its grants, because the calls of one reply are asked about together. Data that would leave
//! after untrusted input came in is always a question for the person.
//!
//! It shows nothing itself: an [`ApprovalAsker`] does, such as `holm-cli/src/approve.rs` or
//! `holm-server/src/live/question_broker.rs`. The words for what an answer covers are in
//! `answer_coverage.rs`, the rules about commands in `rules/mod.rs`. A command that cannot be shown
//! whole is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use holm_grants::{AccessRequest, Grant, GrantSet, Level};
use holm_guards::json::Json;
use holm_kernel::{AskReason, Numbered, Proposal, Verdict};
use holm_runtime::{Approver, BoxFuture, EventSink};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;

use super::answer_coverage::is_never_granted;
use super::answer_family::{AnswerFamily, admits, covers};
use super::answer_withdrawal::{AnswerWithdrawal, WithdrawalReader};
use super::arguments::named_pattern;
use super::closed_places::ClosedPlaces;
use super::rules::{CommandFamily, CommandRules, CommandRuling, records_in_repository};
use super::script::ShellScript;
use super::{RUN_PROGRAM, SHELL};
use crate::{
    files::{self, ProposedChange, is_file_tool},
    root::WorkspaceRoot,
};

/// The end of the kernel's mark for text that a person is not shown.
const NOT_SHOWN: &str = "not shown…]";

/// What a person can say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalAnswer {
    Once,
    /// This very call, for as long as the session lasts. If it is not a command, other calls may use
    /// the grants that it misses too; see [`session_grants`].
    Session,
    /// Every plain command of the same family, such as one that begins like this one, if it runs in
    /// the same folder and misses no other
    /// grants, for as long as the session lasts; see [`ApprovalOffer::prefix`].
    Prefix,
    /// Every call of the same family, for as long as
    /// the session lasts; see [`ApprovalOffer::family`].
    Family,
    No {
        /// Why; the model is told.
        reason: String,
    },
    /// Not this call, now or later in the session.
    Never,
    /// This call with other arguments. They are checked like the model's own, and asked about again.
    Rewrite {
        /// The arguments, as JSON text.
        arguments: String,
    },
}

/// The further answers that a person is offered, beside yes and no.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalOffer {
    /// The rules that [`ApprovalAnswer::Prefix`] would remember; `None` if no beginning of the command
    /// is safe to remember.
    pub prefix: Option<CommandFamily>,
    /// What [`ApprovalAnswer::Family`] would cover; `None` if the call has no family.
    pub family: Option<AnswerFamily>,
    /// The command as a person types it, for shells; hidden characters are written out.
    pub command: Option<String>,
    /// What the call does to the file as it is; `None` if it is not a whole-file write.
    pub change: Option<ProposedChange>,
    /// The helper that makes the call, if it is not the session itself. It includes the helpers
    /// above it, as in `lead › scout`.
    pub helper: Option<String>,
}

/// Whether an answer would be remembered for later calls. Plans are asked about each time. So are
/// granted calls that send data after something was read, and calls for which a hook requires a
/// question. Nothing is remembered for what can never be granted.
#[must_use]
pub fn lasts(proposal: &Proposal) -> bool {
    let is_remembered = |reason: &AskReason| matches!(reason, AskReason::Level | AskReason::MissingGrant);
    let leaves_plan = proposal.reasons.contains(&AskReason::LeavesPlan);
    let is_possible = !proposal.missing.iter().any(|need| is_never_granted(need));
    !leaves_plan
        && is_possible
        && (!proposal.missing.is_empty() || proposal.reasons.iter().all(is_remembered))
}

/// The grants that [`ApprovalAnswer::Session`] gives for the rest of the session, beside this very
/// call. Empty for commands, which need far more than they use, and if a part of the call was
/// shortened or escaped for the screen, because the shown text is not the grant then.
#[must_use]
pub fn session_grants(proposal: &Proposal) -> Vec<Grant> {
    if is_command(proposal) {
        return Vec::new();
    }
    let given: Option<Vec<Grant>> =
        proposal.missing.iter().map(|missing| given(missing, &proposal.arguments)).collect();
    given.unwrap_or_default()
}

pub trait ApprovalAsker: Send + Sync {
    /// Asks about one call. This may take as long as a person takes.
    fn ask(&self, proposal: Proposal, offer: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer>;
}

/// Answers the kernel's questions from memory, or asks a person. Cheap to clone;
/// clones share the memory.
#[derive(Clone)]
pub struct ApprovalGate {
    asker: Arc<dyn ApprovalAsker>,
    memory: Arc<Mutex<ApprovalMemory>>,
    /// Notified after each answer, which may answer other open questions too.
    answered: Arc<Notify>,
    /// The helper whose calls these are.
    helper: Option<Arc<str>>,
    /// The folder of the file tools.
    root: Option<WorkspaceRoot>,
    /// What is hidden from commands.
    closed: Option<ClosedPlaces>,
    /// Whether the tool `write` refuses to replace a file that the model has not read.
    requires_reads: bool,
}

/// The answers of this session.
#[derive(Debug, Default)]
struct ApprovalMemory {
    rules: CommandRules,
    /// The rules before any answer.
    given: CommandRules,
    prefixes: Vec<ApprovedPrefix>,
    /// What families of calls may use, and what was given to every later call.
    families: GrantSet,
    /// Calls that may run again, by their digest.
    again: BTreeMap<String, Vec<ApprovedNeeds>>,
    /// Calls that may never run, by their digest.
    never: BTreeSet<String>,
    open: BTreeMap<u64, OpenQuestion>,
    /// How many questions were asked.
    asked: u64,
    withdrawals: WithdrawalReader,
}

/// Commands with an approved beginning.
#[derive(Debug)]
struct ApprovedPrefix {
    /// Where they run: another folder may hold different files of the same names.
    folder: String,
    family: CommandFamily,
    needs: ApprovedNeeds,
}

impl ApprovedPrefix {
    /// Adds what the answer allows.
    fn allow_in(&self, rules: &mut CommandRules) {
        self.family.rules().iter().for_each(|rule| rules.allow(rule.clone()));
    }
}

/// What an approved call missed, and who made it.
#[derive(Debug, Clone)]
struct ApprovedNeeds {
    missing: Vec<String>,
    helper: Option<Arc<str>>,
    /// The tool is one that does not change while a session runs.
    is_command: bool,
}

impl ApprovedNeeds {
    /// Whether the approval covers the missing grants of another call. Helpers have grants of their
    /// own, so what one caller may use says nothing about another.
    fn cover(&self, proposal: &Proposal, helper: Option<&Arc<str>>) -> bool {
        let is_approved = |need: &String| self.missing.contains(need);
        proposal.missing.is_empty()
            || (self.helper.as_ref() == helper && proposal.missing.iter().all(is_approved))
    }
}

/// A question that waits for its answer.
#[derive(Debug, Default)]
struct OpenQuestion {
    /// The helper that makes the call.
    helper: Option<Arc<str>>,
    /// The grants that other answers gave to the same caller while the question was open.
    given: GrantSet,
}

/// A question in [`ApprovalMemory::open`], removed when this is dropped.
struct OpenApproval {
    id: u64,
    memory: Arc<Mutex<ApprovalMemory>>,
}

impl Drop for OpenApproval {
    fn drop(&mut self) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).open.remove(&self.id);
    }
}

impl ApprovalGate {
    /// A gate with rules that were given beforehand.
    pub fn new(asker: impl ApprovalAsker + 'static, rules: CommandRules) -> Self {
        let memory = ApprovalMemory { given: rules.clone(), rules, ..ApprovalMemory::default() };
        let memory = Arc::new(Mutex::new(memory));
        Self {
            asker: Arc::new(asker),
            memory,
            answered: Arc::default(),
            helper: None,
            root: None,
            closed: None,
            requires_reads: false,
        }
    }

    /// Denies at once what the file tools of this root would refuse after every answer.
    #[must_use]
    pub fn over(self, root: WorkspaceRoot) -> Self {
        Self { root: Some(root), ..self }
    }

    /// Denies commands at once that could only read files that the jail hides.
    #[must_use]
    pub fn hiding(self, closed: ClosedPlaces) -> Self {
        Self { closed: Some(closed), ..self }
    }

    /// Denies writes at once that [`files::tools`](crate::files::tools) would refuse after every answer,
    /// because the model has not read the file that they replace.
    #[must_use]
    pub fn requiring_reads(self) -> Self {
        Self { requires_reads: true, ..self }
    }

    /// Why a command could do nothing but read hidden files.
    fn closed_to_commands(&self, shown: Option<&ProposedCommand>) -> Option<String> {
        let (closed, shown) = self.closed.as_ref().zip(shown)?;
        closed.refusal(&shown.script, &shown.folder)
    }

    /// Why the tools would refuse the call even if it was approved. Commands are not judged: their
    /// jail decides by what they really do.
    fn refusal(&self, proposal: &Proposal) -> Option<String> {
        let root = self.root.as_ref().filter(|_| proposal.level < Level::Execute)?;
        if let Some(reason) = files::unreadable_patch(&proposal.tool, &proposal.arguments) {
            return Some(reason);
        }
        let needs = proposal.needs.iter().filter_map(|need| need.parse::<AccessRequest>().ok());
        let is_file_tool = is_file_tool(&proposal.tool);
        let refused = |need: AccessRequest| {
            let inside = if is_file_tool { root.check_inside(&need) } else { Ok(()) };
            inside.and_then(|()| root.check(&need)).err()
        };
        needs.filter_map(refused).map(|refused| refused.to_string()).next()
    }

    /// The root of the session's own calls. A helper may work in a folder of its own.
    fn own_root(&self) -> Option<&WorkspaceRoot> {
        self.root.as_ref().filter(|_| self.helper.is_none())
    }

    /// Why a write would fail after every answer: the model has not read the file that it replaces.
    fn unread(&self, proposal: &Proposal) -> Option<String> {
        files::unread(self.own_root().filter(|_| self.requires_reads)?, &proposal.tool, &proposal.arguments)
    }

    /// What the call does to a file, if the shown arguments are those that will run.
    fn change(&self, proposal: &Proposal) -> Option<ProposedChange> {
        let is_whole = digest(&proposal.tool, &proposal.arguments) == proposal.digest;
        let root = self.own_root().filter(|_| is_whole)?;
        ProposedChange::of(root, &proposal.tool, &proposal.arguments)
    }

    /// Forgets every answer. The rules that were given beforehand stay.
    pub fn forget(&self) {
        let mut memory = self.memory();
        let mut open = std::mem::take(&mut memory.open);
        open.values_mut().for_each(|question| question.given = GrantSet::default());
        *memory = ApprovalMemory {
            rules: memory.given.clone(),
            given: memory.given.clone(),
            open,
            asked: memory.asked,
            ..ApprovalMemory::default()
        };
    }

    fn open(&self) -> OpenApproval {
        let mut memory = self.memory();
        memory.asked += 1;
        let id = memory.asked;
        memory.open.insert(id, OpenQuestion { helper: self.helper.clone(), given: GrantSet::default() });
        OpenApproval { id, memory: Arc::clone(&self.memory) }
    }

    /// Returns when other answers have answered this question too.
    async fn answered_by_others(&self, open: &OpenApproval, proposal: &Proposal) -> Verdict {
        let script = script_of(proposal);
        loop {
            let mut answered = std::pin::pin!(self.answered.notified());
            // Registered before the memory is read, so that no answer is missed in between.
            answered.as_mut().enable();
            if let Some(verdict) = self.recall(proposal, script.as_ref(), Some(open)) {
                return verdict;
            }
            answered.await;
        }
    }

    /// The answer that was given before or while the question was open, if there is one.
    fn recall(
        &self,
        proposal: &Proposal,
        shown: Option<&ProposedCommand>,
        open: Option<&OpenApproval>,
    ) -> Option<Verdict> {
        let memory = self.memory();
        let since = open.and_then(|open| memory.open.get(&open.id)).map(|open| open.given.clone());
        memory.recall(proposal, shown, self.helper.as_ref(), &since.unwrap_or_default())
    }

    fn memory(&self) -> MutexGuard<'_, ApprovalMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Approver for ApprovalGate {
    fn judge(&self, proposal: Proposal) -> BoxFuture<'static, Verdict> {
        if is_cut(&proposal) {
            let verdict = Verdict::deny("it is too long to show; write it to a file and run that");
            return Box::pin(async { verdict });
        }
        if let Some(reason) = self.refusal(&proposal).or_else(|| unconfinable(&proposal)) {
            return Box::pin(async { Verdict::deny(reason) });
        }
        let script = script_of(&proposal);
        if let Some(reason) = self.closed_to_commands(script.as_ref()) {
            return Box::pin(async { Verdict::deny(reason) });
        }
        if let Some(reason) = self.unread(&proposal) {
            return Box::pin(async { Verdict::deny(reason) });
        }
        if let Some(verdict) = self.recall(&proposal, script.as_ref(), None) {
            return Box::pin(async { verdict });
        }
        let offer = ApprovalOffer {
            prefix: script
                .as_ref()
                .and_then(|shown| CommandFamily::suggest(&shown.script, self.closed.is_some())),
            family: AnswerFamily::of(&proposal),
            command: script.as_ref().map(|shown| holm_kernel::visible(&shown.text)),
            change: self.change(&proposal),
            helper: self.helper.as_deref().map(holm_kernel::visible),
        };
        let shown = with_repository(&proposal, script.as_ref());
        let folder = script.map(|shown| shown.folder);
        let (gate, asked) = (self.clone(), self.asker.ask(shown, offer.clone()));
        let open = self.open();
        Box::pin(async move {
            let answer = tokio::select! {
                biased;
                answer = asked => answer,
                verdict = gate.answered_by_others(&open, &proposal) => return verdict,
            };
            drop(open);
            let (missing, helper) = (proposal.missing.clone(), gate.helper.clone());
            let needs = ApprovedNeeds { missing, helper, is_command: is_command(&proposal) };
            let prefix = offer.prefix.zip(folder);
            let prefix =
                prefix.map(|(family, folder)| ApprovedPrefix { folder, family, needs: needs.clone() });
            let family = offer.family.map(|family| family.grants().to_vec()).unwrap_or_default();
            gate.memory().keep(&answer, &proposal, needs, prefix, &family);
            if answer == ApprovalAnswer::Family {
                gate.memory().give_open(gate.helper.as_ref(), &family);
            }
            gate.answered.notify_waiters();
            verdict(answer, &proposal, family)
        })
    }

    /// The same memory and the same person, who is told which helper makes the calls.
    fn of_helper(&self, helper: &str) -> Option<Arc<dyn Approver>> {
        let helper = match &self.helper {
            Some(above) => format!("{above} › {helper}").into(),
            None => helper.into(),
        };
        Some(Arc::new(Self { helper: Some(helper), ..self.clone() }))
    }
}

/// The question about a call, with the repository among its needs where the tool opens it for plain
/// commands of git: see `ShellSetup::with_repository`.
fn with_repository(proposal: &Proposal, command: Option<&ProposedCommand>) -> Proposal {
    let mut shown = proposal.clone();
    let is_missing = |need: &&str| proposal.missing.iter().any(|missing| missing == need);
    let is_granted = !["read:**", "write:**"].iter().any(is_missing);
    if is_granted && command.is_some_and(|command| records_in_repository(&command.script)) {
        let more = ["read:.git/**", "write:.git/**"].map(str::to_owned);
        shown.needs.extend(more.into_iter().filter(|need| !proposal.needs.contains(need)));
    }
    shown
}

/// A change of mode, grants or tools forgets the answers that were given before it.
impl EventSink for ApprovalGate {
    fn event(&self, event: &Numbered) {
        let withdrawn = self.memory().withdrawals.read(event);
        match withdrawn {
            AnswerWithdrawal::Nothing => {}
            AnswerWithdrawal::Tools => self.memory().forget_tools(),
            AnswerWithdrawal::Everything => self.forget(),
        }
    }
}

impl std::fmt::Debug for ApprovalGate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApprovalGate").field("memory", &self.memory()).finish_non_exhaustive()
    }
}

impl ApprovalMemory {
    /// Forgets answers about tools that may have changed. One that the person forbade stays so.
    fn forget_tools(&mut self) {
        self.families = GrantSet::default();
        self.again.retain(|_, all| all.iter().all(|needs| needs.is_command));
    }

    /// The answer that was given before, if there is one. `since` are the grants that other answers
    /// gave while this question was open.
    fn recall(
        &self,
        proposal: &Proposal,
        shown: Option<&ProposedCommand>,
        helper: Option<&Arc<str>>,
        since: &GrantSet,
    ) -> Option<Verdict> {
        if self.never.contains(&proposal.digest) {
            return Some(Verdict::deny("the user said never in this session"));
        }
        let ruling = shown.map(|shown| self.rules_in(&shown.folder).judge(&shown.script));
        match &ruling {
            Some(CommandRuling::Denied(rule)) => {
                return Some(Verdict::deny(format!("the rule `{rule}` forbids it")));
            }
            Some(CommandRuling::Unclear(why)) => return Some(Verdict::deny(*why)),
            Some(CommandRuling::Allowed | CommandRuling::Ask) | None => {}
        }
        let was_approved = self.was_approved(proposal, shown, helper);
        let is_level_known =
            was_approved || ruling == Some(CommandRuling::Allowed) || covers(&self.families, proposal);
        let is_missing_given = was_approved || proposal.missing.iter().all(|need| admits(since, need));
        let is_answered = |reason: &AskReason| match reason {
            AskReason::Level => is_level_known,
            AskReason::MissingGrant => is_missing_given,
            AskReason::EgressAfterMark
            | AskReason::WriteAfterMark
            | AskReason::HookWants
            | AskReason::LeavesPlan => false,
        };
        let is_asked = !proposal.reasons.is_empty() || is_level_known;
        let answers = is_asked && is_missing_given && proposal.reasons.iter().all(is_answered);
        answers.then(Verdict::allow)
    }

    /// Whether this call, or a command with this beginning, was approved without
    /// more grants than it misses now.
    fn was_approved(
        &self,
        proposal: &Proposal,
        shown: Option<&ProposedCommand>,
        helper: Option<&Arc<str>>,
    ) -> bool {
        if self
            .again
            .get(&proposal.digest)
            .is_some_and(|all| all.iter().any(|needs| needs.cover(proposal, helper)))
        {
            return true;
        }
        let Some(shown) = shown else { return false };
        let mut rules = CommandRules::default();
        let here = self.prefixes.iter().filter(|prefix| prefix.folder == shown.folder);
        let stays_inside = proposal.missing.iter().all(|need| stays_inside(need));
        here.filter(|prefix| stays_inside && prefix.needs.cover(proposal, helper))
            .for_each(|prefix| prefix.allow_in(&mut rules));
        rules.judge(&shown.script) == CommandRuling::Allowed
    }

    /// Adds the grants of an answer to the open questions of the same
    /// caller. Helpers have grants of their own.
    fn give_open(&mut self, helper: Option<&Arc<str>>, grants: &[Grant]) {
        for question in self.open.values_mut().filter(|question| question.helper.as_ref() == helper) {
            question.given = question.given.iter().chain(grants).cloned().collect();
        }
    }

    /// The rules for commands that run in this folder.
    fn rules_in(&self, folder: &str) -> CommandRules {
        let mut rules = self.rules.clone();
        let here = self.prefixes.iter().filter(|prefix| prefix.folder == folder);
        here.for_each(|prefix| prefix.allow_in(&mut rules));
        rules
    }

    fn keep(
        &mut self,
        answer: &ApprovalAnswer,
        proposal: &Proposal,
        needs: ApprovedNeeds,
        prefix: Option<ApprovedPrefix>,
        family: &[Grant],
    ) {
        match answer {
            ApprovalAnswer::Once | ApprovalAnswer::No { .. } | ApprovalAnswer::Rewrite { .. } => {}
            ApprovalAnswer::Session => {
                self.again.entry(proposal.digest.clone()).or_default().push(needs);
                // The question says that they count for every later call.
                let given = session_grants(proposal);
                self.families = self.families.iter().chain(&given).cloned().collect();
            }
            ApprovalAnswer::Prefix => self.prefixes.extend(prefix),
            ApprovalAnswer::Family => {
                self.families = self.families.iter().chain(family).cloned().collect();
            }
            ApprovalAnswer::Never => drop(self.never.insert(proposal.digest.clone())),
        }
    }
}

fn verdict(answer: ApprovalAnswer, proposal: &Proposal, family: Vec<Grant>) -> Verdict {
    match answer {
        // A prefix is about commands, which get the grants that they miss one by one.
        ApprovalAnswer::Once | ApprovalAnswer::Prefix => Verdict::allow(),
        ApprovalAnswer::Session => {
            Verdict::Allow { grants: session_grants(proposal).into_iter().collect(), until: None }
        }
        ApprovalAnswer::Family => Verdict::Allow { grants: family.into_iter().collect(), until: None },
        ApprovalAnswer::No { reason } => Verdict::Deny { reason },
        ApprovalAnswer::Never => Verdict::deny("the user said never in this session"),
        ApprovalAnswer::Rewrite { arguments } => Verdict::Rewrite { arguments },
    }
}

/// The grant that a person gives by approving, for later calls too, what a call lacks. A star that
/// comes from the call's arguments is a literal character and opens nothing else. A star that a
/// tool put behind a folder, for all of its content, is a pattern.
fn given(missing: &str, arguments: &str) -> Option<Grant> {
    if is_shortened(missing) {
        return None;
    }
    let pattern: Grant = missing.parse().ok()?;
    let request = missing.parse::<AccessRequest>();
    let Some(exact) = request.ok().and_then(|request| Grant::exactly(&request).ok()) else {
        return Some(pattern);
    };
    let folder = missing.strip_suffix("**").unwrap_or(missing);
    // Arguments that cannot be parsed, such as shortened ones, may contain a star.
    let brought = Json::parse(arguments).map_or(true, |arguments| arguments.canonical().contains('*'));
    let is_pattern = !folder.contains('*') && !brought;
    Some(if is_pattern { pattern } else { exact })
}

/// Whether a need is about programs or about files of the workspace. A prefix shows the words of a
/// command and not the folders, hosts and secrets that it uses, so it covers no other need.
fn stays_inside(need: &str) -> bool {
    match need.parse::<AccessRequest>() {
        Ok(AccessRequest::Exec(_)) => true,
        Ok(AccessRequest::Read(path) | AccessRequest::Write(path)) => {
            !path.is_absolute() && !path.as_str().starts_with('~')
        }
        Ok(_) | Err(_) => false,
    }
}

/// Whether a text was shortened or written out for the screen, so that it is not the need itself.
pub(super) fn is_shortened(need: &str) -> bool {
    need.contains(NOT_SHOWN) || need.contains("\\u{")
}

/// Whether a command has parts that the person would not see. A model can write such a mark itself,
/// and its call is then refused.
fn is_cut(proposal: &Proposal) -> bool {
    let cut = |text: &String| text.contains(NOT_SHOWN);
    let whole = digest(&proposal.tool, &proposal.arguments) == proposal.digest;
    let arguments = !whole && cut(&proposal.arguments);
    is_command(proposal) && (arguments || proposal.needs.iter().chain(&proposal.missing).any(cut))
}

fn is_command(proposal: &Proposal) -> bool {
    [SHELL, RUN_PROGRAM].contains(&proposal.tool.as_str())
}

/// Why no jail could be made for a command, so that an answer would be in vain.
fn unconfinable(proposal: &Proposal) -> Option<String> {
    let arguments = Json::parse(&proposal.arguments).ok().filter(|_| is_command(proposal))?;
    named_pattern(&arguments)
}

/// A command exactly as it will run.
struct ProposedCommand {
    text: String,
    script: ShellScript,
    /// Where it starts, as the call names it.
    folder: String,
}

/// The command of a question, if the digest proves that the shown text is what will run.
fn script_of(proposal: &Proposal) -> Option<ProposedCommand> {
    if digest(&proposal.tool, &proposal.arguments) != proposal.digest {
        return None;
    }
    let arguments = Json::parse(&proposal.arguments).ok()?;
    let folder = arguments.get("folder").and_then(Json::as_str).unwrap_or(".").to_owned();
    match proposal.tool.as_str() {
        SHELL => {
            let text = arguments.get("script")?.as_str()?.to_owned();
            Some(ProposedCommand { script: ShellScript::read(&text).ok()?, text, folder })
        }
        RUN_PROGRAM => {
            let args = arguments.get("args").and_then(Json::as_array).unwrap_or_default();
            let program = arguments.get("program")?.as_str()?;
            let words = std::iter::once(Some(program)).chain(args.iter().map(Json::as_str));
            let words: Vec<String> = words.map(|word| word.map(str::to_owned)).collect::<Option<_>>()?;
            Some(ProposedCommand { text: words.join(" "), script: ShellScript::of_words(&words), folder })
        }
        _ => None,
    }
}

/// Computes the digest like [`Proposal::digest`]: both parts, each preceded by its length.
pub(super) fn digest(tool: &str, arguments: &str) -> String {
    let mut hash = Sha256::new();
    for part in [tool, arguments] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
