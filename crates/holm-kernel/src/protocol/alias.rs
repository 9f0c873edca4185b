//! Replaces other names of tools and arguments by the real ones, as a policy declares them
//! (`config/policy.rs`).
//!
//! It only renames. Values are repaired and validated afterwards (`run/call.rs`, with
//! `holm-guards`), and a call through the tool search is unwrapped in `protocol/passed_on.rs`. A
//! name that exists always wins over an alias: otherwise a policy could redirect a valid call to
//! another tool.

use alloc::string::String;

use holm_guards::json::{Json, JsonObject};

use crate::Alias;

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

/// The arguments with their names replaced; `None` if there is nothing to rename.
fn rename(alias: &Alias, arguments: &str, schema: Option<&Json>) -> Option<String> {
    // Most calls use the right names, and some have arguments of megabytes, which are not parsed
    // twice.
    let is_written = |written: &String| arguments.contains(written.rsplit('.').next().unwrap_or(written));
    if !alias.arguments.keys().any(is_written) {
        return None;
    }
    let Ok(Json::Object(mut members)) = Json::parse(arguments) else { return None };
    let declared = schema.and_then(|schema| schema.get("properties"));
    let mut renamed = false;
    for (written, meant) in &alias.arguments {
        if let Some((list, inner)) = written.split_once('.') {
            let Some(Json::Array(items)) = members.get_mut(list) else { continue };
            for item in items {
                let Json::Object(item) = item else { continue };
                renamed |= rename_member(item, inner, meant);
            }
        } else if declared.and_then(|declared| declared.get(written)).is_none() {
            renamed |= rename_member(&mut members, written, meant);
        }
    }
    renamed.then(|| Json::Object(members).canonical())
}

fn rename_member(members: &mut JsonObject, written: &str, meant: &str) -> bool {
    if members.contains_key(meant) {
        return false;
    }
    let Some(value) = members.remove(written) else { return false };
    members.insert(meant.into(), value);
    true
}
