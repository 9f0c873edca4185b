//! Runs a script of `sed` over lines.

use std::collections::VecDeque;

use regex::{Captures, Regex};

use super::script::{Act, Address, Case, Command, Piece};
use crate::io::{Handle, Local};
use crate::util::kit::{Out, Trouble, next_line};

/// When a line is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Printing {
    /// After the script, in every case.
    Always,
    /// Only if the script asks for it.
    Asked,
}

/// What happens after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    GoOn,
    /// The next line, without printing this one.
    Drop,
    Quit(i32),
}

/// The state of a run.
pub(super) struct Editor<'a> {
    script: &'a [Command],
    printing: Printing,
    line: String,
    held: String,
    number: usize,
    /// The commands whose range is open, by their address in memory, each with the
    /// line where it began.
    open: Vec<(*const Command, usize)>,
    appended: Vec<String>,
    inputs: VecDeque<Handle>,
    ahead: Option<String>,
}

impl<'a> Editor<'a> {
    pub(super) fn new(script: &'a [Command], printing: Printing) -> Self {
        Self {
            script,
            printing,
            line: String::new(),
            held: String::new(),
            number: 0,
            open: Vec::new(),
            appended: Vec::new(),
            inputs: VecDeque::new(),
            ahead: None,
        }
    }

    /// Reads all input and writes the result. Returns the status that the script ends with.
    pub(super) async fn run(&mut self, inputs: Vec<Handle>, out: &mut Out) -> Result<i32, Trouble> {
        self.inputs = inputs.into();
        self.ahead = self.fetch().await?;
        while self.advance().await? {
            let then = self.commands(self.script, out).await?;
            if self.printing == Printing::Always && then != Then::Drop {
                out.line(&self.line).await?;
            }
            self.flush(out).await?;
            if let Then::Quit(status) = then {
                return Ok(status);
            }
        }
        Ok(0)
    }

    async fn fetch(&mut self) -> Result<Option<String>, Trouble> {
        while let Some(input) = self.inputs.front() {
            if let Some(line) = next_line(input, b'\n').await? {
                return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
            }
            self.inputs.pop_front();
        }
        Ok(None)
    }

    /// Goes to the next line; one is always read ahead, so that the last is known.
    async fn advance(&mut self) -> Result<bool, Trouble> {
        let Some(line) = self.ahead.take() else { return Ok(false) };
        self.line = line;
        self.number += 1;
        self.ahead = self.fetch().await?;
        Ok(true)
    }

    async fn flush(&mut self, out: &mut Out) -> Result<(), Trouble> {
        for text in std::mem::take(&mut self.appended) {
            out.line(&text).await?;
        }
        Ok(())
    }

    fn commands<'b>(
        &'b mut self,
        commands: &'b [Command],
        out: &'b mut Out,
    ) -> Local<'b, Result<Then, Trouble>> {
        Box::pin(async move {
            for command in commands {
                if !self.selected(command) {
                    continue;
                }
                match self.act(command, out).await? {
                    Then::GoOn => {}
                    other => return Ok(other),
                }
            }
            Ok(Then::GoOn)
        })
    }

    fn at(&self, address: &Address) -> bool {
        match address {
            Address::Number(number) => self.number == *number,
            Address::Step(first, 0) => self.number == *first,
            Address::Step(first, step) => {
                self.number >= *first && (self.number - first).is_multiple_of(*step)
            }
            Address::Last => self.ahead.is_none(),
            Address::Match(regex) => regex.is_match(&self.line),
            Address::Plus(_) => false,
        }
    }

    fn selected(&mut self, command: &Command) -> bool {
        let found = match (&command.first, &command.second) {
            (None, _) => true,
            (Some(first), None) => self.at(first),
            (Some(first), Some(second)) => self.in_range(command, first, second),
        };
        found != command.inverted
    }

    fn in_range(&mut self, command: &Command, first: &Address, second: &Address) -> bool {
        let key = std::ptr::from_ref(command);
        if let Some(index) = self.open.iter().position(|(open, _)| *open == key) {
            let began = self.open.get(index).map_or(0, |(_, began)| *began);
            let (ends, within) = match second {
                Address::Number(last) => (self.number >= *last, self.number <= *last),
                Address::Plus(count) => (self.number >= began + count, true),
                other => (self.at(other), true),
            };
            if ends {
                self.open.remove(index);
            }
            return within || self.at(first);
        }
        if !self.at(first) {
            return false;
        }
        let one_line = match second {
            Address::Number(last) => *last <= self.number,
            Address::Plus(count) => *count == 0,
            Address::Step(..) | Address::Last | Address::Match(_) => false,
        };
        if !one_line {
            self.open.push((key, self.number));
        }
        true
    }

    async fn act(&mut self, command: &Command, out: &mut Out) -> Result<Then, Trouble> {
        match &command.act {
            Act::Block(inner) => return self.commands(inner, out).await,
            Act::Substitute { regex, by, all, print, nth } => {
                if self.substitute(regex, by, *all, *nth) && *print {
                    out.line(&self.line).await?;
                }
            }
            Act::Translate(pairs) => {
                let map = |c: char| pairs.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to);
                self.line = self.line.chars().map(map).collect();
            }
            Act::Delete => return Ok(Then::Drop),
            Act::Print => out.line(&self.line).await?,
            Act::Quit(status) => return Ok(Then::Quit(*status)),
            Act::Number => out.line(&self.number.to_string()).await?,
            Act::Append(text) => self.appended.push(text.clone()),
            Act::Insert(text) => out.line(text).await?,
            Act::Change(text) => {
                let open = self.open.iter().any(|(open, _)| *open == std::ptr::from_ref(command));
                // A whole range becomes one text, at its end.
                if command.second.is_none() || command.inverted || !open {
                    out.line(text).await?;
                }
                return Ok(Then::Drop);
            }
            Act::Next | Act::NextJoined => return self.next(&command.act, out).await,
            Act::Hold => self.held.clone_from(&self.line),
            Act::HoldMore => {
                self.held.push('\n');
                self.held.push_str(&self.line);
            }
            Act::Get => self.line.clone_from(&self.held),
            Act::GetMore => {
                self.line.push('\n');
                self.line.push_str(&self.held);
            }
            Act::Exchange => std::mem::swap(&mut self.line, &mut self.held),
        }
        Ok(Then::GoOn)
    }

    async fn next(&mut self, act: &Act, out: &mut Out) -> Result<Then, Trouble> {
        let before = self.line.clone();
        if self.ahead.is_none() {
            return Ok(Then::Quit(0));
        }
        let joined = matches!(act, Act::NextJoined);
        if !joined && self.printing == Printing::Always {
            out.line(&before).await?;
        }
        self.flush(out).await?;
        self.advance().await?;
        if joined {
            self.line = format!("{before}\n{}", self.line);
        }
        Ok(Then::GoOn)
    }

    fn substitute(&mut self, regex: &Regex, by: &[Piece], all: bool, nth: usize) -> bool {
        let mut out = String::new();
        let (mut from, mut count) = (0, 0);
        for found in regex.captures_iter(&self.line) {
            let Some(whole) = found.get(0) else { continue };
            count += 1;
            if count < nth {
                continue;
            }
            out.push_str(self.line.get(from..whole.start()).unwrap_or_default());
            put(&mut out, by, &found);
            from = whole.end();
            if !all {
                break;
            }
        }
        if count < nth {
            return false;
        }
        out.push_str(self.line.get(from..).unwrap_or_default());
        self.line = out;
        true
    }
}

fn put(out: &mut String, by: &[Piece], found: &Captures<'_>) {
    let mut case = Case::AsIs;
    for piece in by {
        let text = match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Group(number) => found.get(*number).map_or("", |group| group.as_str()),
            Piece::Case(next) => {
                case = *next;
                continue;
            }
        };
        if text.is_empty() {
            continue;
        }
        let mut chars = text.chars();
        match case {
            Case::AsIs => out.push_str(text),
            Case::Upper => out.push_str(&text.to_uppercase()),
            Case::Lower => out.push_str(&text.to_lowercase()),
            Case::UpperFirst | Case::LowerFirst => {
                let first = chars.next().map(|c| {
                    if case == Case::UpperFirst {
                        c.to_uppercase().collect::<String>()
                    } else {
                        c.to_lowercase().collect()
                    }
                });
                out.push_str(&first.unwrap_or_default());
                out.push_str(chars.as_str());
                case = Case::AsIs;
            }
        }
    }
}
