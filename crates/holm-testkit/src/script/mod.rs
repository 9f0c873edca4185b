//! What everybody around a run does, as data.
//!
//! Each list is used up in order, whoever asks first; where a list ends, the obvious happens (the model says that it
//! is done, tools echo, people say yes). So every part of a script can be left out, and a shorter script is a script.

mod fault;
mod line;
mod print;

pub use fault::{Fault, Interrupt, Mishap, Offence, What};
pub use line::{Ask, Child, Line, Ruling, Work};

use holm_kernel::{Answer, CheckRuling, Usage};
use serde::{Deserialize, Serialize};

/// Everything that happens to a run.
///
/// ```
/// use holm_testkit::{Line, Script, Work};
///
/// let script = Script {
///     model: vec![Line::calls("look", r#"{"path":"a.txt"}"#)],
///     tools: vec![Work::Gives("hello".into())],
///     ..Script::prompted("What is in a.txt?")
/// };
/// assert_eq!(script.to_string(), "\
/// prompt    What is in a.txt?
/// model     look {\"path\":\"a.txt\"}
/// tool      gives hello
/// ");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Script {
    /// What is asked, one after the other: each once the group before has ended.
    pub prompts: Vec<String>,
    /// What the model replies, in order of its calls; summaries and skills are calls too.
    pub model: Vec<Line>,
    /// What the model does after its last line.
    pub then: Then,
    /// What each of the model's calls uses.
    pub usage: Usage,
    /// What tools give back, in the order in which they run.
    pub tools: Vec<Work>,
    /// What people answer.
    pub people: Vec<Ruling>,
    /// What hooks answer.
    pub hooks: Vec<Answer>,
    /// What executable checks find.
    pub checks: Vec<CheckRuling>,
    /// What child runs come to.
    pub children: Vec<Child>,
    /// Who speaks up in between.
    pub interrupts: Vec<Interrupt>,
    /// What goes wrong.
    pub faults: Vec<Fault>,
}

impl Script {
    /// One prompt; the model says that it is done.
    pub fn prompted(text: impl Into<String>) -> Self {
        Self { prompts: vec![text.into()], ..Self::default() }
    }
}

impl Default for Script {
    fn default() -> Self {
        Self {
            prompts: Vec::new(),
            model: Vec::new(),
            then: Then::default(),
            usage: Usage { input: 100, output: 10, ..Usage::default() },
            tools: Vec::new(),
            people: Vec::new(),
            hooks: Vec::new(),
            checks: Vec::new(),
            children: Vec::new(),
            interrupts: Vec::new(),
            faults: Vec::new(),
        }
    }
}

/// What the model does after its last line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It says that it is done.
    #[default]
    Answers,
    /// It begins again with its first line, for ever: only a limit ends the run.
    Repeats,
}
