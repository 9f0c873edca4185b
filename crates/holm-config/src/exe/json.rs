//! A JSON reader that keeps the line of every value, so that an error message can name it.

use std::path::Path;

use crate::{ConfigError, ConfigProblem, read::line_of};

/// A value and its line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Text(String),
    /// A number, a Boolean or null.
    Plain(serde_json::Value),
}

/// The text and path of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) path: &'a Path,
}

impl Source<'_> {
    /// Parses the whole text.
    pub(super) fn parse(self) -> Result<Node, ConfigError> {
        // `serde_json` checks the grammar; the code below only finds positions in valid JSON.
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(self.text) {
            let problem = ConfigProblem::Syntax(error.to_string());
            return Err(ConfigError::at(self.path, error.line().max(1), problem));
        }
        let mut walk = Walk { text: self.text, at: 0 };
        walk.value().ok_or_else(|| {
            ConfigError::at(
                self.path,
                line_of(self.text, walk.at),
                ConfigProblem::Syntax("it is not valid JSON".into()),
            )
        })
    }

    /// The error for a value of the wrong type.
    pub(super) fn wrong(self, node: &Node, expected: &str) -> ConfigError {
        ConfigError::at(
            self.path,
            node.line,
            ConfigProblem::WrongValue(format!("{expected} is expected here")),
        )
    }
}

impl Node {
    /// The member of an object; the case of the key's first letter is ignored.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Kind::Object(members) = &self.kind else { return None };
        let found = members.iter().find(|(name, _)| alike(name, key));
        found.map(|(_, node)| node).filter(|node| !node.is_null())
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            Kind::Object(_) | Kind::Array(_) | Kind::Plain(_) => None,
        }
    }

    pub(super) fn items(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            Kind::Object(_) | Kind::Text(_) | Kind::Plain(_) => None,
        }
    }

    pub(super) fn members(&self) -> &[(String, Self)] {
        match &self.kind {
            Kind::Object(members) => members,
            Kind::Array(_) | Kind::Text(_) | Kind::Plain(_) => &[],
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }

    /// Whether the value is empty or null.
    pub(super) fn is_nothing(&self) -> bool {
        match &self.kind {
            Kind::Object(members) => members.is_empty(),
            Kind::Array(items) => items.is_empty(),
            Kind::Text(_) | Kind::Plain(_) => self.is_null(),
        }
    }

    fn is_null(&self) -> bool {
        self.kind == Kind::Plain(serde_json::Value::Null)
    }
}

/// Whether two keys are equal, ignoring the case of the first letter.
pub(super) fn alike(one: &str, other: &str) -> bool {
    let split = |text: &'_ str| {
        let mut chars = text.chars();
        (chars.next().map(|first| first.to_ascii_lowercase()), chars.as_str().to_owned())
    };
    split(one) == split(other)
}

/// A cursor over valid JSON.
struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl Walk<'_> {
    fn value(&mut self) -> Option<Node> {
        let first = self.peek()?;
        let line = line_of(self.text, self.at);
        let kind = match first {
            b'{' => Kind::Object(self.object()?),
            b'[' => Kind::Array(self.array()?),
            b'"' => Kind::Text(self.string()?),
            _ => Kind::Plain(self.plain()?),
        };
        Some(Node { line, kind })
    }

    fn object(&mut self) -> Option<Vec<(String, Node)>> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            match self.peek()? {
                b'}' => {
                    self.at += 1;
                    return Some(members);
                }
                b',' => self.at += 1,
                _ => {
                    let key = self.string()?;
                    self.peek()?;
                    // The colon.
                    self.at += 1;
                    members.push((key, self.value()?));
                }
            }
        }
    }

    fn array(&mut self) -> Option<Vec<Node>> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            match self.peek()? {
                b']' => {
                    self.at += 1;
                    return Some(items);
                }
                b',' => self.at += 1,
                _ => items.push(self.value()?),
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start + 1..)?;
        let mut escaped = false;
        let end = rest.iter().position(|byte| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        })?;
        self.at = start + end + 2;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    fn plain(&mut self) -> Option<serde_json::Value> {
        let rest = self.text.get(self.at..)?;
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | ']' | '}');
        let word = rest.split(ends).next()?;
        self.at += word.len();
        serde_json::from_str(word).ok()
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.text.as_bytes().get(self.at).copied()
    }
}
