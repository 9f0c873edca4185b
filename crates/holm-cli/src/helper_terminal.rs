//! Lets a model, or one of its helpers, ask or notify the user at the terminal. It does not ask for
//! approvals (`approve.rs`) or for the answers to MCP servers (`mcp_servers.rs`). The tools
//! themselves are in `holm-tools/src/conversation/`; this file only connects them to the user.
//!
//! Lines of a model are indented and a helper is named, so that the text cannot be mistaken for a
//! message of Holm.

use std::sync::Arc;

use holm::runtime::{BoxFuture, Toolbox, TypedToolAdapter};
use holm_tools::conversation::{AskUserTool, NotifyUserTool, SleepTool, TodoTool, UserChannel};

use crate::{
    approve::TerminalApprover,
    screen::{ScreenQuestion, TerminalOutput},
};

/// The tools of the conversation that these people take part in.
pub(crate) fn tools(terminal: &TerminalApprover) -> Toolbox {
    let people = Arc::new(terminal.clone());
    Toolbox::new()
        .with(TypedToolAdapter::new(AskUserTool::of(Arc::clone(&people))))
        .with(TypedToolAdapter::new(NotifyUserTool::of(people)))
        .with(TypedToolAdapter::new(TodoTool::new()))
        .with(TypedToolAdapter::new(SleepTool::default()))
}

/// The tools by which a helper of this name speaks to the same people.
pub(crate) fn of_helper(terminal: &TerminalApprover, helper: &str) -> Toolbox {
    let people = Arc::new(HelperTerminal { terminal: terminal.clone(), helper: helper.to_owned() });
    Toolbox::new()
        .with(TypedToolAdapter::new(AskUserTool::of(Arc::clone(&people))))
        .with(TypedToolAdapter::new(NotifyUserTool::of(people)))
}

/// The user of a run, as a helper reaches them: messages name the helper.
struct HelperTerminal {
    terminal: TerminalApprover,
    helper: String,
}

impl HelperTerminal {
    fn named(&self, text: &str) -> String {
        format!("the helper {}: {text}", self.helper)
    }
}

impl UserChannel for HelperTerminal {
    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        UserChannel::ask(&self.terminal, &self.named(question), choices)
    }

    fn tell(&self, text: &str) {
        UserChannel::tell(&self.terminal, &self.named(text));
    }
}

impl UserChannel for TerminalApprover {
    fn ask(&self, question: &str, choices: &[String]) -> BoxFuture<'static, Option<String>> {
        let open = ScreenQuestion::default();
        let here: BoxFuture<'static, Option<String>> = match self.elsewhere() {
            Some(person) => person.ask(question, choices),
            None => {
                let (question, choices) = (question.to_owned(), choices.to_vec());
                let asked = self.when_free(open.clone(), move |screen| ask(screen, &question, &choices));
                Box::pin(async move { asked.await.flatten() })
            }
        };
        self.first(open, here, |desk| desk.words(question, choices))
    }

    fn tell(&self, text: &str) {
        if let Some(person) = self.elsewhere() {
            return person.tell(text);
        }
        self.screen().end_line();
        self.screen().note(&format!("· {}", indented(text)));
    }
}

fn ask(screen: &TerminalOutput, question: &str, choices: &[String]) -> Option<String> {
    screen.end_line();
    screen.note(&format!("\nthe agent asks: {}", indented(question)));
    for (number, choice) in choices.iter().enumerate() {
        screen.note(&format!("  [{}] {}", number + 1, indented(choice)));
    }
    answer(&screen.question("  your answer (empty for none): ")?, choices)
}

/// A text of a model, whose lines cannot be mistaken for what the command itself says.
fn indented(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join("\n    ")
}

/// What a line means: the number of a choice is that choice, and nothing is no answer.
fn answer(line: &str, choices: &[String]) -> Option<String> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let chosen = number.and_then(|number| choices.get(number));
    Some(chosen.map_or_else(|| line.to_owned(), Clone::clone))
}

#[cfg(test)]
mod tests;
