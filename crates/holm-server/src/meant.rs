//! Suggests a known name for a misspelt one in error messages.

use holm_guards::schema::closest;

/// The question whether the nearest of the names that there are was meant, to stand behind what is wrong; nothing where none is near.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    closest(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}
