//! Other names for tools and arguments, as a policy declares them.

use alloc::string::String;

use holm_guards::json::Json;

use crate::Alias;

/// Translates a call by the first alias with its name; a call without an alias comes back as it is.
///
/// Only the outermost argument names are translated. An argument that is already there under its right name wins, and
/// arguments that are not a JSON object are left for validation to report.
pub(crate) fn resolve_alias(aliases: &[Alias], name: String, arguments: String) -> (String, String) {
    let Some(alias) = aliases.iter().find(|alias| alias.name == name) else { return (name, arguments) };
    let arguments = rename(alias, &arguments).unwrap_or(arguments);
    (alias.tool.clone(), arguments)
}

fn rename(alias: &Alias, arguments: &str) -> Option<String> {
    if alias.arguments.is_empty() {
        return None;
    }
    let Ok(Json::Object(mut members)) = Json::parse(arguments) else { return None };
    for (written, meant) in &alias.arguments {
        if members.contains_key(meant) {
            continue;
        }
        if let Some(value) = members.remove(written) {
            members.insert(meant.clone(), value);
        }
    }
    Some(Json::Object(members).canonical())
}
