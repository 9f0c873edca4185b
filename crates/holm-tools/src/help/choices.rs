//! Recognises lists of choices and tells them from names of values. It looks at one text; where
//! such texts stand is decided in `value.rs` and `marks.rs`. When in doubt there is no list,
//! because a wrong list would refuse values that the program accepts.

use super::limits::MAX_CHOICES;

/// Words for the type of a value. `<file|url>` is not a list of two choices.
const PLACES: &[&str] = &[
    "address",
    "arg",
    "args",
    "argument",
    "bool",
    "branch",
    "bytes",
    "cmd",
    "command",
    "commit",
    "count",
    "date",
    "dir",
    "directory",
    "duration",
    "expr",
    "file",
    "filename",
    "files",
    "float",
    "folder",
    "format",
    "glob",
    "group",
    "hash",
    "host",
    "hostname",
    "id",
    "int",
    "integer",
    "ip",
    "key",
    "level",
    "list",
    "mode",
    "n",
    "name",
    "num",
    "number",
    "object",
    "package",
    "path",
    "pattern",
    "pid",
    "port",
    "ref",
    "regex",
    "revision",
    "seconds",
    "size",
    "spec",
    "str",
    "string",
    "text",
    "time",
    "type",
    "uri",
    "url",
    "user",
    "username",
    "value",
    "version",
];

/// The values of a list like `a|b` or `a, b`, if all of them can be values.
pub(super) fn between(text: &str, separator: char) -> Option<Vec<String>> {
    if !text.contains(separator) {
        return None;
    }
    let values: Vec<String> = listed(text, separator);
    let plain = values.len() > 1 && values.iter().all(|value| can_be_a_value(value));
    plain.then_some(values)
}

/// The values of a list that the text itself calls one; only the separator is taken apart.
pub(super) fn listed(text: &str, separator: char) -> Vec<String> {
    text.split(separator)
        .map(unquote)
        .filter(|value| !value.is_empty())
        .take(MAX_CHOICES)
        .map(Into::into)
        .collect()
}

/// The text without the quotes around it.
pub(super) fn unquote(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\'', '`'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

fn can_be_a_value(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | ':' | '/'));
    let shouted = text.chars().count() > 1
        && text.chars().any(char::is_uppercase)
        && !text.chars().any(char::is_lowercase);
    plain && !shouted && !PLACES.contains(&text.to_lowercase().as_str())
}
