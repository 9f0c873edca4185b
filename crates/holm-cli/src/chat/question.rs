//! Questions to the user: whether a call may run, and what a model wants to know. The text of an
//! approval comes from `approve.rs`, the cells from `draw.rs`, and the answer goes back through
//! `chat_user.rs`.
//!
//! A call can be approved only after each of its lines was on the screen, because a user must not
//! approve text that they have not seen. A no is always possible. A plan is approved each time and
//! never for later calls.

use holm::kernel::{AskReason, Proposal};
use holm_tools::shell::{self, ApprovalAnswer, ApprovalOffer};

use super::{input::InputBuffer, text::safe};
use crate::approve;

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
    /// Whether commands with the same beginning can be allowed, which the lines name.
    pub(super) prefix: PrefixOffer,
    /// Whether the family of the call can be allowed, which the lines name.
    pub(super) family: FamilyOffer,
    /// The plan to carry out, if the call is about one.
    pub(super) plan: Option<String>,
    /// The proposed arguments of the call.
    arguments: String,
    /// Whether an approval can also cover later calls.
    lasts: bool,
}

/// Whether all commands with the same beginning can be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrefixOffer {
    None,
    Offered,
}

/// Whether all calls of the same family can be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FamilyOffer {
    None,
    Offered,
}

/// The user's answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum QuestionReply {
    Call(ApprovalAnswer),
    Words(Option<String>),
}

impl ChatQuestion {
    /// Whether a call may run.
    pub(super) fn call(id: ChatQuestionId, proposal: &Proposal, offer: &ApprovalOffer) -> Self {
        let leaves_plan = proposal.reasons.contains(&AskReason::LeavesPlan);
        let lines = approve::question(proposal, offer);
        let lines = lines.iter().flat_map(|text| text.lines().map(safe).collect::<Vec<_>>());
        let lasts = shell::lasts(proposal);
        let prefix = offer.prefix.as_ref().filter(|_| lasts).map(|rule| safe(&rule.to_string()));
        // A line of its own: a rule that does not fit beside the keys would be agreed to unseen.
        let allows = prefix.iter().map(|rule| format!("  p allows   everything that starts with {rule}"));
        let family = offer.family.as_ref().map(|family| safe(family.label()));
        let family_line = family.iter().map(|label| format!("  f allows   {label}"));
        let wanted = CallApprovalRequest {
            lines: lines.filter(|line| !line.is_empty()).chain(family_line).chain(allows).collect(),
            family: if family.is_some() { FamilyOffer::Offered } else { FamilyOffer::None },
            prefix: if prefix.is_some() { PrefixOffer::Offered } else { PrefixOffer::None },
            plan: leaves_plan.then(|| approve::plan(proposal)).flatten(),
            arguments: proposal.arguments.clone(),
            lasts,
        };
        Self::new(id, QuestionBody::Call(Box::new(wanted)))
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
            QuestionBody::Call(_) => self.scroll.min(furthest).min(self.read.lines),
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
            arguments: approve::with_plan(&wanted.arguments, text.trim_end().to_owned()),
        })
    }

    /// What a key says, where it says something. Only what was seen whole can be agreed to.
    pub(super) fn answer(&self, key: char) -> Option<ApprovalAnswer> {
        let QuestionBody::Call(wanted) = &self.asks else { return None };
        let said_no = || ApprovalAnswer::No { reason: "the user said no".into() };
        match key {
            'n' => Some(said_no()),
            'v' if wanted.plan.is_none() => Some(ApprovalAnswer::Never),
            _ if self.seen == QuestionReadState::NotYet => None,
            'y' => Some(ApprovalAnswer::Once),
            'a' if wanted.lasts => Some(ApprovalAnswer::Session),
            'f' if wanted.family == FamilyOffer::Offered => Some(ApprovalAnswer::Family),
            'p' if wanted.prefix == PrefixOffer::Offered => Some(ApprovalAnswer::Prefix),
            _ => None,
        }
    }

    /// What can be pressed.
    pub(super) fn choices(&self) -> String {
        match &self.asks {
            QuestionBody::Call(_) if self.seen == QuestionReadState::NotYet => {
                "PgDn shows the rest; then you can answer yes · [n]o · ne[v]er".into()
            }
            QuestionBody::Call(wanted) if wanted.plan.is_some() => {
                "[y]es, carry it out · [e]dit it first · [n]o".into()
            }
            QuestionBody::Call(wanted) => {
                let prefix = match wanted.prefix {
                    PrefixOffer::Offered => " · [p] all like it",
                    PrefixOffer::None => "",
                };
                let family = match wanted.family {
                    FamilyOffer::Offered => " · [f]amily",
                    FamilyOffer::None => "",
                };
                let always = if wanted.lasts { " · [a]lways in this session" } else { "" };
                format!("[y]es once{always}{family}{prefix} · ne[v]er · [n]o")
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

/// What typed words mean: the number of a choice is that choice, and nothing is no answer.
pub(super) fn meant(typed: &str, choices: &[String]) -> Option<String> {
    let typed = typed.trim();
    if typed.is_empty() {
        return None;
    }
    let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    Some(number.and_then(|number| choices.get(number)).cloned().unwrap_or_else(|| typed.to_owned()))
}
