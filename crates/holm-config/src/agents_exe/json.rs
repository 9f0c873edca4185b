//! A JSON reader that keeps the line of every value, so that an error message can name it.
//!
//! `serde_json` checks the grammar first; this code only finds positions in valid JSON. What the
//! values mean is decided in `agent.rs`, `project.rs` and `keys.rs`.

use std::path::Path;

use crate::{ConfigError, ConfigProblem, read::line_of};

/// A value and its line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JsonNode {
    pub(super) line: usize,
    pub(super) kind: JsonNodeKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum JsonNodeKind {
    Object(Vec<(String, JsonNode)>),
    Array(Vec<JsonNode>),
    Text(String),
    /// A number, a Boolean or null.
    Plain(serde_json::Value),
}

/// The text and path of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonSource<'a> {
    pub(super) text: &'a str,
    pub(super) path: &'a Path,
}

impl JsonSource<'_> {
    /// Parses the whole text.
    pub(super) fn parse(self) -> Result<JsonNode, ConfigError> {
        // `serde_json` checks the grammar; the code below only finds positions in valid JSON.
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(self.text) {
            let problem = ConfigProblem::Syntax(error.to_string());
            return Err(ConfigError::at(self.path, error.line().max(1), problem));
        }
        let mut walk = JsonWalker { text: self.text, at: 0 };
        walk.value().ok_or_else(|| {
            ConfigError::at(
                self.path,
                line_of(self.text, walk.at),
                ConfigProblem::Syntax("it is not valid JSON".into()),
            )
        })
    }

    /// The error for a value of the wrong type.
    pub(super) fn wrong(self, node: &JsonNode, expected: &str) -> ConfigError {
        ConfigError::at(
            self.path,
            node.line,
            ConfigProblem::WrongValue(format!("{expected} is expected here")),
        )
    }
}

impl JsonNode {
    /// The member of an object; the case of the key's first letter is ignored.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let JsonNodeKind::Object(members) = &self.kind else { return None };
        let found = members.iter().find(|(name, _)| alike(name, key));
        found.map(|(_, node)| node).filter(|node| !node.is_null())
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            JsonNodeKind::Text(text) => Some(text),
            JsonNodeKind::Object(_) | JsonNodeKind::Array(_) | JsonNodeKind::Plain(_) => None,
        }
    }

    pub(super) fn items(&self) -> Option<&[Self]> {
        match &self.kind {
            JsonNodeKind::Array(items) => Some(items),
            JsonNodeKind::Object(_) | JsonNodeKind::Text(_) | JsonNodeKind::Plain(_) => None,
        }
    }

    pub(super) fn members(&self) -> &[(String, Self)] {
        match &self.kind {
            JsonNodeKind::Object(members) => members,
            JsonNodeKind::Array(_) | JsonNodeKind::Text(_) | JsonNodeKind::Plain(_) => &[],
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, JsonNodeKind::Object(_))
    }

    /// Whether the value is empty or null.
    pub(super) fn is_nothing(&self) -> bool {
        match &self.kind {
            JsonNodeKind::Object(members) => members.is_empty(),
            JsonNodeKind::Array(items) => items.is_empty(),
            JsonNodeKind::Text(_) | JsonNodeKind::Plain(_) => self.is_null(),
        }
    }

    fn is_null(&self) -> bool {
        self.kind == JsonNodeKind::Plain(serde_json::Value::Null)
    }
}

/// Whether two keys are equal, ignoring the case of the first letter.
pub(super) fn alike(a: &str, b: &str) -> bool {
    let split = |text: &'_ str| {
        let mut chars = text.chars();
        (chars.next().map(|first| first.to_ascii_lowercase()), chars.as_str().to_owned())
    };
    split(a) == split(b)
}

/// A cursor over valid JSON.
struct JsonWalker<'a> {
    text: &'a str,
    at: usize,
}

impl JsonWalker<'_> {
    fn value(&mut self) -> Option<JsonNode> {
        let first = self.peek()?;
        let line = line_of(self.text, self.at);
        let kind = match first {
            b'{' => JsonNodeKind::Object(self.object()?),
            b'[' => JsonNodeKind::Array(self.array()?),
            b'"' => JsonNodeKind::Text(self.string()?),
            _ => JsonNodeKind::Plain(self.plain()?),
        };
        Some(JsonNode { line, kind })
    }

    fn object(&mut self) -> Option<Vec<(String, JsonNode)>> {
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

    fn array(&mut self) -> Option<Vec<JsonNode>> {
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
