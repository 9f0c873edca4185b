//! Questions about several calls of one reply, shown together and answered with one key. Every call
//! is shown as it would be alone (`approve.rs`), so that a yes never covers text that was not on the
//! screen.
//!
//! A single call can be approved for later too; a group only for now, or by its families. This file
//! decides only what one answer means for each call. The terminal gathers its questions in
//! `question_pool.rs`, the chat in `chat/tab.rs`. The end of plan mode is never part of a group.

use std::time::Duration;

use holm::kernel::{AskReason, Proposal};
use holm_tools::shell::{ApprovalAnswer, ApprovalOffer};

/// How long the first question of a reply waits for the others. It is shorter than a person needs
/// to react, so that nobody answers a question that changes.
pub(crate) const GATHERING: Duration = Duration::from_millis(80);

/// Whether a question may be answered together with others.
pub(crate) fn may_join(proposal: &Proposal) -> bool {
    !proposal.reasons.contains(&AskReason::LeavesPlan)
}

/// The lines of a group, from the lines of each question.
pub(crate) fn lines<'a>(questions: impl ExactSizeIterator<Item = &'a [String]>) -> Vec<String> {
    let count = questions.len();
    let mut lines = vec![format!("\nholm asks about {count} calls:")];
    lines.extend(questions.enumerate().flat_map(|(at, question)| item(at, question)));
    lines
}

/// The lines of one question of a group, with its number.
pub(crate) fn item(at: usize, question: &[String]) -> Vec<String> {
    let Some((first, rest)) = question.split_first() else { return Vec::new() };
    let first = first.trim_start();
    let asked = first.strip_prefix(super::ASKS).unwrap_or(first);
    std::iter::once(format!("\n{}. {asked}", at + 1)).chain(rest.iter().cloned()).collect()
}

/// What the questions of a group fold away, each line with the number of its call.
pub(crate) fn details<'a>(proposals: impl Iterator<Item = &'a Proposal>) -> Vec<String> {
    let numbered = |(at, proposal): (usize, &Proposal)| {
        let lines = super::details(proposal).into_iter();
        lines.map(move |line| format!("  {}. {}", at + 1, line.trim_start())).collect::<Vec<_>>()
    };
    proposals.enumerate().flat_map(numbered).collect()
}

/// What can be answered to all calls of a group at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupOffer {
    count: usize,
    /// What the families of the calls cover, if each has one.
    families: Option<String>,
}

/// A decision about a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GroupAnswer {
    /// The same answer for each call.
    All(ApprovalAnswer),
    /// Every call is asked about by itself.
    OneByOne,
}

impl GroupOffer {
    pub(crate) fn of<'a>(offers: impl Iterator<Item = &'a ApprovalOffer>) -> Self {
        let (mut count, mut families) = (0, Some(Vec::<String>::new()));
        for offer in offers {
            count += 1;
            families = families.zip(offer.family.as_ref()).map(|(mut families, family)| {
                if families.iter().all(|known| known != family.label()) {
                    families.push(family.label().to_owned());
                }
                families
            });
        }
        Self { count, families: families.map(|families| families.join("; ")) }
    }

    /// What `f` would cover.
    pub(crate) fn families(&self) -> Option<&str> {
        self.families.as_deref()
    }

    /// The answers, as a line to choose from, with the words that offer the details.
    pub(crate) fn choices(&self, details: &str) -> String {
        let family = self.families.as_ref().map(|families| format!(", [f] {families}")).unwrap_or_default();
        format!("  [y]es to all {} once{family}, [o]ne by one, {details}[n]o to all: ", self.count)
    }

    /// What a typed line means, if it is clear.
    pub(crate) fn answer(&self, line: &str) -> Option<GroupAnswer> {
        Some(GroupAnswer::All(match line.trim().to_lowercase().as_str() {
            "y" | "yes" => ApprovalAnswer::Once,
            "f" | "family" if self.families.is_some() => ApprovalAnswer::Family,
            "n" | "no" => super::said_no(),
            "o" | "one by one" => return Some(GroupAnswer::OneByOne),
            _ => return None,
        }))
    }
}
