//! Questions to the user: whether a call may run, and what a model wants to know. The text of an
//! approval comes from `approve.rs`, the cells from `draw.rs`, and the answer goes back through
//! `chat_user.rs`.
//!
//! A call can be approved only after each of its lines was on the screen, because a user must not
//! approve text that they have not seen. A no is always possible. A plan is approved each time and
//! never for later calls.
//!
//! Questions about the calls of one reply come at almost the same time. They are one question with
//! one answer (`approve/question_group.rs`). A group that changes must be read again.

use std::time::Duration;

use holm::kernel::{AskReason, Proposal};
use holm_tools::shell::{self, ApprovalAnswer, ApprovalOffer};

use super::{
    input::InputBuffer,
    text::{columns, safe},
};
use crate::approve::{
    self,
    question_group::{self, GATHERING, GroupAnswer, GroupOffer},
};

/// Identifies a question while the chat runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChatQuestionId(pub(super) u64);

/// A question to the user.
#[derive(Debug, Clone)]
pub(super) struct ChatQuestion {
    pub(super) id: ChatQuestionId,
    pub(super) asks: QuestionBody,
    /// How far its text is scrolled.
    pub(super) scroll: usize,
    /// Whether all of it was on the screen once. A user cannot approve text that
    /// they have not seen.
    pub(super) seen: QuestionReadState,
    /// How much of it was on the screen.
    read: ReadingProgress,
    /// Whether a user who was typing has noticed it.
    pub(super) turned: QuestionFocus,
    /// When it came, counted from the start of the chat; for a group, when its first question did.
    pub(super) arrived: Duration,
    /// Whether it may be asked together with others.
    joins: bool,
}

/// Whether the user noticed a question that came while they were typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionFocus {
    /// Not yet, and the user has typed nothing meanwhile.
    Away,
    /// Not yet, and keys were ignored because the user was typing. The next keys may also be
    /// meant for the input.
    PassedBy,
    ToIt,
}

/// How many lines of a text were on the screen, from the first one on, and how many it
/// has at that width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ReadingProgress {
    lines: usize,
    of: usize,
}

/// Whether all of a text was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionReadState {
    NotYet,
    Whole,
}

/// The content of a question.
#[derive(Debug, Clone)]
pub(super) enum QuestionBody {
    /// Whether a call may run.
    Call(Box<CallApprovalRequest>),
    /// Whether several calls of one reply may run.
    Group(Box<CallGroup>),
    Words {
        question: String,
        choices: Vec<String>,
        input: InputBuffer,
    },
}

/// A call that waits for approval.
#[derive(Debug, Clone)]
pub(super) struct CallApprovalRequest {
    /// The question, line by line.
    pub(super) lines: Vec<String>,
    folded: FoldedLines,
    /// The beginning of all commands that `p` allows, which the lines name.
    prefix: Option<String>,
    /// The family of calls that `f` allows, which the lines name.
    family: Option<String>,
    /// The plan to carry out, if the call is about one.
    pub(super) plan: Option<String>,
    proposal: Proposal,
    offer: ApprovalOffer,
    /// Whether an approval can also cover later calls.
    lasts: bool,
}

/// Lines that a question shows only on request.
#[derive(Debug, Clone)]
struct FoldedLines {
    lines: Vec<String>,
    is_open: bool,
}

impl FoldedLines {
    fn of(lines: &[String]) -> Self {
        Self { lines: shown(lines).collect(), is_open: false }
    }

    /// Shows the lines below a question, or hides them again.
    fn toggle(&mut self, question: &mut Vec<String>) {
        if self.is_open {
            question.truncate(question.len().saturating_sub(self.lines.len()));
        } else {
            question.extend(self.lines.iter().cloned());
        }
        self.is_open = !self.is_open;
    }
}

/// Several calls that wait for one answer.
#[derive(Debug, Clone)]
pub(super) struct CallGroup {
    /// The question, line by line.
    pub(super) lines: Vec<String>,
    folded: FoldedLines,
    /// A question about each call, in the order of the calls.
    members: Vec<ChatQuestion>,
    offer: GroupOffer,
}

/// The user's answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum QuestionReply {
    Call(ApprovalAnswer),
    Words(Option<String>),
}

/// What a key means at a question about calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyMeaning {
    Answer(GroupAnswer),
    Edit,
    /// Shows or hides the details.
    Details,
    /// The question has no such answer.
    NotOffered,
    /// An answer that counts only once the whole question was on the screen.
    TooEarly,
}

/// The lines of a question as they are shown.
fn shown(lines: &[String]) -> impl Iterator<Item = String> {
    let lines = lines.iter().flat_map(|text| text.lines().map(safe).collect::<Vec<_>>());
    lines.filter(|line| !line.is_empty())
}

impl CallGroup {
    /// A group of at least two questions about calls.
    fn of(mut members: Vec<ChatQuestion>) -> Self {
        members.sort_by_key(|member| member.request().map(|wanted| wanted.proposal.tool_call));
        let requests = || members.iter().filter_map(ChatQuestion::request);
        let offer = GroupOffer::of(requests().map(|wanted| &wanted.offer));
        let each: Vec<Vec<String>> =
            requests().map(|wanted| approve::described(&wanted.proposal, &wanted.offer)).collect();
        let lines = question_group::lines(each.iter().map(Vec::as_slice));
        let families = offer.families().map(|families| format!("  f allows   {}", safe(families)));
        let folded = FoldedLines::of(&question_group::details(requests().map(|wanted| &wanted.proposal)));
        Self { lines: shown(&lines).chain(families).collect(), folded, offer, members }
    }
}

impl ChatQuestion {
    /// Whether a call may run.
    pub(super) fn call(id: ChatQuestionId, proposal: &Proposal, offer: &ApprovalOffer) -> Self {
        let leaves_plan = proposal.reasons.contains(&AskReason::LeavesPlan);
        let lasts = shell::lasts(proposal);
        let rule = offer.prefix.as_ref().filter(|_| lasts);
        let prefix = rule.map(|rule| safe(&rule.beginning()));
        // A line of its own: a rule that does not fit beside the keys would be agreed to unseen.
        let allows = rule.map(|rule| format!("  p allows   {}", safe(&rule.scope())));
        let family = offer.family.as_ref().map(|family| safe(family.label()));
        let family_line = family.iter().map(|label| format!("  f allows   {label}"));
        let lines = approve::question(proposal, offer);
        let wanted = CallApprovalRequest {
            lines: shown(&lines).chain(family_line).chain(allows).collect(),
            folded: FoldedLines::of(&approve::details(proposal)),
            family,
            prefix,
            plan: leaves_plan.then(|| approve::plan(proposal)).flatten(),
            proposal: proposal.clone(),
            offer: offer.clone(),
            lasts,
        };
        let joins = question_group::may_join(proposal);
        Self { joins, ..Self::new(id, QuestionBody::Call(Box::new(wanted))) }
    }

    fn request(&self) -> Option<&CallApprovalRequest> {
        match &self.asks {
            QuestionBody::Call(wanted) => Some(wanted),
            QuestionBody::Group(_) | QuestionBody::Words { .. } => None,
        }
    }

    /// The questions that it consists of: itself, or those of the group.
    pub(super) fn ids(&self) -> Vec<ChatQuestionId> {
        match &self.asks {
            QuestionBody::Group(group) => group.members.iter().map(|member| member.id).collect(),
            QuestionBody::Call(_) | QuestionBody::Words { .. } => vec![self.id],
        }
    }

    /// Whether a question that comes now belongs to it.
    pub(super) fn takes(&self, other: &Self) -> bool {
        let is_soon = other.arrived.saturating_sub(self.arrived) <= GATHERING;
        self.joins && other.joins && is_soon
    }

    /// Both as one question, which must be read anew.
    pub(super) fn joined(self, other: Self) -> Self {
        let (arrived, turned) = (self.arrived, self.turned);
        let members = self.split().into_iter().chain(other.split()).collect();
        Self { arrived, turned, joins: true, ..Self::group(members) }
    }

    fn group(members: Vec<Self>) -> Self {
        let group = CallGroup::of(members);
        let id = group.members.first().map_or(ChatQuestionId(0), |first| first.id);
        Self::new(id, QuestionBody::Group(Box::new(group)))
    }

    /// The questions that it consists of, in the order of their calls.
    fn split(self) -> Vec<Self> {
        match self.asks {
            QuestionBody::Group(group) => group.members,
            QuestionBody::Call(_) | QuestionBody::Words { .. } => vec![self],
        }
    }

    /// The same questions, each to be answered by itself.
    pub(super) fn one_by_one(self) -> Vec<Self> {
        let turned = self.turned;
        let alone = |question: Self| Self { joins: false, turned, ..question };
        self.split().into_iter().map(alone).collect()
    }

    /// What is left of it if this question is withdrawn.
    pub(super) fn without(self, id: ChatQuestionId) -> Option<Self> {
        if !self.ids().contains(&id) {
            return Some(self);
        }
        let (arrived, turned) = (self.arrived, self.turned);
        let mut left: Vec<Self> = self.split().into_iter().filter(|question| question.id != id).collect();
        let left = if left.len() > 1 { Self::group(left) } else { left.pop()? };
        Some(Self { arrived, turned, joins: true, ..left })
    }

    /// What a model wants to know.
    pub(super) fn words(id: ChatQuestionId, question: &str, choices: &[String]) -> Self {
        let choices = choices.iter().map(|choice| safe(choice)).collect();
        Self::new(
            id,
            QuestionBody::Words { question: safe(question), choices, input: InputBuffer::default() },
        )
    }

    fn new(id: ChatQuestionId, asks: QuestionBody) -> Self {
        Self {
            id,
            asks,
            scroll: 0,
            seen: QuestionReadState::NotYet,
            read: ReadingProgress::default(),
            turned: QuestionFocus::Away,
            arrived: Duration::ZERO,
            joins: false,
        }
    }

    /// Scrolls to the requested position, given the number of lines and of visible rows, and
    /// records what is seen. Even fast scrolling does not skip a line that was not shown yet.
    pub(super) fn show(&mut self, lines: usize, room: usize) {
        if self.read.of != lines {
            // Another width breaks other lines.
            self.read = ReadingProgress { lines: 0, of: lines };
        }
        let furthest = lines.saturating_sub(room);
        self.scroll = match &self.asks {
            QuestionBody::Call(_) | QuestionBody::Group(_) => self.scroll.min(furthest).min(self.read.lines),
            // What is typed as an answer stands at the end, so the end is looked at.
            QuestionBody::Words { .. } => furthest,
        };
        self.read.lines = self.read.lines.max(self.scroll.saturating_add(room)).min(lines);
        if self.read.lines >= lines && room > 0 {
            self.seen = QuestionReadState::Whole;
        }
    }

    /// The answer that replaces the plan in question. The new plan is checked like the model's own,
    /// and asked about again.
    pub(super) fn with_plan(&self, text: &str) -> Option<ApprovalAnswer> {
        let QuestionBody::Call(wanted) = &self.asks else { return None };
        wanted.plan.as_ref()?;
        Some(ApprovalAnswer::Rewrite {
            arguments: approve::with_plan(&wanted.proposal.arguments, text.trim_end().to_owned()),
        })
    }

    /// What the question folds away.
    fn folded(&self) -> Option<&FoldedLines> {
        let folded = match &self.asks {
            QuestionBody::Call(wanted) => &wanted.folded,
            QuestionBody::Group(group) => &group.folded,
            QuestionBody::Words { .. } => return None,
        };
        (!folded.lines.is_empty()).then_some(folded)
    }

    /// Shows the details, or hides them again.
    pub(super) fn toggle_details(&mut self) {
        match &mut self.asks {
            QuestionBody::Call(wanted) => wanted.folded.toggle(&mut wanted.lines),
            QuestionBody::Group(group) => group.folded.toggle(&mut group.lines),
            QuestionBody::Words { .. } => {}
        }
    }

    /// What a key means here. Only what was seen whole can be agreed to. A letter that is not
    /// offered means nothing by itself; `None` for a key that begins a word.
    pub(super) fn meaning(&self, key: char) -> Option<KeyMeaning> {
        if key == 'd' && self.folded().is_some() {
            return Some(KeyMeaning::Details);
        }
        self.answer_meaning(key).or_else(|| key.is_alphabetic().then_some(KeyMeaning::NotOffered))
    }

    fn answer_meaning(&self, key: char) -> Option<KeyMeaning> {
        let answer = match &self.asks {
            QuestionBody::Call(wanted) if key == 'e' && wanted.plan.is_some() => {
                return Some(KeyMeaning::Edit);
            }
            QuestionBody::Call(wanted) => GroupAnswer::All(wanted.answer(key)?),
            QuestionBody::Group(group) => group.offer.answer(key.encode_utf8(&mut [0; 4]))?,
            QuestionBody::Words { .. } => return None,
        };
        let approves = match &answer {
            GroupAnswer::All(answer) => !matches!(answer, ApprovalAnswer::No { .. } | ApprovalAnswer::Never),
            GroupAnswer::OneByOne => false,
        };
        let is_early = approves && self.seen == QuestionReadState::NotYet;
        Some(if is_early { KeyMeaning::TooEarly } else { KeyMeaning::Answer(answer) })
    }

    /// What can be pressed, on a line of this width.
    pub(super) fn choices(&self, width: usize) -> String {
        let with = |details: &str| {
            let line = format!("{}{details}", self.answers(width.saturating_sub(columns(details))));
            (columns(&line) <= width).then_some(line)
        };
        let offered = self.folded().and_then(|_| with(" · [d]etails").or_else(|| with(" · [d]")));
        offered.unwrap_or_else(|| self.answers(width))
    }

    /// The answers, on a line of this width. What `f` and `p` cover stands beside the keys if it
    /// fits, and always above them.
    fn answers(&self, width: usize) -> String {
        let is_unread = self.seen == QuestionReadState::NotYet;
        match &self.asks {
            QuestionBody::Call(_) if is_unread => {
                "PgDn shows the rest; then you can answer yes · [n]o · ne[v]er".into()
            }
            QuestionBody::Group(_) if is_unread => {
                "PgDn shows the rest; then you can answer yes · [o]ne by one · [n]o to all".into()
            }
            QuestionBody::Call(wanted) if wanted.plan.is_some() => {
                "[y]es, carry it out · [e]dit it first · [n]o".into()
            }
            QuestionBody::Call(wanted) => {
                let family = wanted.family.as_ref().map(|label| format!(" · [f] {}", in_short(label)));
                let prefix = wanted.prefix.as_ref().map(|rule| format!(" · [p] all `{rule} …`"));
                let line = |always: &str, family: Option<&str>, prefix: Option<&str>| {
                    let always = if wanted.lasts { always } else { "" };
                    let (family, prefix) = (family.unwrap_or_default(), prefix.unwrap_or_default());
                    format!("[y]es once{always}{family}{prefix} · ne[v]er · [n]o")
                };
                let always = " · [a]lways in this session";
                let (f, p) =
                    (family.as_ref().map(|_| " · [f]amily"), prefix.as_ref().map(|_| " · [p] all like it"));
                let lines = [line(always, family.as_deref(), prefix.as_deref()), line(always, f, p)];
                let fitting = lines.into_iter().find(|line| columns(line) <= width);
                fitting.unwrap_or_else(|| line(" · [a]lways", f, p))
            }
            QuestionBody::Group(group) => {
                let family = if group.offer.families().is_some() { " · [f] all like these" } else { "" };
                let count = group.members.len();
                format!("[y]es to all {count} once{family} · [o]ne by one · [n]o to all")
            }
            QuestionBody::Words { choices, .. } if choices.is_empty() => {
                "Enter answers · Esc gives no answer".into()
            }
            QuestionBody::Words { .. } => {
                "a number or your own text, then Enter · Esc gives no answer".into()
            }
        }
    }
}

impl CallApprovalRequest {
    /// The answer that a key stands for.
    fn answer(&self, key: char) -> Option<ApprovalAnswer> {
        match key {
            'n' => Some(ApprovalAnswer::No { reason: "the user said no".into() }),
            'v' if self.plan.is_none() => Some(ApprovalAnswer::Never),
            'y' => Some(ApprovalAnswer::Once),
            'a' if self.lasts => Some(ApprovalAnswer::Session),
            'f' if self.family.is_some() => Some(ApprovalAnswer::Family),
            'p' if self.prefix.is_some() => Some(ApprovalAnswer::Prefix),
            _ => None,
        }
    }
}

/// A family in words, without its grants.
fn in_short(label: &str) -> String {
    let words = label.split_once(" (").map_or(label, |(words, _)| words);
    let all = if words.starts_with("everything") { "" } else { "all " };
    format!("{all}{words}")
}

/// What typed words mean: the number of a choice is that choice, and nothing is no answer.
pub(super) fn meant(typed: &str, choices: &[String]) -> Option<String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return None;
    }
    let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    Some(number.and_then(|number| choices.get(number)).cloned().unwrap_or_else(|| typed.to_owned()))
}
