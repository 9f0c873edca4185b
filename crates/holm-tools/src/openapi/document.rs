//! The text of a document, its parts, and its references.
//!
//! Parts stay text until they are needed. The largest public documents have thirteen megabytes, most
//! of it responses and examples, which are never read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::error::Category;
use serde_json::value::RawValue;

use super::error::OpenApiError;

/// The members of an object that stay text.
pub(super) type RawMembers<'a> = BTreeMap<String, &'a RawValue>;

/// Folders of `components` that are looked into more than once.
const SECTIONS: [&str; 4] = ["schemas", "parameters", "requestBodies", "pathItems"];
/// The most steps of a reference that leads to another reference.
const MOST_STEPS: usize = 16;

/// A document whose parts are still text.
pub(super) struct OpenApiDocument<'a> {
    root: RawMembers<'a>,
    components: RawMembers<'a>,
    sections: BTreeMap<&'static str, RawMembers<'a>>,
}

/// The text of a document as JSON.
pub(super) fn as_json(bytes: &[u8]) -> Result<Cow<'_, str>, OpenApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| OpenApiError::NotText)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        return Ok(Cow::Borrowed(text));
    }
    let value = crate::yaml::parse(text)
        .map_err(|error| OpenApiError::Syntax { line: error.line, reason: error.reason })?;
    Ok(Cow::Owned(value.to_string()))
}

impl<'a> OpenApiDocument<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, OpenApiError> {
        let root: RawMembers<'a> = serde_json::from_str(text).map_err(|error| match error.classify() {
            Category::Data => OpenApiError::NotADocument,
            Category::Io | Category::Syntax | Category::Eof => {
                OpenApiError::Syntax { line: error.line().max(1), reason: format!("not valid JSON: {error}") }
            }
        })?;
        check_version(&root)?;
        let components = match root.get("components") {
            Some(raw) => members(raw).ok_or(OpenApiError::WrongType("components"))?,
            None => RawMembers::new(),
        };
        let section = |name: &'static str| {
            let found = components.get(name).copied().and_then(members);
            (name, found.unwrap_or_default())
        };
        let sections = SECTIONS.into_iter().map(section).collect();
        Ok(Self { root, components, sections })
    }

    /// Its path items, by path.
    pub(super) fn paths(&self) -> Result<RawMembers<'a>, OpenApiError> {
        let Some(paths) = self.root.get("paths") else { return Ok(RawMembers::new()) };
        members(paths).ok_or(OpenApiError::WrongType("paths"))
    }

    /// Its list of servers.
    pub(super) fn servers(&self) -> Option<&'a RawValue> {
        self.root.get("servers").copied()
    }

    /// The way in which its operations expect a key, by default, with its schemes by name.
    pub(super) fn security(&self) -> (Option<&'a RawValue>, RawMembers<'a>) {
        let schemes = self.components.get("securitySchemes").copied().and_then(members);
        (self.root.get("security").copied(), schemes.unwrap_or_default())
    }

    /// The part that a reference within the document leads to.
    pub(super) fn resolve(&self, reference: &str) -> Result<&'a RawValue, String> {
        let missing = || format!("the reference {reference} leads nowhere");
        let pointer = reference
            .strip_prefix("#/")
            .ok_or_else(|| format!("the reference {reference} leads to another file"))?;
        let steps: Vec<String> = pointer.split('/').map(unescape).collect();
        let found = match steps.as_slice() {
            [first, section, name, rest @ ..] if first == "components" => {
                let known = self.sections.get(section.as_str());
                let part = match known {
                    Some(known) => known.get(name).copied(),
                    None => self
                        .components
                        .get(section)
                        .and_then(|raw| members(raw))
                        .and_then(|members| members.get(name).copied()),
                };
                walk(part, rest)
            }
            [first, rest @ ..] => walk(self.root.get(first).copied(), rest),
            [] => None,
        };
        found.ok_or_else(missing)
    }

    /// The part itself, or the one that it only refers to.
    pub(super) fn target(&self, mut raw: &'a RawValue) -> Result<&'a RawValue, String> {
        for _ in 0..MOST_STEPS {
            let Some(reference) = reference_of(raw) else { return Ok(raw) };
            raw = self.resolve(&reference)?;
        }
        Err("references lead in a circle".to_owned())
    }
}

/// The members of an object. Parts that are not objects have none.
pub(super) fn members(raw: &RawValue) -> Option<RawMembers<'_>> {
    serde_json::from_str(raw.get()).ok()
}

/// The items of a list.
pub(super) fn items(raw: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(raw.get()).ok()
}

/// Where a part leads, if it is a reference.
pub(super) fn reference_of(raw: &RawValue) -> Option<String> {
    // Only small parts are references, and most parts are not.
    if !raw.get().contains("\"$ref\"") {
        return None;
    }
    serde_json::from_str(members(raw)?.get("$ref")?.get()).ok()
}

fn walk<'a>(start: Option<&'a RawValue>, steps: &[String]) -> Option<&'a RawValue> {
    steps.iter().try_fold(start?, |raw, step| {
        if let Some(members) = members(raw) {
            return members.get(step).copied();
        }
        items(raw)?.get(step.parse::<usize>().ok()?).copied()
    })
}

fn unescape(step: &str) -> String {
    let mut bytes = Vec::with_capacity(step.len());
    let mut rest = step.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| *byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).replace("~1", "/").replace("~0", "~")
}

fn check_version(root: &RawMembers<'_>) -> Result<(), OpenApiError> {
    let version = |name: &str| root.get(name).map(|raw| raw.get().trim_matches('"').to_owned());
    if let Some(swagger) = version("swagger") {
        return Err(OpenApiError::Swagger(shown(&swagger)));
    }
    let version = version("openapi").ok_or(OpenApiError::NotADocument)?;
    let known = ["3.0", "3.1"].iter().any(|known| {
        version.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    if known { Ok(()) } else { Err(OpenApiError::Version(shown(&version))) }
}

/// A text of the document within a message.
pub(super) fn shown(text: &str) -> String {
    crate::text::tidy(&text.replace('\n', " "), 120)
}
