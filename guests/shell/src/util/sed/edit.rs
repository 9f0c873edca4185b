//! Runs a script of `sed` over lines.

use std::collections::VecDeque;

use regex::{Captures, Regex};

use super::script::{SedOperation, SedAddress, LetterCase, SedCommand, ReplacementPiece};
use crate::io::{IoHandle, LocalFuture};
use crate::util::kit::{OutputBuffer, UtilityError, next_line};

/// When a line is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SedPrinting {
    /// After the script, in every case.
    Always,
    /// Only if the script asks for it.
    Asked,
}

/// What happens after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SedControl {
    GoOn,
    /// The next line, without printing this one.
    Drop,
    Quit(i32),
}

/// The state of a run.
pub(super) struct SedEditor<'a> {
    script: &'a [SedCommand],
    printing: SedPrinting,
    line: String,
    held: String,
    number: usize,
    /// The commands whose range is open, by their address in memory, each with the
    /// line where it began.
    open: Vec<(*const SedCommand, usize)>,
    appended: Vec<String>,
    inputs: VecDeque<IoHandle>,
    ahead: Option<String>,
}

impl<'a> SedEditor<'a> {
    pub(super) fn new(script: &'a [SedCommand], printing: SedPrinting) -> Self {
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
    pub(super) async fn run(&mut self, inputs: Vec<IoHandle>, out: &mut OutputBuffer) -> Result<i32, UtilityError> {
        self.inputs = inputs.into();
        self.ahead = self.fetch().await?;
        while self.advance().await? {
            let then = self.commands(self.script, out).await?;
            if self.printing == SedPrinting::Always && then != SedControl::Drop {
                out.line(&self.line).await?;
            }
            self.flush(out).await?;
            if let SedControl::Quit(status) = then {
                return Ok(status);
            }
        }
        Ok(0)
    }

    async fn fetch(&mut self) -> Result<Option<String>, UtilityError> {
        while let Some(input) = self.inputs.front() {
            if let Some(line) = next_line(input, b'\n').await? {
                return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
            }
            self.inputs.pop_front();
        }
        Ok(None)
    }

    /// Goes to the next line; one is always read ahead, so that the last is known.
    async fn advance(&mut self) -> Result<bool, UtilityError> {
        let Some(line) = self.ahead.take() else { return Ok(false) };
        self.line = line;
        self.number += 1;
        self.ahead = self.fetch().await?;
        Ok(true)
    }

    async fn flush(&mut self, out: &mut OutputBuffer) -> Result<(), UtilityError> {
        for text in std::mem::take(&mut self.appended) {
            out.line(&text).await?;
        }
        Ok(())
    }

    fn commands<'b>(
        &'b mut self,
        commands: &'b [SedCommand],
        out: &'b mut OutputBuffer,
    ) -> LocalFuture<'b, Result<SedControl, UtilityError>> {
        Box::pin(async move {
            for command in commands {
                if !self.selected(command) {
                    continue;
                }
                match self.act(command, out).await? {
                    SedControl::GoOn => {}
                    other => return Ok(other),
                }
            }
            Ok(SedControl::GoOn)
        })
    }

    fn at(&self, address: &SedAddress) -> bool {
        match address {
            SedAddress::Number(number) => self.number == *number,
            SedAddress::Step(first, 0) => self.number == *first,
            SedAddress::Step(first, step) => {
                self.number >= *first && (self.number - first).is_multiple_of(*step)
            }
            SedAddress::Last => self.ahead.is_none(),
            SedAddress::Match(regex) => regex.is_match(&self.line),
            SedAddress::Plus(_) => false,
        }
    }

    fn selected(&mut self, command: &SedCommand) -> bool {
        let found = match (&command.first, &command.second) {
            (None, _) => true,
            (Some(first), None) => self.at(first),
            (Some(first), Some(second)) => self.in_range(command, first, second),
        };
        found != command.inverted
    }

    fn in_range(&mut self, command: &SedCommand, first: &SedAddress, second: &SedAddress) -> bool {
        let key = std::ptr::from_ref(command);
        if let Some(index) = self.open.iter().position(|(open, _)| *open == key) {
            let began = self.open.get(index).map_or(0, |(_, began)| *began);
            let (ends, within) = match second {
                SedAddress::Number(last) => (self.number >= *last, self.number <= *last),
                SedAddress::Plus(count) => (self.number >= began + count, true),
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
            SedAddress::Number(last) => *last <= self.number,
            SedAddress::Plus(count) => *count == 0,
            SedAddress::Step(..) | SedAddress::Last | SedAddress::Match(_) => false,
        };
        if !one_line {
            self.open.push((key, self.number));
        }
        true
    }

    async fn act(&mut self, command: &SedCommand, out: &mut OutputBuffer) -> Result<SedControl, UtilityError> {
        match &command.act {
            SedOperation::Block(inner) => return self.commands(inner, out).await,
            SedOperation::Substitute { regex, by, all, print, nth } => {
                if self.substitute(regex, by, *all, *nth) && *print {
                    out.line(&self.line).await?;
                }
            }
            SedOperation::Translate(pairs) => {
                let map = |c: char| pairs.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to);
                self.line = self.line.chars().map(map).collect();
            }
            SedOperation::Delete => return Ok(SedControl::Drop),
            SedOperation::Print => out.line(&self.line).await?,
            SedOperation::Quit(status) => return Ok(SedControl::Quit(*status)),
            SedOperation::Number => out.line(&self.number.to_string()).await?,
            SedOperation::Append(text) => self.appended.push(text.clone()),
            SedOperation::Insert(text) => out.line(text).await?,
            SedOperation::Change(text) => {
                let open = self.open.iter().any(|(open, _)| *open == std::ptr::from_ref(command));
                // A whole range becomes one text, at its end.
                if command.second.is_none() || command.inverted || !open {
                    out.line(text).await?;
                }
                return Ok(SedControl::Drop);
            }
            SedOperation::Next | SedOperation::NextJoined => return self.next(&command.act, out).await,
            SedOperation::Hold => self.held.clone_from(&self.line),
            SedOperation::HoldMore => {
                self.held.push('\n');
                self.held.push_str(&self.line);
            }
            SedOperation::Get => self.line.clone_from(&self.held),
            SedOperation::GetMore => {
                self.line.push('\n');
                self.line.push_str(&self.held);
            }
            SedOperation::Exchange => std::mem::swap(&mut self.line, &mut self.held),
        }
        Ok(SedControl::GoOn)
    }

    async fn next(&mut self, act: &SedOperation, out: &mut OutputBuffer) -> Result<SedControl, UtilityError> {
        let before = self.line.clone();
        if self.ahead.is_none() {
            return Ok(SedControl::Quit(0));
        }
        let joined = matches!(act, SedOperation::NextJoined);
        if !joined && self.printing == SedPrinting::Always {
            out.line(&before).await?;
        }
        self.flush(out).await?;
        self.advance().await?;
        if joined {
            self.line = format!("{before}\n{}", self.line);
        }
        Ok(SedControl::GoOn)
    }

    fn substitute(&mut self, regex: &Regex, by: &[ReplacementPiece], all: bool, nth: usize) -> bool {
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

fn put(out: &mut String, by: &[ReplacementPiece], found: &Captures<'_>) {
    let mut case = LetterCase::AsIs;
    for piece in by {
        let text = match piece {
            ReplacementPiece::Text(text) => text.as_str(),
            ReplacementPiece::Group(number) => found.get(*number).map_or("", |group| group.as_str()),
            ReplacementPiece::Case(next) => {
                case = *next;
                continue;
            }
        };
        if text.is_empty() {
            continue;
        }
        let mut chars = text.chars();
        match case {
            LetterCase::AsIs => out.push_str(text),
            LetterCase::Upper => out.push_str(&text.to_uppercase()),
            LetterCase::Lower => out.push_str(&text.to_lowercase()),
            LetterCase::UpperFirst | LetterCase::LowerFirst => {
                let first = chars.next().map(|c| {
                    if case == LetterCase::UpperFirst {
                        c.to_uppercase().collect::<String>()
                    } else {
                        c.to_lowercase().collect()
                    }
                });
                out.push_str(&first.unwrap_or_default());
                out.push_str(chars.as_str());
                case = LetterCase::AsIs;
            }
        }
    }
}
