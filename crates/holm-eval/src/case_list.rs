//! Many cases in one file, `cases.toml`, that share a workspace. They suit small questions to a model:
//! such a case has no replies of its own, so a replay leaves it out.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use crate::case::{CASE_FILE, CaseText, digest, read_text};
use crate::{EvalCase, EvalError};

/// The file with the cases of a folder.
const LIST_FILE: &str = "cases.toml";
/// The most cases of a list.
const MAX_CASES: usize = 10_000;

/// The form of `cases.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListText {
    /// Values that hold where a case has none. Its checks come first.
    #[serde(default)]
    shared: CaseText,
    /// Each case: its name, and what a `case.toml` has.
    #[serde(default, rename = "case")]
    cases: Vec<toml::Table>,
}

/// Whether the folder has a list of cases.
pub(crate) fn is_in(folder: &Path) -> bool {
    folder.join(LIST_FILE).is_file()
}

/// Reads the cases of a folder, whose path below the searched folder becomes a part of their names.
pub(crate) fn read(folder: &Path, below: &str) -> Result<Vec<EvalCase>, EvalError> {
    let path = folder.join(LIST_FILE);
    let wrong = |why: String| EvalError::case(&path, why);
    if folder.join(CASE_FILE).exists() {
        return Err(wrong(format!("there is also a {CASE_FILE}; use one of them")));
    }
    let text = read_text(&path)?;
    let list: ListText = toml::from_str(&text).map_err(|error| wrong(error.to_string().trim().to_owned()))?;
    if list.cases.is_empty() || list.cases.len() > MAX_CASES {
        return Err(wrong(format!("it has {} cases; use 1 to {MAX_CASES}", list.cases.len())));
    }
    let mut shared_files = BTreeSet::new();
    let shared = list.shared.extended(folder, &mut shared_files)?;
    let digest = digest(folder)?;
    let (mut names, mut cases) = (BTreeSet::new(), Vec::new());
    for (index, mut table) in list.cases.into_iter().enumerate() {
        let name = match table.remove("name") {
            Some(toml::Value::String(name)) if is_plain(&name) => name,
            _ => {
                let number = index + 1;
                let why = format!("case {number} needs a `name` of letters, digits, `-`, `_` and `.`");
                return Err(wrong(why));
            }
        };
        if !names.insert(name.clone()) {
            return Err(wrong(format!("two cases have the name `{name}`")));
        }
        let of_case = |why: String| wrong(format!("case `{name}`: {why}"));
        let own: CaseText = table.try_into().map_err(|error: toml::de::Error| of_case(error.to_string()))?;
        let mut files = BTreeSet::new();
        let own = own.extended(folder, &mut files)?.over(shared.clone());
        files.extend(shared_files.iter().cloned());
        let full = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        let case = EvalCase::of(own, folder, &path, &full, false).map_err(|error| match error {
            EvalError::Case { why, .. } => of_case(why),
            other => other,
        })?;
        if !case.varies.is_empty() {
            return Err(of_case("`varies` is for replays, and cases of a list have no replies".into()));
        }
        let digest = case.digest_including(digest.clone(), files)?;
        cases.push(EvalCase { needs_model: true, digest, ..case });
    }
    Ok(cases)
}

fn is_plain(name: &str) -> bool {
    let allowed = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(allowed)
}

#[cfg(test)]
mod tests;
