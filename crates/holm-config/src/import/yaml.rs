//! Reads YAML files of other agents, and says in which file and line an error is. The parser is
//! `holm-tools/src/yaml.rs`; what the values mean is decided in `goose.rs`.

use std::path::Path;

use serde_json::Value as Json;

use crate::{ConfigError, ConfigProblem};

/// Parses the first document of a text.
///
/// # Errors
/// The first error, with its line. Aliases and tags are not supported.
pub(super) fn parse(text: &str, path: &Path) -> Result<Json, ConfigError> {
    holm_tools::yaml::parse(text)
        .map_err(|error| ConfigError::at(path, error.line, ConfigProblem::Syntax(error.reason)))
}
