//! Reads a script of `sed`.

use regex::Regex;

use crate::util::regexes::{Dialect, regex};

/// Which lines a command is for.
#[derive(Debug, Clone)]
pub(super) enum Address {
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
pub(super) struct Command {
    pub(super) first: Option<Address>,
    pub(super) second: Option<Address>,
    pub(super) inverted: bool,
    pub(super) act: Act,
}

#[derive(Debug, Clone)]
pub(super) enum Act {
    Block(Vec<Command>),
    Substitute { regex: Regex, by: Vec<Piece>, all: bool, print: bool, nth: usize },
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
pub(super) enum Piece {
    Text(String),
    Group(usize),
    Case(Case),
}

/// Which letters the next text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    AsIs,
    Upper,
    Lower,
    UpperFirst,
    LowerFirst,
}

/// Reads a whole script.
pub(super) fn read(source: &str, dialect: Dialect) -> Result<Vec<Command>, String> {
    let mut reader = Reader { rest: source, dialect };
    let commands = reader.commands()?;
    if reader.rest.is_empty() { Ok(commands) } else { Err("unexpected '}'".to_owned()) }
}

struct Reader<'a> {
    rest: &'a str,
    dialect: Dialect,
}

impl Reader<'_> {
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

    fn commands(&mut self) -> Result<Vec<Command>, String> {
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

    fn command(&mut self) -> Result<Command, String> {
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
        Ok(Command { first, second, inverted, act: self.act()? })
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number = digits.parse().ok()?;
        self.rest = rest;
        Some(number)
    }

    fn address(&mut self) -> Result<Option<Address>, String> {
        Ok(Some(match self.peek() {
            Some('$') => {
                self.take();
                Address::Last
            }
            Some('+') => {
                self.take();
                Address::Plus(self.number().unwrap_or(0))
            }
            Some('0'..='9') => {
                let first = self.number().unwrap_or(0);
                if self.peek() == Some('~') {
                    self.take();
                    Address::Step(first, self.number().unwrap_or(0))
                } else {
                    Address::Number(first)
                }
            }
            Some('/') => {
                self.take();
                let source = self.until('/')?;
                let fold = self.peek() == Some('I');
                if fold {
                    self.take();
                }
                Address::Match(regex(&source, self.dialect, fold)?)
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

    fn act(&mut self) -> Result<Act, String> {
        let Some(letter) = self.take() else { return Err("a command is missing".to_owned()) };
        Ok(match letter {
            '{' => {
                let inner = self.commands()?;
                if self.take() != Some('}') {
                    return Err("unmatched '{'".to_owned());
                }
                Act::Block(inner)
            }
            's' => self.substitute()?,
            'y' => {
                let delimiter = self.take().unwrap_or('/');
                let (from, to) = (self.until(delimiter)?, self.until(delimiter)?);
                Act::Translate(from.chars().zip(to.chars()).collect())
            }
            'd' | 'D' => Act::Delete,
            'p' | 'P' => Act::Print,
            'q' | 'Q' => {
                self.skip(|c| c == ' ');
                Act::Quit(self.number().and_then(|status| i32::try_from(status).ok()).unwrap_or(0))
            }
            '=' => Act::Number,
            'a' => Act::Append(self.text()),
            'i' => Act::Insert(self.text()),
            'c' => Act::Change(self.text()),
            'n' => Act::Next,
            'N' => Act::NextJoined,
            'h' => Act::Hold,
            'H' => Act::HoldMore,
            'g' => Act::Get,
            'G' => Act::GetMore,
            'x' => Act::Exchange,
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

    fn substitute(&mut self) -> Result<Act, String> {
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
        Ok(Act::Substitute { regex: regex(&source, self.dialect, fold)?, by: pieces(&by), all, print, nth })
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Text(String::new())];
    let mut rest = text.chars();
    let letter = |pieces: &mut Vec<Piece>, c: char| match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(c),
        _ => pieces.push(Piece::Text(c.to_string())),
    };
    while let Some(c) = rest.next() {
        match c {
            '&' => pieces.push(Piece::Group(0)),
            '\\' => match rest.next() {
                Some(digit @ '0'..='9') => {
                    pieces.push(Piece::Group(digit.to_digit(10).unwrap_or(0) as usize));
                }
                Some('n') => letter(&mut pieces, '\n'),
                Some('t') => letter(&mut pieces, '\t'),
                Some('U') => pieces.push(Piece::Case(Case::Upper)),
                Some('L') => pieces.push(Piece::Case(Case::Lower)),
                Some('u') => pieces.push(Piece::Case(Case::UpperFirst)),
                Some('l') => pieces.push(Piece::Case(Case::LowerFirst)),
                Some('E') => pieces.push(Piece::Case(Case::AsIs)),
                Some(other) => letter(&mut pieces, other),
                None => letter(&mut pieces, '\\'),
            },
            c => letter(&mut pieces, c),
        }
    }
    pieces
}
