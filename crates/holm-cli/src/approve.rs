//! Who answers when a call is asked about: what `--yes` names, then a person at the terminal, else nobody.

use std::{
    io::{self, BufRead},
    sync::{Arc, Mutex, PoisonError},
};

use holm::{
    grants::{Grant, GrantSet},
    kernel::{AskReason, Proposal, Verdict},
    runtime::{Approver, BoxFuture},
};
use holm_tools::shell::{Answer, Asker, Gate, Offer, Rules};

use crate::screen::Screen;

/// Answers for the person at the terminal.
#[derive(Clone)]
pub(crate) struct Terminal {
    /// What may be done without asking again.
    yes: GrantSet,
    person: Person,
    screen: Arc<Screen>,
    /// One question at a time, or two would read one answer.
    turn: Arc<Mutex<()>>,
}

/// Whether somebody is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    There,
    Away,
}

impl Terminal {
    /// An approver that says yes to these grants by itself.
    pub(crate) fn new(yes: GrantSet, person: Person, screen: Arc<Screen>) -> Self {
        Self { yes, person, screen, turn: Arc::default() }
    }
}

/// For a single call, of which nothing needs to be remembered.
impl Approver for Terminal {
    fn judge(&self, proposal: Proposal) -> BoxFuture<'static, Verdict> {
        Gate::new(self.clone(), Rules::default()).judge(proposal)
    }
}

impl Asker for Terminal {
    fn ask(&self, proposal: Proposal, offer: Offer) -> BoxFuture<'static, Answer> {
        if is_named(&self.yes, &proposal) {
            return Box::pin(async { Answer::Once });
        }
        if self.person == Person::Away {
            let answer = Answer::No { reason: nobody(&proposal) };
            return Box::pin(async { answer });
        }
        let (screen, turn) = (Arc::clone(&self.screen), Arc::clone(&self.turn));
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || {
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                ask(&screen, &proposal, &offer)
            });
            asked.await.unwrap_or_else(|_| Answer::No { reason: "the question could not be asked".into() })
        })
    }
}

/// Whether everything that a call needs was named. A call that says nothing of its needs is never covered, and neither
/// is one whose needs were shortened or written out for the screen: the text is not the need then.
fn is_named(yes: &GrantSet, proposal: &Proposal) -> bool {
    // A plan is approved by whoever has read it, and by nobody else.
    if proposal.reasons.contains(&AskReason::LeavesPlan) {
        return false;
    }
    let whole = |need: &str| !need.contains('…') && !need.contains("\\u{");
    let named = |need: &String| whole(need) && need.parse::<Grant>().is_ok_and(|need| yes.contains(&need));
    !proposal.needs.is_empty() && proposal.needs.iter().all(named)
}

fn nobody(proposal: &Proposal) -> String {
    let wants = if proposal.missing.is_empty() { &proposal.needs } else { &proposal.missing };
    match wants.first() {
        Some(grant) => format!("nobody is there to be asked; it needs {grant}, which was not granted"),
        None => "nobody is there to be asked".into(),
    }
}

fn ask(screen: &Screen, proposal: &Proposal, offer: &Offer) -> Answer {
    screen.note(&format!("\nholm asks: may `{}` run? ({})", proposal.tool, proposal.level));
    for line in offer.command.iter().flat_map(|command| command.lines()) {
        screen.note(&format!("  command    {line}"));
    }
    screen.note(&format!("  arguments  {}", proposal.arguments));
    for need in &proposal.needs {
        let missing = if proposal.missing.contains(need) { " (not granted)" } else { "" };
        screen.note(&format!("  needs      {need}{missing}"));
    }
    let prefix =
        offer.prefix.as_ref().map(|rule| format!("all that begins with [p] {rule}, ")).unwrap_or_default();
    screen.ask(&format!("  [y]es once, [a]lways in this run, {prefix}ne[v]er, [n]o: "));
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => Answer::No { reason: "nobody answered".into() },
        Ok(_) => answer(&line, offer),
    }
}

/// What a line means. Whatever is not a clear yes is a no.
fn answer(line: &str, offer: &Offer) -> Answer {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Answer::Once,
        "a" | "always" => Answer::Session,
        "p" | "prefix" if offer.prefix.is_some() => Answer::Prefix,
        "v" | "never" => Answer::Never,
        _ => Answer::No { reason: "the person at the terminal said no".into() },
    }
}

#[cfg(test)]
mod tests;
