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

use crate::screen::Screen;

/// Answers for the person at the terminal.
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

impl Approver for Terminal {
    fn judge(&self, proposal: Proposal) -> BoxFuture<'static, Verdict> {
        if is_named(&self.yes, &proposal) {
            return Box::pin(async { Verdict::allow() });
        }
        if self.person == Person::Away {
            let verdict = Verdict::deny(nobody(&proposal));
            return Box::pin(async { verdict });
        }
        let (screen, turn) = (Arc::clone(&self.screen), Arc::clone(&self.turn));
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || {
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                ask(&screen, &proposal)
            });
            asked.await.unwrap_or_else(|_| Verdict::deny("the question could not be asked"))
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

fn ask(screen: &Screen, proposal: &Proposal) -> Verdict {
    screen.note(&format!("\nholm asks: may `{}` run? ({})", proposal.tool, proposal.level));
    screen.note(&format!("  arguments  {}", proposal.arguments));
    for need in &proposal.needs {
        let missing = if proposal.missing.contains(need) { " (not granted)" } else { "" };
        screen.note(&format!("  needs      {need}{missing}"));
    }
    screen.ask("  [y]es once, [a]lways in this run, [n]o: ");
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => Verdict::deny("nobody answered"),
        Ok(_) => verdict(&line, proposal),
    }
}

/// What an answer means. Whatever is not a clear yes is a no.
fn verdict(line: &str, proposal: &Proposal) -> Verdict {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Verdict::allow(),
        "a" | "always" => {
            let grants = GrantSet::parse(proposal.missing.iter().map(String::as_str));
            grants.map_or_else(|_| Verdict::allow(), |grants| Verdict::Allow { grants, until: None })
        }
        _ => Verdict::deny("the person at the terminal said no"),
    }
}

#[cfg(test)]
mod tests;
