//! Substitutes arguments in the text of a skill. A skill is parsed in `skill.rs`; prompts with
//! `{{name}}` are in `holm-config/src/template.rs`. An inserted value is never expanded again, and
//! the result is bounded.

use std::collections::BTreeMap;

use super::{SkillArgument, SkillOverflowError};

/// The largest text after substitution: four times the largest skill. Otherwise one long argument
/// in a text with many placeholders could fill the memory, and no model reads more anyway.
pub const MOST_FILLED: usize = 1 << 20;

/// The placeholder for all arguments.
const ALL: &str = "ARGUMENTS";

/// Substitutes arguments: `$name`, `{{name}}` and `$ARGUMENTS`. Only placeholders of the text itself
/// are replaced; inserted values are not expanded again. A required argument that is not given keeps
/// its placeholder, and the text says what it is.
pub(super) fn fill(
    body: &str,
    names: &[String],
    about: &BTreeMap<String, SkillArgument>,
    arguments: &str,
) -> Result<String, SkillOverflowError> {
    let arguments = arguments.trim();
    let values = named(names, about, arguments);
    let is_missing = |name: &str| {
        values.get(name).is_some_and(String::is_empty) && about.get(name).is_some_and(|about| about.required)
    };
    let (mut out, mut rest, mut used) = (BoundedText(String::with_capacity(body.len())), body, false);
    while let Some(place) = rest.find(['$', '{']) {
        let (before, after) = rest.split_at(place);
        out.push(before)?;
        if let Some((inner, behind)) = after.strip_prefix("{{").and_then(|inner| inner.split_once("}}"))
            && let Some(value) = values.get(inner.trim())
        {
            out.push(if is_missing(inner.trim()) { after.split_at(inner.len() + 4).0 } else { value })?;
            (used, rest) = (true, behind);
            continue;
        }
        let Some(after) = after.strip_prefix('$') else {
            out.push("{")?;
            rest = after.get(1..).unwrap_or_default();
            continue;
        };
        let end =
            after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(after.len());
        let (word, behind) = after.split_at(end);
        // The longest name that the word begins with, so that `$who-else` can mean `$who`.
        let known = values
            .iter()
            .filter(|(name, _)| word.starts_with(name.as_str()))
            .max_by_key(|(name, _)| name.len());
        if word.starts_with(ALL) {
            out.push(arguments)?;
            out.push(word.get(ALL.len()..).unwrap_or_default())?;
            used = true;
        } else if let Some((name, value)) = known {
            out.push(value)?;
            out.push(word.get(name.len()..).unwrap_or_default())?;
            used = true;
        } else {
            out.push("$")?;
            out.push(word)?;
        }
        rest = behind;
    }
    out.push(rest)?;
    for name in names.iter().filter(|name| is_missing(name)) {
        let what = about.get(name).map(|about| about.description.as_str()).unwrap_or_default();
        out.push(&format!("\n\nMissing argument: {name}. {what}"))?;
    }
    if !used && !arguments.is_empty() {
        out.push("\n\nArguments: ")?;
        out.push(arguments)?;
    }
    Ok(out.0)
}

/// A text with a size limit.
struct BoundedText(String);

impl BoundedText {
    fn push(&mut self, text: &str) -> Result<(), SkillOverflowError> {
        if self.0.len().saturating_add(text.len()) > MOST_FILLED {
            return Err(SkillOverflowError);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The arguments by name: `name=value` words first, then the others by position. The last name
/// takes all remaining words. A name without a value is empty.
fn named(
    names: &[String],
    about: &BTreeMap<String, SkillArgument>,
    arguments: &str,
) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, String> =
        names.iter().map(|name| (name.clone(), String::new())).collect();
    let mut left = Vec::new();
    for word in arguments.split_whitespace() {
        match word.split_once('=') {
            Some((name, value)) if values.contains_key(name) => {
                values.insert(name.to_owned(), value.to_owned());
            }
            _ => left.push(word),
        }
    }
    let open: Vec<&String> =
        names.iter().filter(|name| values.get(*name).is_some_and(String::is_empty)).collect();
    let mut left = left.into_iter();
    for (index, name) in open.iter().enumerate() {
        let value = if index + 1 == open.len() {
            left.by_ref().collect::<Vec<_>>().join(" ")
        } else {
            left.next().unwrap_or_default().to_owned()
        };
        values.insert((*name).clone(), value);
    }
    for (name, value) in values.iter_mut().filter(|(_, value)| value.is_empty()) {
        value.clone_from(about.get(name).map_or(&String::new(), |about| &about.default));
    }
    values
}
