//! Replaces other names of tools and arguments by the real ones, as a policy declares them
//! (`config/policy.rs`).
//!
//! It renames, and translates the few values that a dialect writes differently. Values are repaired
//! and validated afterwards (`run/call.rs`, with `holm-guards`), and a call through the tool search
//! is unwrapped in `protocol/passed_on.rs`. A name that exists always wins over an alias: otherwise
//! a policy could redirect a valid call to another tool. The model finds the translated call in its
//! transcript, so no translation is silent.

use alloc::{collections::BTreeSet, string::String, vec::Vec};

use holm_guards::json::{Json, JsonObject};

use crate::{Alias, ArgumentDialect};

/// Translates a call with the first alias for its name; other calls are returned unchanged.
/// `schema` returns the schema of an existing tool.
///
/// Existing names win: a tool with the written name, an argument that the tool declares, and an
/// argument that the call already has under its right name. Argument names are top-level names;
/// `list.name` is a name in the objects of the argument `list`. Arguments that are not a JSON
/// object are left to validation.
pub(crate) fn resolve_alias<'a>(
    aliases: &[Alias],
    name: String,
    arguments: String,
    schema: impl Fn(&str) -> Option<&'a Json>,
) -> (String, String) {
    let Some(alias) = aliases.iter().find(|alias| alias.name == name) else { return (name, arguments) };
    if alias.tool != name && schema(&name).is_some() {
        return (name, arguments);
    }
    let arguments = rename(alias, &arguments, schema(&alias.tool)).unwrap_or(arguments);
    (alias.tool.clone(), arguments)
}

/// The arguments with names and values replaced; `None` if there is nothing to replace.
fn rename(alias: &Alias, arguments: &str, schema: Option<&Json>) -> Option<String> {
    // Most calls use the right names, and some have arguments of megabytes, which are not parsed
    // twice.
    let is_written = |written: &&String| match alias.values.get(*written) {
        Some(ArgumentDialect::Beginnings(all)) => all.keys().any(|beginning| arguments.contains(beginning)),
        _ => arguments.contains(written.rsplit('.').next().unwrap_or(written)),
    };
    let has_beginnings = |name: &str| matches!(alias.values.get(name), Some(ArgumentDialect::Beginnings(_)));
    let written: BTreeSet<&String> =
        alias.arguments.keys().chain(alias.values.keys()).filter(is_written).collect();
    if written.is_empty() {
        return None;
    }
    let Ok(Json::Object(mut members)) = Json::parse(arguments) else { return None };
    let declared = schema.and_then(|schema| schema.get("properties"));
    let is_declared = |name: &str| declared.and_then(|declared| declared.get(name)).is_some();
    let mut changed = false;
    let is_translated = |name: &str| !is_declared(name) || has_beginnings(name);
    for name in written.iter().filter(|name| !name.contains('.') && is_translated(name)) {
        changed |= translate(alias, name, name, &mut members);
    }
    // The lists themselves have their right names by now.
    for written in written {
        let Some((list, inner)) = written.split_once('.') else { continue };
        let Some(Json::Array(items)) = members.get_mut(list) else { continue };
        for item in items {
            let Json::Object(item) = item else { continue };
            changed |= translate(alias, written, inner, item);
        }
    }
    changed.then(|| Json::Object(members).canonical())
}

/// Translates the argument that an alias lists as `written`, and the call has as `name`.
fn translate(alias: &Alias, written: &str, name: &str, members: &mut JsonObject) -> bool {
    let dialect = alias.values.get(written);
    let meant = alias.arguments.get(written).map_or(name, String::as_str);
    let known = if meant == name { None } else { members.get(meant) };
    if known.is_some() && dialect != Some(&ArgumentDialect::Largest) {
        return false;
    }
    let known = known.and_then(Json::as_u64);
    let Some(value) = members.remove(name) else { return false };
    match dialect.map_or(Ok(Some(value.clone())), |dialect| dialect.read(&value)) {
        Ok(Some(read)) => {
            let is_smaller = known.is_some_and(|known| read.as_u64().is_some_and(|read| read <= known));
            if !is_smaller {
                members.insert(meant.into(), read);
            }
            true
        }
        Ok(None) => true,
        Err(NotUnderstood) => {
            members.insert(name.into(), value);
            false
        }
    }
}

/// A value that a dialect does not have.
struct NotUnderstood;

impl ArgumentDialect {
    /// The value that is meant; `None` if the argument is removed.
    fn read(&self, value: &Json) -> Result<Option<Json>, NotUnderstood> {
        let read = match (self, value) {
            (Self::Ignored, _) | (Self::Unsupported(_), Json::Null | Json::Bool(false)) => return Ok(None),
            (Self::Unsupported(_), _) => return Err(NotUnderstood),
            (Self::MillisecondsFrom(least), value) => match whole_number(value) {
                Some(number) if number >= *least => Json::from(number.div_ceil(1000).max(1)),
                Some(_) | None => value.clone(),
            },
            (Self::Argv, Json::Array(words)) => Json::from(script(words).ok_or(NotUnderstood)?),
            (Self::Argv | Self::Largest, value) => value.clone(),
            (Self::Words(words), Json::String(word)) => {
                Json::from(words.get(word).ok_or(NotUnderstood)?.as_str())
            }
            (Self::Words(_), _) => return Err(NotUnderstood),
            (Self::Beginnings(all), Json::String(text)) => {
                let found = all
                    .iter()
                    .find_map(|(written, meant)| Some((text.strip_prefix(written.as_str())?, meant)));
                let (rest, meant) = found.ok_or(NotUnderstood)?;
                Json::from(alloc::format!("{meant}{rest}"))
            }
            (Self::Beginnings(_), _) => return Err(NotUnderstood),
        };
        Ok(Some(read))
    }
}

/// A whole number, also in quotes, which a repair removes later.
fn whole_number(value: &Json) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// The script that runs these words as one command. `bash -c SCRIPT` is the script itself.
fn script(words: &[Json]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(Json::as_str).collect::<Option<_>>()?;
    if let [shell, "-c" | "-lc", script] = words.as_slice()
        && matches!(shell.rsplit('/').next(), Some("bash" | "sh"))
    {
        return Some((*script).into());
    }
    let quoted: Vec<String> = words.into_iter().map(quoted).collect();
    (!quoted.is_empty()).then(|| quoted.join(" "))
}

/// A word that a shell reads as exactly this text.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:,@+".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    alloc::format!("'{}'", word.replace('\'', r"'\''"))
}

/// Why a call of this tool cannot be done, if it has an argument that the tool does not support.
pub(crate) fn unsupported_argument<'a>(aliases: &'a [Alias], tool: &str, arguments: &str) -> Option<&'a str> {
    let arguments = Json::parse(arguments).ok()?;
    let values = aliases.iter().filter(|alias| alias.tool == tool).flat_map(|alias| &alias.values);
    values.into_iter().find_map(|(name, dialect)| match dialect {
        ArgumentDialect::Unsupported(text) => arguments.get(name).map(|_| text.as_str()),
        _ => None,
    })
}
