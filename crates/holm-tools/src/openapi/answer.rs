//! What the model reads of a response: its text within bounds, its status if it is an error, and how
//! to ask for the next page. Everything in a response is untrusted.

use holm_guards::json::Json;
use http::{HeaderMap, StatusCode};

use super::operation::{ArgumentPlace, OpenApiOperation};
use super::request::OpenApiRequest;
use crate::fetch::{content_text, is_text_type};

/// Headers that a model may want to know of a response without a body.
const TOLD: [&str; 6] =
    ["content-type", "content-length", "last-modified", "etag", "location", "retry-after"];
/// The longest value of a header that is shown.
const MOST_VALUE: usize = 500;
/// The most fields of a next page.
const MOST_FIELDS: usize = 20;

/// A response that was read.
pub(super) struct OpenApiAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) url: String,
    pub(super) bytes: Vec<u8>,
}

impl OpenApiAnswer {
    /// The text of the body, or what can be said in its place.
    pub(super) fn text(&self, method: &str) -> Result<String, String> {
        let kind = self.header("content-type").unwrap_or_default();
        if self.bytes.is_empty() {
            let told = TOLD.iter().filter_map(|name| Some(format!("\n{name}: {}", self.header(name)?)));
            let told: String = if method == "HEAD" || self.header("location").is_some() {
                told.collect()
            } else {
                String::new()
            };
            return Ok(format!("HTTP {}{told}", self.status));
        }
        if !is_text_type(&kind) {
            let size = self.bytes.len();
            return Err(format!("the answer is {size} bytes of {kind}, which cannot be shown as text"));
        }
        Ok(content_text(&self.bytes, &kind, &self.url))
    }

    /// How to ask for the next page, if the response names one in its `Link` header.
    pub(super) fn next_page(&self, operation: &OpenApiOperation, sent: &OpenApiRequest) -> Option<String> {
        let links = self.headers.get_all("link").iter().filter_map(|value| value.to_str().ok());
        let target =
            links.flat_map(split_links).find_map(|(target, rest)| is_next(rest).then_some(target))?;
        let base = url::Url::parse(&self.url).ok()?;
        let next = base.join(target).ok()?;
        let fields: Vec<(String, String)> = next
            .query_pairs()
            .take(MOST_FIELDS)
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        let changed = fields.iter().filter_map(|(wire, value)| {
            let is_it = |argument: &&super::operation::OpenApiArgument| {
                argument.place == ArgumentPlace::Query && argument.wire == *wire
            };
            let argument = operation.arguments.iter().find(is_it)?;
            let encoded = (super::request::encoded(wire), super::request::encoded(value));
            (!sent.query.contains(&encoded)).then(|| (argument.name.clone(), Json::from(value.as_str())))
        });
        let changed: Vec<(String, Json)> = changed.collect();
        let is_same = base.origin() == next.origin() && base.path() == next.path();
        if is_same && !changed.is_empty() {
            let arguments = Json::object(changed).canonical();
            return Some(format!(
                "[There is a next page: call again with {arguments} beside the same arguments.]"
            ));
        }
        let shown: String = next.as_str().chars().take(MOST_VALUE).collect();
        Some(format!("[There is a next page: {shown}]"))
    }

    fn header(&self, name: &str) -> Option<String> {
        let value = self.headers.get(name)?.to_str().ok()?;
        Some(value.chars().filter(|c| !c.is_control()).take(MOST_VALUE).collect())
    }
}

/// The targets of a `Link` header, each with what stands behind it.
fn split_links(value: &str) -> Vec<(&str, &str)> {
    let mut links = Vec::new();
    let mut rest = value;
    while let Some((_, after)) = rest.split_once('<') {
        let Some((target, tail)) = after.split_once('>') else { break };
        let end = tail.find('<').unwrap_or(tail.len());
        links.push((target, tail.get(..end).unwrap_or_default()));
        rest = tail.get(end..).unwrap_or_default();
    }
    links
}

fn is_next(rest: &str) -> bool {
    rest.split([';', ',']).any(|part| {
        let Some((name, value)) = part.split_once('=') else { return false };
        name.trim().eq_ignore_ascii_case("rel")
            && value.trim().trim_matches('"').split(' ').any(|word| word.eq_ignore_ascii_case("next"))
    })
}
