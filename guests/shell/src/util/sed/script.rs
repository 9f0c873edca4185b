//! Reads a script of `sed`.

use regex::Regex;

use crate::util::regexes::{RegexDialect, regex};

/// Which lines a command is for.
#[derive(Debug, Clone)]
pub(super) enum SedAddress {
    Number(usize),
    /// Every so many from one on.
    Step(usize, usize),
    Last,
    Match(Regex),
    /// So many lines after the first of a range.
    Plus(usize),
}

/// A command with its lines.
#[derive(Debug, Clone)]
pub(super) struct SedCommand {
    pub(super) first: Option<SedAddress>,
    pub(super) second: Option<SedAddress>,
    pub(super) inverted: bool,
    pub(super) act: SedOperation,
}

#[derive(Debug, Clone)]
pub(super) enum SedOperation {
    Block(Vec<SedCommand>),
    Substitute { regex: Regex, by: Vec<ReplacementPiece>, all: bool, print: bool, nth: usize },
    Translate(Vec<(char, char)>),
    Delete,
    Print,
    Quit(i32),
    Number,
    Append(String),
    Insert(String),
    Change(String),
    Next,
    NextJoined,
    Hold,
    HoldMore,
    Get,
    GetMore,
    Exchange,
}

/// A piece of the replacement text.
#[derive(Debug, Clone)]
pub(super) enum ReplacementPiece {
    Text(String),
    Group(usize),
    Case(LetterCase),
}

/// Which letters the next text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LetterCase {
    AsIs,
    Upper,
    Lower,
    UpperFirst,
    LowerFirst,
}

/// Reads a whole script.
pub(super) fn read(source: &str, dialect: RegexDialect) -> Result<Vec<SedCommand>, String> {
    let mut reader = SedScriptReader { rest: source, dialect };
    let commands = reader.commands()?;
    if reader.rest.is_empty() { Ok(commands) } else { Err("unexpected '}'".to_owned()) }
}

struct SedScriptReader<'a> {
    rest: &'a str,
    dialect: RegexDialect,
}

impl SedScriptReader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = self.rest.get(c.len_utf8()..).unwrap_or_default();
        Some(c)
    }

    fn skip(&mut self, what: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(what);
    }

    fn commands(&mut self) -> Result<Vec<SedCommand>, String> {
        let mut commands = Vec::new();
        loop {
            self.skip(|c| c.is_whitespace() || c == ';');
            match self.peek() {
                None | Some('}') => return Ok(commands),
                Some('#') => self.skip(|c| c != '\n'),
                Some(_) => commands.push(self.command()?),
            }
        }
    }

    fn command(&mut self) -> Result<SedCommand, String> {
        let first = self.address()?;
        let mut second = None;
        if first.is_some() && self.peek() == Some(',') {
            self.take();
            second = self.address()?;
        }
        self.skip(char::is_whitespace);
        let inverted = self.peek() == Some('!');
        if inverted {
            self.take();
            self.skip(char::is_whitespace);
        }
        Ok(SedCommand { first, second, inverted, act: self.act()? })
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number = digits.parse().ok()?;
        self.rest = rest;
        Some(number)
    }

    fn address(&mut self) -> Result<Option<SedAddress>, String> {
        Ok(Some(match self.peek() {
            Some('$') => {
                self.take();
                SedAddress::Last
            }
            Some('+') => {
                self.take();
                SedAddress::Plus(self.number().unwrap_or(0))
            }
            Some('0'..='9') => {
                let first = self.number().unwrap_or(0);
                if self.peek() == Some('~') {
                    self.take();
                    SedAddress::Step(first, self.number().unwrap_or(0))
                } else {
                    SedAddress::Number(first)
                }
            }
            Some('/') => {
                self.take();
                let source = self.until('/')?;
                let fold = self.peek() == Some('I');
                if fold {
                    self.take();
                }
                SedAddress::Match(regex(&source, self.dialect, fold)?)
            }
            _ => return Ok(None),
        }))
    }

    /// Text up to a delimiter; an escaped delimiter means itself.
    fn until(&mut self, delimiter: char) -> Result<String, String> {
        let mut text = String::new();
        let mut in_set = false;
        while let Some(c) = self.take() {
            match c {
                '\\' => match self.take() {
                    Some(next) if next == delimiter => text.push(next),
                    Some('n') => text.push_str("\\n"),
                    Some(next) => {
                        text.push('\\');
                        text.push(next);
                    }
                    None => text.push('\\'),
                },
                c if c == delimiter && !in_set => return Ok(text),
                c => {
                    in_set = match c {
                        '[' => delimiter == '/',
                        ']' => false,
                        _ => in_set,
                    };
                    text.push(c);
                }
            }
        }
        Err(format!("unterminated '{delimiter}'"))
    }

    fn act(&mut self) -> Result<SedOperation, String> {
        let Some(letter) = self.take() else { return Err("a command is missing".to_owned()) };
        Ok(match letter {
            '{' => {
                let inner = self.commands()?;
                if self.take() != Some('}') {
                    return Err("unmatched '{'".to_owned());
                }
                SedOperation::Block(inner)
            }
            's' => self.substitute()?,
            'y' => {
                let delimiter = self.take().unwrap_or('/');
                let (from, to) = (self.until(delimiter)?, self.until(delimiter)?);
                SedOperation::Translate(from.chars().zip(to.chars()).collect())
            }
            'd' | 'D' => SedOperation::Delete,
            'p' | 'P' => SedOperation::Print,
            'q' | 'Q' => {
                self.skip(|c| c == ' ');
                SedOperation::Quit(self.number().and_then(|status| i32::try_from(status).ok()).unwrap_or(0))
            }
            '=' => SedOperation::Number,
            'a' => SedOperation::Append(self.text()),
            'i' => SedOperation::Insert(self.text()),
            'c' => SedOperation::Change(self.text()),
            'n' => SedOperation::Next,
            'N' => SedOperation::NextJoined,
            'h' => SedOperation::Hold,
            'H' => SedOperation::HoldMore,
            'g' => SedOperation::Get,
            'G' => SedOperation::GetMore,
            'x' => SedOperation::Exchange,
            other => return Err(format!("unknown command '{other}'")),
        })
    }

    /// The text of a, i and c: to the end of the line, further lines after a backslash.
    fn text(&mut self) -> String {
        self.skip(|c| c == ' ' || c == '\t');
        if let Some(rest) = self.rest.strip_prefix("\\\n").or_else(|| self.rest.strip_prefix('\\')) {
            self.rest = rest;
        }
        let mut text = String::new();
        while let Some(c) = self.take() {
            match c {
                '\n' => break,
                '\\' => text.extend(self.take()),
                c => text.push(c),
            }
        }
        text
    }

    fn substitute(&mut self) -> Result<SedOperation, String> {
        let delimiter = self.take().ok_or("a command is missing")?;
        let (source, by) = (self.until(delimiter)?, self.until(delimiter)?);
        let (mut all, mut print, mut fold, mut nth) = (false, false, false, 1);
        loop {
            match self.peek() {
                Some('g') => all = true,
                Some('p') => print = true,
                Some('i' | 'I') => fold = true,
                Some('0'..='9') => {
                    nth = self.number().unwrap_or(1).max(1);
                    continue;
                }
                _ => break,
            }
            self.take();
        }
        Ok(SedOperation::Substitute { regex: regex(&source, self.dialect, fold)?, by: pieces(&by), all, print, nth })
    }
}

fn pieces(text: &str) -> Vec<ReplacementPiece> {
    let mut pieces = vec![ReplacementPiece::Text(String::new())];
    let mut rest = text.chars();
    let letter = |pieces: &mut Vec<ReplacementPiece>, c: char| match pieces.last_mut() {
        Some(ReplacementPiece::Text(text)) => text.push(c),
        _ => pieces.push(ReplacementPiece::Text(c.to_string())),
    };
    while let Some(c) = rest.next() {
        match c {
            '&' => pieces.push(ReplacementPiece::Group(0)),
            '\\' => match rest.next() {
                Some(digit @ '0'..='9') => {
                    pieces.push(ReplacementPiece::Group(digit.to_digit(10).unwrap_or(0) as usize));
                }
                Some('n') => letter(&mut pieces, '\n'),
                Some('t') => letter(&mut pieces, '\t'),
                Some('U') => pieces.push(ReplacementPiece::Case(LetterCase::Upper)),
                Some('L') => pieces.push(ReplacementPiece::Case(LetterCase::Lower)),
                Some('u') => pieces.push(ReplacementPiece::Case(LetterCase::UpperFirst)),
                Some('l') => pieces.push(ReplacementPiece::Case(LetterCase::LowerFirst)),
                Some('E') => pieces.push(ReplacementPiece::Case(LetterCase::AsIs)),
                Some(other) => letter(&mut pieces, other),
                None => letter(&mut pieces, '\\'),
            },
            c => letter(&mut pieces, c),
        }
    }
    pieces
}
