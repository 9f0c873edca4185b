//! The request of a call: method, URL, headers and body, made of the arguments. It is pure: nothing
//! is sent here, and keys are added later (`auth.rs`).
//!
//! A value stays in its place. In a path everything is encoded that means something in a URL, with
//! the same rules as in the call's need, so the URL that is opened is the one that was allowed.

use std::fmt::Write as _;

use holm_guards::json::Json;

use super::operation::{ArgumentPlace, ArgumentStyle, BodyForm, OpenApiArgument, OpenApiOperation};

/// A request without keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenApiRequest {
    /// The URL without its query.
    pub(super) url: String,
    /// The encoded fields of the query.
    pub(super) query: Vec<(String, String)>,
    pub(super) headers: Vec<(String, String)>,
    /// The media type and the bytes.
    pub(super) body: Option<(String, String)>,
}

impl OpenApiRequest {
    /// The request of a call. `base` has no slash at its end.
    pub(super) fn new(operation: &OpenApiOperation, base: &str, arguments: &Json) -> Result<Self, String> {
        let mut request = Self { url: base.to_owned(), query: Vec::new(), headers: Vec::new(), body: None };
        request.path(operation, arguments)?;
        for argument in &operation.arguments {
            let Some(value) = arguments.get(&argument.name).filter(|value| !value.is_null()) else {
                continue;
            };
            match argument.place {
                ArgumentPlace::Path => {}
                ArgumentPlace::Query => fields(argument, value, &mut request.query),
                ArgumentPlace::Header => {
                    request
                        .headers
                        .push((argument.wire.clone(), simple(value, argument.explode, str::to_owned)));
                }
            }
        }
        if let Some(body) = &operation.body
            && let Some(value) = arguments.get(&body.name)
        {
            let text = match body.form {
                BodyForm::Json => value.canonical(),
                BodyForm::Text => value.as_str().ok_or("the body must be a text")?.to_owned(),
                BodyForm::Fields => form(value)?,
            };
            request.body = Some((body.media_type.clone(), text));
        }
        Ok(request)
    }

    fn path(&mut self, operation: &OpenApiOperation, arguments: &Json) -> Result<(), String> {
        let mut rest = operation.path.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (wire, tail) = after.split_once('}').unwrap_or((after, ""));
            self.url.push_str(before);
            let is_it =
                |argument: &&OpenApiArgument| argument.place == ArgumentPlace::Path && argument.wire == wire;
            let argument = operation.arguments.iter().find(is_it);
            let value = argument.and_then(|argument| Some((argument, arguments.get(&argument.name)?)));
            let (argument, value) = value.ok_or_else(|| format!("the argument for {{{wire}}} is missing"))?;
            self.url.push_str(&simple(value, argument.explode, encoded));
            rest = tail;
        }
        self.url.push_str(rest);
        Ok(())
    }

    /// The URL with its query.
    pub(super) fn full_url(&self) -> String {
        if self.query.is_empty() {
            return self.url.clone();
        }
        let separator = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{separator}{}", self.url, joined(&self.query))
    }
}

/// The text of a value that is neither a list nor an object.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => value.canonical(),
    }
}

/// A value with commas between its parts.
fn simple(value: &Json, explode: bool, encode: impl Fn(&str) -> String) -> String {
    let parts: Vec<String> = match value {
        Json::Array(items) => items.iter().map(|item| encode(&plain(item))).collect(),
        Json::Object(members) => {
            let join = if explode { "=" } else { "," };
            members
                .iter()
                .map(|(name, value)| format!("{}{join}{}", encode(name), encode(&plain(value))))
                .collect()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => vec![encode(&plain(value))],
    };
    parts.join(",")
}

/// Adds the fields of a query parameter.
fn fields(argument: &OpenApiArgument, value: &Json, out: &mut Vec<(String, String)>) {
    let name = encoded(&argument.wire);
    let separator = match argument.style {
        ArgumentStyle::Json => {
            out.push((name, encoded(&value.canonical())));
            return;
        }
        ArgumentStyle::Deep => {
            deep(&argument.wire, value, out);
            return;
        }
        ArgumentStyle::Space => "%20",
        ArgumentStyle::Pipe => "%7C",
        ArgumentStyle::Form | ArgumentStyle::Simple => ",",
    };
    match value {
        Json::Array(items) if argument.explode => {
            out.extend(items.iter().map(|item| (name.clone(), encoded(&plain(item)))));
        }
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| encoded(&plain(item))).collect();
            out.push((name, items.join(separator)));
        }
        Json::Object(members) if argument.explode => {
            out.extend(members.iter().map(|(name, value)| (encoded(name), encoded(&plain(value)))));
        }
        Json::Object(_) => out.push((name, simple(value, false, encoded))),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            out.push((name, encoded(&plain(value))));
        }
    }
}

/// Adds fields as `name[member]=value`, with the numbers of list items.
fn deep(name: &str, value: &Json, out: &mut Vec<(String, String)>) {
    match value {
        Json::Object(members) => {
            members.iter().for_each(|(member, value)| deep(&format!("{name}[{member}]"), value, out));
        }
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| deep(&format!("{name}[{at}]"), item, out));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            out.push((encoded(name), encoded(&plain(value))));
        }
    }
}

/// The body of a form: lists of plain values are repeated, objects are written out.
fn form(value: &Json) -> Result<String, String> {
    let members = value.as_object().ok_or("the body must be an object")?;
    let mut out = Vec::new();
    for (name, value) in members {
        match value {
            Json::Array(items)
                if items.iter().all(|item| item.as_object().is_none() && item.as_array().is_none()) =>
            {
                out.extend(items.iter().map(|item| (encoded(name), encoded(&plain(item)))));
            }
            value => deep(name, value, &mut out),
        }
    }
    Ok(joined(&out))
}

pub(super) fn joined(fields: &[(String, String)]) -> String {
    fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

/// A text with everything encoded that means something in a URL.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
