//! Parses a settings file, or reports the first error with its line. The keys and types are in
//! `file.rs`; what a project may set is checked in `settings.rs`. Files of the user and of the
//! administrator must not be writable by others; a project's file is exempt, because a person
//! reviews it. The size is bounded.

use std::{
    io::{Error, ErrorKind},
    path::Path,
};

use holm_guards::schema::closest;
use holm_tools::plain_files::{open_plain, read_within};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{ConfigError, ConfigFile, ConfigLayer, ConfigProblem, schema};

/// The largest file: longer settings were not written by hand.
pub const MOST_FILE_BYTES: u64 = 1 << 20;

/// The mode bits that let other users write a file.
#[cfg(unix)]
const OTHERS_WRITE: u32 = 0o022;

impl ConfigFile {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// The first error, with its line.
    ///
    /// ```
    /// use holm_config::ConfigFile;
    ///
    /// let error = ConfigFile::parse("model = \"a/b\"\nmoode = \"plan\"\n", "holm.toml".as_ref())
    ///     .unwrap_err();
    /// assert_eq!(error.to_string(), "holm.toml:2: unknown key `moode`");
    /// assert_eq!(error.fix(), "did you mean `mode`?");
    /// ```
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let line = |at: usize| line_of(text, at);
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            ConfigError::at(path, line(at), ConfigProblem::Syntax(one_line(error.message())))
        })?;
        let schema = schema();
        if let Some(unknown) = unknown_key(table.get_ref(), &schema, &schema) {
            let UnknownConfigKey { at, key, known } = unknown;
            let near = nearest(&key, &known);
            return Err(ConfigError::at(path, line(at), ConfigProblem::UnknownKey { key, near, known }));
        }
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            ConfigError::at(path, line(at), ConfigProblem::WrongValue(one_line(error.message())))
        })
    }
}

/// The line of a byte offset, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The text of a file, or `None` if it does not exist. Holm relies on these files, so only their
/// owner may have write permission. A project's file is exempt, because a person reviews it.
pub(crate) fn text_of(path: &Path, layer: ConfigLayer) -> Result<Option<String>, ConfigError> {
    let unreadable = |error: Error| {
        let problem = match error.kind() {
            ErrorKind::FileTooLarge => ConfigProblem::TooLarge { most: MOST_FILE_BYTES },
            _ => ConfigProblem::Unreadable(error.to_string()),
        };
        ConfigError::whole(path, problem)
    };
    let file = match open_plain(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    // The metadata of the open file, even if the path leads elsewhere by now.
    let data = file.metadata().map_err(unreadable)?;
    #[cfg(unix)]
    if layer != ConfigLayer::Project && std::os::unix::fs::MetadataExt::mode(&data) & OTHERS_WRITE != 0 {
        return Err(ConfigError::whole(path, ConfigProblem::Exposed));
    }
    #[cfg(unix)]
    if layer != ConfigLayer::Project && !is_ours(std::os::unix::fs::MetadataExt::uid(&data)) {
        return Err(ConfigError::whole(path, ConfigProblem::Foreign));
    }
    let bytes = read_within(file, MOST_FILE_BYTES).map_err(unreadable)?;
    Ok(Some(text_in(&bytes, path)?.to_owned()))
}

/// Decodes the bytes of a file as UTF-8.
pub(crate) fn text_in<'b>(bytes: &'b [u8], path: &Path) -> Result<&'b str, ConfigError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = line_of(&String::from_utf8_lossy(bytes), error.valid_up_to());
        ConfigError::at(path, line, ConfigProblem::Syntax("it is not UTF-8 text".into()))
    })
}

/// Whether the owner of a file may decide for the current user: it is that user, or root.
#[cfg(unix)]
fn is_ours(owner: u32) -> bool {
    owner == 0 || owner == rustix::process::geteuid().as_raw()
}

/// A key that the schema does not have.
struct UnknownConfigKey {
    at: usize,
    key: String,
    known: Vec<String>,
}

/// The first unknown key, by its position in the file.
fn unknown_key(
    table: &DeTable<'_>,
    schema: &serde_json::Value,
    root: &serde_json::Value,
) -> Option<UnknownConfigKey> {
    let schema = resolved(schema, root);
    let properties = schema.get("properties").and_then(serde_json::Value::as_object);
    let others = schema.get("additionalProperties").filter(|others| others.is_object());
    let found = table.iter().filter_map(|(key, value)| {
        let own = properties.and_then(|properties| properties.get(&**key.get_ref()));
        match own.or(others) {
            Some(inner) => below(value, inner, root),
            None => Some(UnknownConfigKey {
                at: key.span().start,
                key: key.get_ref().to_string(),
                known: sorted(properties.into_iter().flatten().map(|(name, _)| name.clone())),
            }),
        }
    });
    found.min_by_key(|unknown| unknown.at)
}

/// Sorted, regardless of the order in the schema.
fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Checks a table below a key too. A value that is not a table is checked by the deserializer.
fn below(
    value: &Spanned<DeValue<'_>>,
    schema: &serde_json::Value,
    root: &serde_json::Value,
) -> Option<UnknownConfigKey> {
    match value.get_ref() {
        DeValue::Table(table) => unknown_key(table, schema, root),
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_)
        | DeValue::Array(_) => None,
    }
}

/// Resolves a reference within the schema.
fn resolved<'s>(schema: &'s serde_json::Value, root: &'s serde_json::Value) -> &'s serde_json::Value {
    let target = schema.get("$ref").and_then(serde_json::Value::as_str);
    target.and_then(|target| root.pointer(target.strip_prefix('#')?)).unwrap_or(schema)
}

/// The most similar known name, if there is one: the same letters in another
/// order, else the closest.
pub(crate) fn nearest(key: &str, known: &[String]) -> Option<String> {
    let letters = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.sort_unstable();
        letters
    };
    let swapped = known.iter().find(|name| letters(name) == letters(key)).map(String::as_str);
    swapped.or_else(|| closest(key, known.iter().map(String::as_str))).map(str::to_owned)
}

/// Joins a parser's message of several lines into one.
pub(crate) fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
