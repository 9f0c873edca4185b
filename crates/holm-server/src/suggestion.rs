//! Suggests a known name for a misspelt one in error messages.

use holm_guards::schema::closest;

/// A suggestion to append to an error message, with the most similar known name; empty
/// if none is similar.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    closest(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}
