//! The questions that wait for the user at the terminal. All that wait when it is their turn are
//! asked together, so that the calls of one reply need one answer.
//!
//! Questions are asked in the order of their calls. Each keeps its own answer and can be withdrawn by
//! itself. If the first question of a group is withdrawn while the user reads, the others go back to
//! the pool and are asked again. How a group looks and what an answer means is in
//! `question_group.rs`.
//!
//! Long texts are shown in pages by `pages.rs`. Which call is asked about is decided by the kernel
//! and `holm-tools/src/shell/approval_gate.rs`.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use holm::kernel::Proposal;
use holm_tools::shell::{ApprovalAnswer, ApprovalOffer};
use tokio::sync::oneshot;

use super::{
    MOST_TRIES, described,
    folded_details::FoldedDetails,
    pages::{self, Refusals},
    question_group::{self, GATHERING, GroupAnswer, GroupOffer},
};
use crate::screen::{ScreenQuestion, TerminalOutput};

/// The waiting questions, in the order in which they came. Clones share them.
#[derive(Clone, Default)]
pub(super) struct QuestionPool(Arc<Mutex<Vec<WaitingQuestion>>>);

struct WaitingQuestion {
    proposal: Proposal,
    offer: ApprovalOffer,
    open: ScreenQuestion,
    answer: oneshot::Sender<ApprovalAnswer>,
    /// Whether the user chose to answer it by itself.
    alone: bool,
}

impl QuestionPool {
    /// Adds a question. Its answer arrives here, whoever's turn it is.
    pub(super) fn add(
        &self,
        proposal: Proposal,
        offer: ApprovalOffer,
        open: ScreenQuestion,
    ) -> oneshot::Receiver<ApprovalAnswer> {
        let (answer, receiver) = oneshot::channel();
        self.put([WaitingQuestion { proposal, offer, open, answer, alone: false }]);
        receiver
    }

    /// Asks until the question whose turn it is has its answer: the first ones first, and with each
    /// all that may be asked together with it.
    pub(super) fn ask(&self, screen: &TerminalOutput, turn: &ScreenQuestion, drafts: Option<&Path>) {
        while self.holds(turn) {
            std::thread::sleep(GATHERING);
            let group = self.next_group();
            let Some(first) = group.first().map(|waiting| waiting.open.clone()) else { return };
            screen.asking(&first, |screen| self.ask_group(screen, &first, group, drafts));
        }
    }

    fn ask_group(
        &self,
        screen: &TerminalOutput,
        first: &ScreenQuestion,
        mut group: Vec<WaitingQuestion>,
        drafts: Option<&Path>,
    ) {
        if group.len() > 1 {
            let answer = ask_together(screen, &group);
            // If the user was interrupted, what they typed is not an answer to the others.
            match answer {
                _ if first.is_over() => return self.put(group),
                GroupAnswer::All(answer) => {
                    return group.into_iter().for_each(|one| one.reply(answer.clone()));
                }
                GroupAnswer::OneByOne => {
                    group.iter_mut().for_each(|waiting| waiting.alone = true);
                    self.put(group.split_off(1));
                }
            }
        }
        for waiting in group {
            let answer = super::ask(screen, &waiting.proposal, &waiting.offer, drafts);
            waiting.reply(answer);
        }
    }

    fn holds(&self, question: &ScreenQuestion) -> bool {
        self.waiting().iter().any(|waiting| waiting.open.is(question) && !question.is_over())
    }

    /// Takes the question of the earliest call and, if it may be asked with others, all of those.
    fn next_group(&self) -> Vec<WaitingQuestion> {
        let mut pool = self.waiting();
        pool.retain(|waiting| !waiting.open.is_over());
        pool.sort_by_key(|waiting| waiting.proposal.tool_call);
        let joins =
            |waiting: &mut WaitingQuestion| !waiting.alone && question_group::may_join(&waiting.proposal);
        match pool.first_mut().map(joins) {
            None => Vec::new(),
            Some(true) => pool.extract_if(.., joins).collect(),
            Some(false) => vec![pool.remove(0)],
        }
    }

    fn put(&self, questions: impl IntoIterator<Item = WaitingQuestion>) {
        self.waiting().extend(questions);
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<WaitingQuestion>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WaitingQuestion {
    fn reply(self, answer: ApprovalAnswer) {
        // Fails if the question was withdrawn.
        let _ = self.answer.send(answer);
    }
}

fn ask_together(screen: &TerminalOutput, group: &[WaitingQuestion]) -> GroupAnswer {
    let questions: Vec<Vec<String>> =
        group.iter().map(|waiting| described(&waiting.proposal, &waiting.offer)).collect();
    let lines = question_group::lines(questions.iter().map(Vec::as_slice));
    if let Some(answer) = pages::show(screen, &lines, Refusals::OfGroup) {
        return GroupAnswer::All(answer);
    }
    let offer = GroupOffer::of(group.iter().map(|waiting| &waiting.offer));
    let details = question_group::details(group.iter().map(|waiting| &waiting.proposal));
    let mut folded = FoldedDetails::new(details);
    for _ in 0..MOST_TRIES {
        let Some(line) = folded.question(screen, |details| offer.choices(details)) else {
            return GroupAnswer::All(ApprovalAnswer::No { reason: "nobody answered".into() });
        };
        if let Some(answer) = offer.answer(&line) {
            return answer;
        }
        screen.note("  type one of the letters, then Enter");
    }
    GroupAnswer::All(ApprovalAnswer::No { reason: "the user gave no clear answer".into() })
}
