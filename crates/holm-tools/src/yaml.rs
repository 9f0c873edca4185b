//! Reads YAML into JSON values. It works on parser events, so that neither the depth nor the
//! aliases of a hostile file cost more than its length.
//!
//! Aliases and tags are errors. What the values mean is decided by the callers: documents of
//! `openapi/`, and files of other agents in `holm-config/src/import/`.

use serde_json::{Map, Value as Json};
use thiserror::Error;
use yaml_rust2::{
    Yaml,
    parser::{Event, Parser},
    scanner::TScalarStyle,
};

/// The deepest nesting: files that people write have a tenth of it.
const MOST_DEPTH: usize = 64;

/// Why a text cannot be read as YAML.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct YamlError {
    /// The line, from 1.
    pub line: usize,
    pub reason: String,
}

/// A list or object that is not closed yet.
enum YamlContainer {
    List(Vec<Json>),
    /// The members, and the key that waits for its value.
    Object(Map<String, Json>, Option<String>),
}

/// Parses the first document of a text.
///
/// ```
/// let value = holm_tools::yaml::parse("name: x\nlist: [1, true, '2']").unwrap();
/// assert_eq!(value["list"], serde_json::json!([1, true, "2"]));
/// ```
///
/// # Errors
/// The first error, with its line. Aliases and tags are not supported.
pub fn parse(text: &str) -> Result<Json, YamlError> {
    let mut parser = Parser::new_from_str(text);
    let (mut open, mut document): (Vec<YamlContainer>, Option<Json>) = (Vec::new(), None);
    loop {
        let (event, at) = parser.next_token().map_err(|error| YamlError {
            line: error.marker().line().max(1),
            reason: error.info().split_whitespace().collect::<Vec<_>>().join(" "),
        })?;
        let wrong = |reason: &str| YamlError { line: at.line().max(1), reason: reason.to_owned() };
        let value = match event {
            Event::StreamEnd | Event::DocumentEnd => return Ok(document.unwrap_or_default()),
            Event::Nothing | Event::StreamStart | Event::DocumentStart => continue,
            Event::Alias(_) => return Err(wrong("YAML aliases are not supported here; write the value out")),
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= MOST_DEPTH => {
                return Err(wrong("values are nested too deeply"));
            }
            Event::SequenceStart(..) => {
                open.push(YamlContainer::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(YamlContainer::Object(Map::new(), None));
                continue;
            }
            Event::Scalar(text, style, _, _) => scalar(text, style),
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(YamlContainer::List(items)) => Json::Array(items),
                Some(YamlContainer::Object(members, _)) => Json::Object(members),
                None => return Err(wrong("something is closed that was never opened")),
            },
        };
        match open.last_mut() {
            None => document = Some(value),
            Some(YamlContainer::List(items)) => items.push(value),
            Some(YamlContainer::Object(members, key)) => match key.take() {
                Some(key) => {
                    members.insert(key, value);
                }
                None => *key = Some(as_key(&value).ok_or_else(|| wrong("a key is one word"))?),
            },
        }
    }
}

/// A quoted scalar is a string; a plain one gets the type that it looks like.
fn scalar(text: String, style: TScalarStyle) -> Json {
    if style != TScalarStyle::Plain {
        return Json::String(text);
    }
    match Yaml::from_str(&text) {
        Yaml::Null => Json::Null,
        Yaml::Boolean(truth) => Json::Bool(truth),
        Yaml::Integer(number) => number.into(),
        _ => Json::String(text),
    }
}

fn as_key(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(truth) => Some(truth.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}
