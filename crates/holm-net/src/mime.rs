//! Checks the media type of a response, so that a request for a page does not download a disk
//! image. The response is read in `response.rs`, which asks here before the body; callers choose
//! the allowed types.

use http::{HeaderMap, header::CONTENT_TYPE};

use crate::error::NetError;

/// The longest media type that an error repeats, because the peer chooses the header's text.
const MAX_SHOWN: usize = 100;

/// The media types that are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MimeFilter {
    /// Every type, or a missing type.
    Any,
    /// These types, written as `text/html` or `text/*`.
    Only(Vec<String>),
}

impl MimeFilter {
    /// Checks whether a response with these headers is acceptable.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), NetError> {
        let Self::Only(wanted) = self else { return Ok(()) };
        let mut all = headers.get_all(CONTENT_TYPE).iter();
        // With two types, the peer could choose which one each reader believes.
        let found = match (all.next(), all.next()) {
            (Some(value), None) => value.to_str().unwrap_or("unreadable"),
            (None, _) => "without a type",
            (Some(_), Some(_)) => "of two types",
        };
        let essence = found.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if wanted.iter().any(|wanted| fits(wanted, &essence)) {
            return Ok(());
        }
        let found = found.chars().filter(|c| !c.is_control()).take(MAX_SHOWN).collect();
        Err(NetError::Mime { found, wanted: wanted.join(", ") })
    }
}

fn fits(wanted: &str, essence: &str) -> bool {
    match wanted.strip_suffix("/*") {
        Some(kind) => essence.split_once('/').is_some_and(|(found, _)| found == kind),
        None => wanted == essence,
    }
}

#[cfg(test)]
mod tests;
