//! Which kinds of content are wanted, so that a page does not turn out to be a disk image.

use http::{HeaderMap, header::CONTENT_TYPE};

use crate::error::NetError;

/// The longest media type that is repeated in an error: the header is the peer's text.
const MAX_SHOWN: usize = 100;

/// Media types that are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mimes {
    /// All of them, also none.
    Any,
    /// These, written as `text/html` or `text/*`.
    Only(Vec<String>),
}

impl Mimes {
    /// Whether an answer with these headers is wanted.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), NetError> {
        let Self::Only(wanted) = self else { return Ok(()) };
        let mut all = headers.get_all(CONTENT_TYPE).iter();
        // Two types would let the peer choose which of them somebody believes.
        let found = match (all.next(), all.next()) {
            (Some(one), None) => one.to_str().unwrap_or("unreadable"),
            (None, _) => "of no type",
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
