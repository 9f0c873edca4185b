//! Answers approval questions: first by `--yes`, then by a user at the terminal or elsewhere.
//! Without a user, the answer is no. It also writes the text of the question, which the chat shows
//! too.
//!
//! It does not decide whether a question is needed: the kernel does. What an answer covers later is
//! remembered in `holm-tools/src/shell/approval_gate.rs`. Questions of the model are in
//! `helper_terminal.rs`, those of MCP servers in `mcp_servers.rs`, and users who are not at the
//! terminal implement `remote_user.rs`.
//!
//! A question must show everything that the user approves, with hidden characters, look-alikes and
//! long gaps made visible. Input that was typed before the question is dropped. `--yes` never
//! approves the end of plan mode, and never covers a need that was shortened for display.
//!
//! Where things are:
//! - `approve/pages.rs` shows a long question page by page.
//! - `approve/lookalikes.rs` warns about letters that look like others.
//! - `approve/call_summary.rs` says what a call would do, as a headline and a change.
//! - `approve/folded_details.rs` shows the needs of a call on request.
//! - `approve/question_group.rs` asks about several calls of one reply together, and
//!   `approve/question_pool.rs` gathers them at the terminal.

mod call_summary;
mod folded_details;
mod lookalikes;
mod pages;
pub(crate) mod question_group;
mod question_pool;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use holm::{
    grants::{AccessRequest, Grant, GrantSet, Level, LevelDecision},
    kernel::{AskReason, Proposal, Verdict},
    runtime::{Approver, BoxFuture},
};
use holm_server::QuestionBroker;
use holm_tools::conversation::{ASK_USER, PERSON_TOOLS};
use holm_tools::shell::{self, ApprovalAnswer, ApprovalAsker, ApprovalGate, ApprovalOffer, CommandRules};
use tokio::sync::oneshot;

use call_summary::CallSummary;
use folded_details::FoldedDetails;
use pages::Refusals;
use question_pool::QuestionPool;

use crate::{
    command_rule,
    editor::ExternalEditor,
    exit::{CommandError, CommandExit},
    folder_trust::TrustLevel,
    holm_paths::quoted,
    remote_user::RemoteUser,
    screen::{ScreenQuestion, TerminalOutput},
    tools::CommandConfinement,
};

/// The longest run of blanks that a question shows as it is: deep indentation, and less than a line.
const WIDEST_GAP: usize = 40;

/// Maximum number of questions that are open at once and still shown to remote watchers.
const MOST_SHARED: usize = 32;

/// The need of a command that may run any program.
const ANY_PROGRAM: &str = "exec:*";

/// How a denial ends for the model.
const FOR_MODEL: &str = ". Do not try again.";

/// How a question begins.
const ASKS: &str = "holm asks: ";

/// How often a question is asked before an unclear answer counts as no. A typing mistake can be
/// corrected, and the run does not wait forever.
const MOST_TRIES: u32 = 3;

/// Answers approval questions for the user at the terminal.
#[derive(Clone)]
pub(crate) struct TerminalApprover {
    /// Grants of `--yes`: calls that need no more are approved without asking.
    yes: GrantSet,
    /// The grants of the run itself: if a helper lacks one of them, its own file does
    /// not ask for it.
    granted: GrantSet,
    person: UserPresence,
    screen: Arc<TerminalOutput>,
    /// Only one question is asked at a time, or two would read the same answer.
    turn: Arc<Mutex<()>>,
    /// The calls that wait for that turn.
    waiting: QuestionPool,
    /// The highest level that a hint names; `ask` gives nothing, so with it no hint names a level.
    highest: TrustLevel,
    /// The folder of a plan while the user edits it; without it, plans cannot be edited.
    drafts: Option<PathBuf>,
    /// Where users who watch the session through a server can answer too.
    broker: Option<Arc<QuestionBroker>>,
}

/// Whether a user can be asked, and where.
#[derive(Clone)]
pub(crate) enum UserPresence {
    There,
    Away,
    /// Not at this terminal: in a chat, an editor or a browser.
    Elsewhere(Arc<dyn RemoteUser>),
}

impl TerminalApprover {
    /// An approver that says yes to these grants by itself.
    pub(crate) fn new(yes: GrantSet, person: UserPresence, screen: Arc<TerminalOutput>) -> Self {
        let granted = GrantSet::default();
        let (waiting, highest) = (QuestionPool::default(), TrustLevel::Jail);
        let turn = Arc::default();
        Self { yes, granted, person, screen, turn, waiting, highest, drafts: None, broker: None }
    }

    /// Whether a question reaches a person.
    pub(crate) fn can_ask(&self) -> bool {
        !matches!(self.person, UserPresence::Away)
    }

    /// The grants that are agreed to, if no question reaches a person.
    pub(crate) fn unattended(&self) -> Option<&GrantSet> {
        (!self.can_ask()).then_some(&self.yes)
    }

    /// The tools that no user could answer. A user who is only asked for approvals still reads notes.
    pub(crate) fn withheld_tools(&self) -> &'static [&'static str] {
        match &self.person {
            UserPresence::There => &[],
            UserPresence::Elsewhere(person) if person.answers_questions() => &[],
            UserPresence::Elsewhere(_) => &[ASK_USER],
            UserPresence::Away => &PERSON_TOOLS,
        }
    }

    /// What passes without a question.
    pub(crate) fn agreed(&self) -> &GrantSet {
        &self.yes
    }

    /// For a run that was granted this.
    pub(crate) fn of_run_with(self, granted: GrantSet) -> Self {
        Self { granted, ..self }
    }

    /// For a run whose commands are confined like this. Without a jail, its level is refused.
    pub(crate) fn confined_by(self, confinement: CommandConfinement) -> Self {
        let highest = match confinement {
            CommandConfinement::Required => TrustLevel::Jail,
            CommandConfinement::None => TrustLevel::Edit,
        };
        Self { highest, ..self }
    }

    /// For a command without `--trust`, so that no hint names a level.
    pub(crate) fn without_levels(self) -> Self {
        Self { highest: TrustLevel::Ask, ..self }
    }

    /// With plans that the person can change, in files of this folder.
    pub(crate) fn drafting_in(self, folder: &Path) -> Self {
        Self { drafts: Some(folder.to_owned()), ..self }
    }

    /// Also asks through this broker: users who watch through a server may answer, and
    /// the first answer counts.
    pub(crate) fn shared(self, broker: &Arc<QuestionBroker>) -> Self {
        Self { broker: Some(Arc::clone(broker)), ..self }
    }

    /// The first answer, from the local user or from a remote watcher. The local user is asked
    /// while the question is open. Without a local user, remote watchers are not waited for.
    pub(crate) fn first<T: Send + 'static>(
        &self,
        open: ScreenQuestion,
        here: BoxFuture<'static, T>,
        elsewhere: impl FnOnce(&Arc<QuestionBroker>) -> BoxFuture<'static, T>,
    ) -> BoxFuture<'static, T> {
        let broker = match &self.person {
            UserPresence::There | UserPresence::Elsewhere(_) => self.broker.as_ref(),
            UserPresence::Away => None,
        };
        // A broker that is full refuses by itself, which is not the answer of a user.
        let Some(broker) = broker.filter(|broker| broker.open().len() < MOST_SHARED) else { return here };
        let elsewhere = elsewhere(broker);
        Box::pin(async move {
            // Dropped last, so that it is known then who has answered.
            let mut here = here;
            tokio::select! {
                answer = &mut here => answer,
                answer = elsewhere => {
                    open.answered_elsewhere();
                    answer
                }
            }
        })
    }

    /// The user, if they are asked elsewhere than on this terminal.
    pub(crate) fn elsewhere(&self) -> Option<&dyn RemoteUser> {
        match &self.person {
            UserPresence::Elsewhere(person) => Some(&**person),
            UserPresence::There | UserPresence::Away => None,
        }
    }

    /// What is written on.
    pub(crate) fn screen(&self) -> &TerminalOutput {
        &self.screen
    }

    /// Asks the local user when it is this question's turn. Returns `None` if no user is there,
    /// or if asking failed.
    pub(crate) fn when_free<T: Send + 'static>(
        &self,
        open: ScreenQuestion,
        ask: impl FnOnce(&TerminalOutput) -> T + Send + 'static,
    ) -> BoxFuture<'static, Option<T>> {
        if !matches!(self.person, UserPresence::There) {
            return Box::pin(async { None });
        }
        let (screen, turn) = (Arc::clone(&self.screen), Arc::clone(&self.turn));
        let waits = AnswerWaitGuard { open, screen: Arc::clone(&screen) };
        Box::pin(async move {
            // Kept until an answer arrives, or until the caller stops waiting.
            let waits = waits;
            let open = waits.open.clone();
            let asked = tokio::task::spawn_blocking(move || {
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                (!open.is_over()).then(|| screen.asking(&open, ask))
            });
            asked.await.ok().flatten()
        })
    }
}

/// Marks a question as open until this is dropped.
struct AnswerWaitGuard {
    open: ScreenQuestion,
    screen: Arc<TerminalOutput>,
}

impl Drop for AnswerWaitGuard {
    fn drop(&mut self) {
        self.screen.give_up(&self.open);
    }
}

/// For a single call, of which nothing needs to be remembered.
impl Approver for TerminalApprover {
    fn judge(&self, proposal: Proposal) -> BoxFuture<'static, Verdict> {
        ApprovalGate::new(self.clone(), CommandRules::default()).judge(proposal)
    }
}

impl ApprovalAsker for TerminalApprover {
    fn ask(&self, proposal: Proposal, offer: ApprovalOffer) -> BoxFuture<'static, ApprovalAnswer> {
        if is_named(&self.yes, &proposal) {
            return Box::pin(async { ApprovalAnswer::Once });
        }
        let (asked, offered, open) = (proposal.clone(), offer.clone(), ScreenQuestion::default());
        let here: BoxFuture<'static, ApprovalAnswer> = match &self.person {
            UserPresence::Elsewhere(person) => person.approve(proposal, offer),
            UserPresence::Away => {
                let why = lacking_helper(&proposal, &self.granted);
                let why = why.unwrap_or_else(|| flags(&proposal, self.highest));
                self.screen.note(&format!("holm: `{}` was denied, {why}", proposal.tool));
                let answer = ApprovalAnswer::No { reason: nobody(&proposal) };
                Box::pin(async { answer })
            }
            UserPresence::There => {
                let (pool, drafts, turn) = (self.waiting.clone(), self.drafts.clone(), open.clone());
                let answer = pool.add(proposal, offer, open.clone());
                let asked =
                    self.when_free(open.clone(), move |screen| pool.ask(screen, &turn, drafts.as_deref()));
                Box::pin(async move { answer_in_turn(answer, asked).await })
            }
        };
        self.first(open, here, |broker| broker.approve(&asked, &offered))
    }
}

/// The answer to a question, which may come while another one has its turn.
async fn answer_in_turn(
    mut answer: oneshot::Receiver<ApprovalAnswer>,
    asked: BoxFuture<'static, Option<()>>,
) -> ApprovalAnswer {
    let not_shown = || ApprovalAnswer::No { reason: "the question could not be shown".into() };
    let answered = tokio::select! {
        biased;
        answer = &mut answer => answer.ok(),
        _ = asked => None,
    };
    // After its turn it was answered, or it waits with others for theirs.
    match answered {
        Some(answer) => answer,
        None => answer.await.unwrap_or_else(|_| not_shown()),
    }
}

/// Whether all needs of a call were named; for a call without declared needs, whether its tool was
/// named. A need that was shortened or escaped for the screen is never covered, because its text is
/// not the need itself.
fn is_named(yes: &GrantSet, proposal: &Proposal) -> bool {
    // Only a user who has read a plan may approve it.
    if proposal.reasons.contains(&AskReason::LeavesPlan) {
        return false;
    }
    let rest: Vec<&String> = shell::asked_needs(proposal).collect();
    match (rest.as_slice(), proposal.needs.as_slice()) {
        // A grant by tool name does not cover the authority that the call would delegate.
        ([], []) => proposal.hands_on.is_empty() && shell::admits(yes, &whole_tool(proposal)),
        // Something else is asked about.
        ([], reads) => reads.iter().all(|need| shell::admits(yes, need)),
        (rest, _) => rest.iter().all(|need| shell::admits(yes, need)),
    }
}

/// The needs that `--yes` has to name for a call to pass.
fn named_by_yes(proposal: &Proposal) -> Vec<String> {
    let rest: Vec<String> = shell::asked_needs(proposal).cloned().collect();
    if rest.is_empty() { proposal.needs.clone() } else { rest }
}

/// What can be typed to give a need: an address without its query, a name with its stars as letters.
/// The stars of a command's needs are patterns, which the tool itself declares.
fn typed(proposal: &Proposal, need: &str) -> String {
    let exact = need.parse::<AccessRequest>().ok().and_then(|need| Grant::exactly(&need).ok());
    let is_pattern = need.ends_with("**") || (proposal.level == Level::Execute && need == ANY_PROGRAM);
    match exact {
        Some(exact) if !is_pattern => exact.to_string(),
        _ => need.to_owned(),
    }
}

/// Whether a call would write a file whose name ends like a pattern. Only commands write patterns, so
/// a flag with this text would cover more than the file.
fn is_literal_pattern(proposal: &Proposal, need: &str) -> bool {
    proposal.level == Level::Write && need.ends_with("**")
}

/// The grant for all that a tool does.
fn whole_tool(proposal: &Proposal) -> String {
    format!("tool:{}", proposal.tool)
}

/// Why a call was denied, for the model and for the journal.
fn nobody(proposal: &Proposal) -> String {
    let never = proposal.missing.iter().find(|need| shell::is_never_granted(need));
    if let Some(never) = never {
        return format!("it needs {never}, which can never be granted");
    }
    let why = match (proposal.missing.as_slice(), asked_although_granted(proposal)) {
        ([grant], _) => format!("{grant} was not granted"),
        (grants @ [_, ..], _) => format!("{} were not granted", grants.join(", ")),
        ([], Some(why)) => why,
        ([], None) => "a user would have to approve it".into(),
    };
    format!("denied for this run: {why}, and no user can be asked{FOR_MODEL}")
}

/// A reason without the words that are only for the model.
pub(crate) fn for_user(reason: &str) -> &str {
    reason.strip_suffix(FOR_MODEL).unwrap_or(reason)
}

/// What is asked about a call that misses no grant.
fn asked_although_granted(proposal: &Proposal) -> Option<String> {
    if !proposal.missing.is_empty() {
        return None;
    }
    let granted = if proposal.needs.is_empty() { "" } else { "what it needs is granted, but " };
    let reasons = proposal.reasons.iter().filter_map(|reason| match reason {
        AskReason::Level => level_asked(proposal.level),
        AskReason::MissingGrant
        | AskReason::EgressAfterMark
        | AskReason::WriteAfterMark
        | AskReason::HookWants
        | AskReason::LeavesPlan => shell::special_reason(*reason),
    });
    let reasons: Vec<&str> = reasons.collect();
    (!reasons.is_empty()).then(|| format!("{granted}{}", reasons.join(", and ")))
}

/// What a mode that asks at this level asks about.
fn level_asked(level: Level) -> Option<&'static str> {
    match level {
        Level::None | Level::ReadOnly => None,
        Level::Write => Some("this mode asks about every write"),
        Level::Execute => Some("this mode asks about every call that can run programs"),
    }
}

/// What to say of a call that misses what the run itself was granted: no flag would have let it run.
fn lacking_helper(proposal: &Proposal, granted: &GrantSet) -> Option<String> {
    let missing = &proposal.missing;
    let is_helper = !missing.is_empty() && missing.iter().all(|need| shell::admits(granted, need));
    is_helper.then(|| {
        let needs: Vec<String> = missing.iter().map(|need| typed(proposal, need)).collect();
        format!("because a helper made the call and its file does not grant {}", needs.join(" and "))
    })
}

/// Which flags would have let a call run, for the person who reads the notes
/// later. It names no level above `highest`.
fn flags(proposal: &Proposal, highest: TrustLevel) -> String {
    if let Some(never) = proposal.missing.iter().find(|need| shell::is_never_granted(need)) {
        return format!("because it needs {never}, which can never be granted");
    }
    let list = |flag: &str, grants: &[String]| {
        grants
            .iter()
            .map(|grant| format!("{flag} {}", quoted(&typed(proposal, grant))))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let plain = |reason: &AskReason| matches!(reason, AskReason::Level | AskReason::MissingGrant);
    let is_plain = proposal.reasons.iter().all(plain);
    // Only a user who has read a plan may approve it, so no flag does. No flag approves delegated
    // authority that it does not name either.
    let unnamed = proposal.needs.is_empty() && !proposal.hands_on.is_empty() && !is_plain;
    if unnamed || proposal.reasons.contains(&AskReason::LeavesPlan) {
        return "because there is no terminal to ask at; run it at a terminal".into();
    }
    // A call whose needs are unknown is allowed as a whole.
    if proposal.needs.is_empty() {
        let grant = list(if is_plain { "--grant" } else { "--yes" }, &[whole_tool(proposal)]);
        let why = asked_although_granted(proposal).filter(|_| !is_plain);
        let why = why.map(|why| format!("{why}: ")).unwrap_or_default();
        return format!("because there is no terminal to ask at; {why}allow it with {grant}");
    }
    if let Some(need) = named_by_yes(proposal).iter().find(|need| is_literal_pattern(proposal, need)) {
        return format!(
            "because there is no terminal to ask at; run it at a terminal: no flag covers {need}, because the \
             name of the file looks like a pattern"
        );
    }
    let granting = proposal.reasons.iter().all(|reason| *reason == AskReason::MissingGrant);
    let how = if granting && !proposal.missing.is_empty() {
        list("--grant", &proposal.missing)
    } else {
        list("--yes", &named_by_yes(proposal))
    };
    let why = asked_although_granted(proposal).map(|why| format!("{why}: ")).unwrap_or_default();
    let how = match lowest_trust(proposal).filter(|level| *level <= highest) {
        // The needs of a command are those of every command.
        Some(TrustLevel::Jail) => format!("--trust jail, or {}", narrower(proposal, &how)),
        Some(level) => format!("--trust {}, or this call alone with {how}", level.name()),
        None => how,
    };
    format!("because there is no terminal to ask at; {why}allow it with {how}")
}

/// The smallest flags that let a command run, with what they cover. `how` are the flags for its needs.
fn narrower(proposal: &Proposal, how: &str) -> String {
    let level = TrustLevel::Edit.name();
    match command_rule::rule_of(&proposal.tool, &proposal.arguments) {
        Some(rule) => {
            let covers = if rule.is_exact() { "this command alone" } else { "commands like this one" };
            let rule = quoted(&rule.to_string());
            format!("{covers} with --trust {level} --allow-command {rule}")
        }
        None => format!("every command with {how}"),
    }
}

/// The lowest level of trust that lets a call run without a question, if there is one.
pub(crate) fn lowest_trust(proposal: &Proposal) -> Option<TrustLevel> {
    let suffices = |level: &TrustLevel| {
        let grants: GrantSet = level.grants().into_iter().collect();
        let has_all = proposal.missing.iter().all(|need| shell::admits(&grants, need));
        // The level also replaces the mode of the run.
        let is_unasked = level.mode().stance(proposal.level) == LevelDecision::Allow
            || shell::admits(&grants, &whole_tool(proposal));
        has_all
            && is_unasked
            && proposal.reasons.iter().all(|reason| match reason {
                AskReason::MissingGrant | AskReason::Level => true,
                AskReason::EgressAfterMark
                | AskReason::WriteAfterMark
                | AskReason::HookWants
                | AskReason::LeavesPlan => false,
            })
    };
    TrustLevel::ALL.into_iter().find(suffices)
}

fn ask(
    screen: &TerminalOutput,
    proposal: &Proposal,
    offer: &ApprovalOffer,
    drafts: Option<&Path>,
) -> ApprovalAnswer {
    if let Some(answer) = pages::show(screen, &question(proposal, offer), Refusals::OfCall) {
        return answer;
    }
    let prefix = offer.prefix.as_ref().map(|rule| format!("[p] {}, ", rule.scope())).unwrap_or_default();
    let family = offer.family.as_ref().map(|family| format!("[f] {}, ", family.label())).unwrap_or_default();
    let leaves_plan = proposal.reasons.contains(&AskReason::LeavesPlan);
    let drafts = drafts.filter(|_| plan(proposal).is_some());
    let lasts = shell::lasts(proposal);
    let choices = |details: &str| {
        if leaves_plan {
            format!("  [y]es, {}{details}[n]o: ", if drafts.is_some() { "[e]dit it, " } else { "" })
        } else if lasts {
            format!("  [y]es once, [a]lways in this run, {family}{prefix}ne[v]er, {details}[n]o: ")
        } else {
            format!("  [y]es once, {family}ne[v]er, {details}[n]o: ")
        }
    };
    let mut folded = FoldedDetails::new(details(proposal));
    for _ in 0..MOST_TRIES {
        let Some(line) = folded.question(screen, choices) else {
            return ApprovalAnswer::No { reason: "nobody answered".into() };
        };
        if let Some(folder) = drafts.filter(|_| matches!(line.trim(), "e" | "E" | "edit")) {
            match screen.lend(|| rewritten(proposal, folder)) {
                Ok(arguments) => return ApprovalAnswer::Rewrite { arguments },
                Err(error) => screen.note(&format!("  {error}")),
            }
            continue;
        }
        match answer(&line, offer) {
            // A plan is looked at each time, so nothing is said for the next one.
            Some(
                ApprovalAnswer::Session
                | ApprovalAnswer::Prefix
                | ApprovalAnswer::Family
                | ApprovalAnswer::Never,
            ) if leaves_plan => {}
            Some(ApprovalAnswer::Session | ApprovalAnswer::Prefix) if !lasts => {}
            Some(answer) => return answer,
            None => {}
        }
        screen.note("  type one of the letters, then Enter");
    }
    ApprovalAnswer::No { reason: "the user gave no clear answer".into() }
}

/// Drops input that was typed before a question could be read: it was meant for something else, as
/// is the rest of pasted text.
pub(crate) fn forget_typed() {
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// The arguments of a plan that the user has rewritten. The model is shown the result, like that
/// of any other call.
fn rewritten(proposal: &Proposal, folder: &Path) -> Result<String, CommandError> {
    let text = plan(proposal).unwrap_or_default();
    let other = ExternalEditor::find(|name| std::env::var(name).ok())?.edit(folder, &text)?;
    if other.trim().is_empty() {
        return Err(CommandError::new(CommandExit::Usage, "the plan is empty; keeping the old one"));
    }
    Ok(with_plan(&proposal.arguments, other))
}

/// Arguments with another text in the place of their only one.
pub(crate) fn with_plan(arguments: &str, text: String) -> String {
    let mut said: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
    if let Some(plan) = said.as_object_mut().and_then(|members| members.values_mut().next()) {
        *plan = text.into();
    }
    said.to_string()
}

/// Everything that a person must know before the answer.
pub(crate) fn question(proposal: &Proposal, offer: &ApprovalOffer) -> Vec<String> {
    let mut lines = described(proposal, offer);
    lines.extend(
        shell::always_covers(proposal, offer)
            .map(|covers| format!("  always     {}", lookalikes::without_stacks(&covers))),
    );
    lines
}

/// A question without what an answer for later would cover.
pub(crate) fn described(proposal: &Proposal, offer: &ApprovalOffer) -> Vec<String> {
    let summary = CallSummary::of(&proposal.tool, &proposal.arguments, offer.change.as_ref());
    let plan = plan(proposal);
    let mut lines = vec![format!("\n{ASKS}{}", headline(proposal, offer, summary.as_ref()))];
    lines.extend(offer.helper.iter().map(|helper| format!("  for        the helper {helper}")));
    let warned = [offer.command.as_deref(), Some(proposal.arguments.as_str())].into_iter().flatten();
    let warned: Vec<&str> = warned.chain(proposal.needs.iter().map(String::as_str)).collect();
    let warnings = lookalikes::warnings(&warned.join("\n"), offer.command.as_deref());
    let command = offer.command.iter().flat_map(|command| close_up(command));
    lines.extend(command.map(|line| format!("  command    {line}")));
    match (&plan, &summary) {
        (Some(plan), _) => lines.extend(close_up(plan).iter().map(|line| format!("  plan       {line}"))),
        (None, Some(summary)) => {
            // A margin of its own, so that no line of a change looks like one of the question.
            lines.extend(close_up(&summary.change.join("\n")).iter().map(|line| format!("  | {line}")));
        }
        (None, None) if offer.command.is_some() && is_script_alone(&proposal.arguments) => {}
        (None, None) => {
            let arguments = close_up(&proposal.arguments);
            lines.extend(arguments.iter().map(|line| format!("  arguments  {line}")));
        }
    }
    lines.extend(shell::plain_reason(proposal).map(|why| format!("  why        {}", without_gaps(&why))));
    lines.extend(proposal.hands_on.iter().map(|grant| format!("  delegates  {grant}")));
    let special = proposal.reasons.iter().filter_map(|reason| shell::special_reason(*reason));
    lines.extend(special.map(|why| format!("  because    {why}")));
    lines.extend(warnings.iter().map(|warning| format!("  beware     {warning}")));
    lines
}

/// What a question folds away: the needs of the call as grants. Those that are
/// missing are also in the question, in words.
pub(crate) fn details(proposal: &Proposal) -> Vec<String> {
    let line = |need: &String| {
        let missing = match proposal.missing.contains(need) {
            true if shell::is_never_granted(need) => " (can never be granted)",
            true => " (not granted)",
            false => "",
        };
        format!("  needs      {}{missing}", without_gaps(need))
    };
    proposal.needs.iter().map(line).collect()
}

/// What is asked, in one line.
fn headline(proposal: &Proposal, offer: &ApprovalOffer, summary: Option<&CallSummary>) -> String {
    match summary {
        _ if proposal.reasons.contains(&AskReason::LeavesPlan) => "carry out this plan?".into(),
        Some(summary) => without_gaps(&summary.headline),
        None if offer.command.is_some() => "run this command?".into(),
        None => format!("may `{}` run?", proposal.tool),
    }
}

/// Whether a command is all that a call says.
fn is_script_alone(arguments: &str) -> bool {
    let said: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(arguments);
    said.is_ok_and(|said| said.len() == 1 && said.contains_key("script"))
}

/// The plan that a user is to approve, as readable text. `None` if the call has more than the text,
/// or if a part is not shown: then the arguments are shown as they are.
pub(crate) fn plan(proposal: &Proposal) -> Option<String> {
    if !proposal.reasons.contains(&AskReason::LeavesPlan) {
        return None;
    }
    let said: serde_json::Value = serde_json::from_str(&proposal.arguments).ok()?;
    let mut members = said.as_object()?.values();
    match (members.next(), members.next()) {
        (Some(serde_json::Value::String(plan)), None) => Some(plan.clone()),
        _ => None,
    }
}

/// The lines of a text without long runs of empty lines, which could hide something: their
/// length is stated instead.
fn close_up(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut empty = 0_usize;
    // A line of a diff is empty after its mark.
    let is_empty = |line: &str| line.strip_prefix(['+', '-']).unwrap_or(line).trim().is_empty();
    for line in text.lines().map(Some).chain([None]) {
        if line.is_some_and(is_empty) {
            empty += 1;
            continue;
        }
        match empty {
            0 => {}
            1 | 2 => lines.extend((0..empty).map(|_| String::new())),
            many => lines.push(format!("[{many} empty lines]")),
        }
        empty = 0;
        lines.extend(line.map(without_gaps));
    }
    lines
}

/// A line whose long runs of blanks and marks are counted instead of shown. Escaped blanks, as
/// in JSON, count too.
fn without_gaps(line: &str) -> String {
    let line = &lookalikes::without_stacks(line);
    const BLANKS: [&str; 6] = [" ", "\t", "\\n", "\\t", "\\r", "\u{3000}"];
    let mut out = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while !rest.is_empty() {
        let (mut after, mut blanks) = (rest, 0_usize);
        while let Some(next) = BLANKS.iter().find_map(|blank| after.strip_prefix(blank)) {
            (after, blanks) = (next, blanks + 1);
        }
        if blanks > WIDEST_GAP {
            out.push_str(&format!(" [{blanks} blanks] "));
            rest = after;
            continue;
        }
        // The run as it is, and the character that ended it.
        let taken = rest.len() - after.len() + after.chars().next().map_or(0, char::len_utf8);
        let (shown, more) = rest.split_at(taken);
        out.push_str(shown);
        rest = more;
    }
    out
}

/// What a line means, if it is clear.
fn answer(line: &str, offer: &ApprovalOffer) -> Option<ApprovalAnswer> {
    Some(match line.trim().to_lowercase().as_str() {
        "y" | "yes" => ApprovalAnswer::Once,
        "a" | "always" => ApprovalAnswer::Session,
        "f" | "family" if offer.family.is_some() => ApprovalAnswer::Family,
        "p" | "prefix" if offer.prefix.is_some() => ApprovalAnswer::Prefix,
        "v" | "never" => ApprovalAnswer::Never,
        "n" | "no" => said_no(),
        _ => return None,
    })
}

fn said_no() -> ApprovalAnswer {
    ApprovalAnswer::No { reason: "the user said no".into() }
}

#[cfg(test)]
mod tests;
