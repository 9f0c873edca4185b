//! Makes cases from datasets of other tools: JSON Lines with an input and a target, as `inspect_ai`
//! and `pydantic_evals` have them.
//!
//! How their scorers work is not known from a dataset, so the check is the plainest one that fits the
//! target: the answer contains the text, one of several texts, the letter of a choice, or is the value.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::EvalError;
use crate::case::{CASE_FILE, WORKSPACE, quoted, read_text};

/// The names that tools give to the question, and to the right answer.
const INPUTS: [&str; 4] = ["input", "inputs", "question", "prompt"];
const TARGETS: [&str; 4] = ["target", "expected_output", "answer", "expected"];
/// The most cases of one dataset.
const MAX_CASES: usize = 10_000;
/// The file with the value that an answer must be.
const SCHEMA_FILE: &str = "answer.schema.json";

/// A case of a dataset.
struct DatasetCase {
    name: String,
    prompt: String,
    expected: ExpectedAnswer,
}

/// What the answer must have.
enum ExpectedAnswer {
    Contains(String),
    /// A regular expression that the answer must match.
    Matches(String),
    /// It is this JSON value.
    Is(Value),
}

/// Writes a case for each line of a dataset, or of all datasets in a folder, and returns how many.
///
/// # Errors
/// If a line has no input or no target, or a case exists; the error names it, and no case is written.
pub fn import_dataset(dataset: &Path, folder: &Path) -> Result<usize, EvalError> {
    let mut cases = Vec::new();
    if dataset.is_dir() {
        for (name, path) in datasets(dataset)? {
            cases.extend(read(&path)?.into_iter().map(|case| (folder.join(&name).join(&case.name), case)));
        }
    } else {
        cases.extend(read(dataset)?.into_iter().map(|case| (folder.join(&case.name), case)));
    }
    if let Some((place, _)) = cases.iter().find(|(place, _)| place.join(CASE_FILE).exists()) {
        return Err(EvalError::case(place, "there is a case already"));
    }
    cases.iter().try_for_each(|(place, case)| case.write(place))?;
    Ok(cases.len())
}

/// The datasets of a folder, each with the name of its file.
fn datasets(folder: &Path) -> Result<Vec<(String, PathBuf)>, EvalError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(EvalError::file(folder))? {
        let path = entry.map_err(EvalError::file(folder))?.path();
        if path.extension().is_some_and(|ending| ending == "jsonl") && path.is_file() {
            found.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), path));
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(EvalError::case(folder, "it has no dataset; a dataset is a file that ends with .jsonl"));
    }
    Ok(found)
}

/// Reads the cases of a dataset.
fn read(dataset: &Path) -> Result<Vec<DatasetCase>, EvalError> {
    let text = read_text(dataset)?;
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| EvalError::Results { path: dataset.to_owned(), line: index + 1, why };
        let value: Value = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        cases.push(DatasetCase::read(&value, index).map_err(wrong)?);
        if cases.len() > MAX_CASES {
            return Err(wrong(format!("there are more than {MAX_CASES} cases")));
        }
    }
    if cases.is_empty() {
        return Err(EvalError::case(dataset, "it has no line"));
    }
    Ok(cases)
}

impl DatasetCase {
    fn read(line: &Value, index: usize) -> Result<Self, String> {
        let find = |names: &[&str]| {
            names.iter().find_map(|name| line.get(name)).filter(|value| !value.is_null()).cloned()
        };
        let input = find(&INPUTS).ok_or_else(|| format!("it has no {}", INPUTS.join(", ")))?;
        let target = find(&TARGETS).ok_or_else(|| format!("it has no {}", TARGETS.join(", ")))?;
        let mut prompt = prompt_of(&input)?;
        let choices = line.get("choices").and_then(Value::as_array).filter(|choices| !choices.is_empty());
        let expected = match choices {
            Some(choices) => {
                prompt.push_str(&choices_of(choices)?);
                letter_of(&target, choices.len())?
            }
            None => expected_of(target)?,
        };
        if prompt.trim().is_empty() {
            return Err("its input is empty".into());
        }
        let name = line.get("id").or_else(|| line.get("name")).and_then(plain);
        Ok(Self { name: name_of(name.as_deref(), index), prompt, expected })
    }

    fn write(&self, place: &Path) -> Result<(), EvalError> {
        let work = place.join(WORKSPACE);
        fs::create_dir_all(&work).map_err(EvalError::file(&work))?;
        let check = match &self.expected {
            ExpectedAnswer::Contains(text) => format!("contains = {}", quoted(text)),
            ExpectedAnswer::Matches(pattern) => format!("matches = {}", quoted(pattern)),
            ExpectedAnswer::Is(value) => {
                let path = place.join(SCHEMA_FILE);
                let schema = format!("{:#}\n", json!({ "const": value }));
                fs::write(&path, schema).map_err(EvalError::file(&path))?;
                format!("schema = \"{SCHEMA_FILE}\"")
            }
        };
        let prompt = quoted(&self.prompt);
        let path = place.join(CASE_FILE);
        let text = format!("prompt = {prompt}\n\n[[check]]\nanswer = {{ {check} }}\n");
        fs::write(&path, text).map_err(EvalError::file(&path))
    }
}

/// The prompt of an input: a text, the messages of a conversation, or a JSON value.
fn prompt_of(input: &Value) -> Result<String, String> {
    let Value::Array(messages) = input else {
        return Ok(plain(input).unwrap_or_else(|| format!("{input:#}")));
    };
    let message = |message: &Value| {
        let text = message.get("content").and_then(content_of).or_else(|| plain(message));
        let text = text.ok_or("a message of its input has no text")?;
        Ok((message.get("role").and_then(Value::as_str).map(str::to_owned), text))
    };
    let messages: Vec<(Option<String>, String)> =
        messages.iter().map(message).collect::<Result<_, &str>>()?;
    Ok(match messages.as_slice() {
        [(_, text)] => text.clone(),
        all => {
            let said = |(role, text): &(Option<String>, String)| match role {
                Some(role) => format!("{role}: {text}"),
                None => text.clone(),
            };
            all.iter().map(said).collect::<Vec<_>>().join("\n\n")
        }
    })
}

/// The text of a message: itself, or the texts of its parts.
fn content_of(content: &Value) -> Option<String> {
    let Value::Array(parts) = content else { return plain(content) };
    parts
        .iter()
        .map(|part| plain(part.get("text").unwrap_or(part)))
        .collect::<Option<Vec<_>>>()
        .map(|texts| texts.join("\n"))
}

/// What a target asks for: a text, one of several texts, or a value.
fn expected_of(target: Value) -> Result<ExpectedAnswer, String> {
    if let Some(text) = plain(&target) {
        return if text.trim().is_empty() {
            Err("its target is empty, so every answer would pass".into())
        } else {
            Ok(ExpectedAnswer::Contains(text))
        };
    }
    let texts = target.as_array().and_then(|all| all.iter().map(plain).collect::<Option<Vec<String>>>());
    match texts {
        Some(texts) if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) => {
            Err("its target is empty, so every answer would pass".into())
        }
        Some(texts) => {
            let texts: Vec<String> = texts.iter().map(|text| escaped(text)).collect();
            Ok(ExpectedAnswer::Matches(texts.join("|")))
        }
        None => Ok(ExpectedAnswer::Is(target)),
    }
}

/// The choices as lines with letters, and how to answer.
fn choices_of(choices: &[Value]) -> Result<String, String> {
    let mut text = String::from("\n\n");
    for (letter, choice) in ('A'..='Z').zip(choices) {
        let choice = plain(choice).ok_or("a choice is not a text")?;
        text.push_str(&format!("{letter}) {choice}\n"));
    }
    if choices.len() > 26 {
        return Err("it has more than 26 choices".into());
    }
    text.push_str("\nEnd your answer with one line of this form: ANSWER: LETTER");
    Ok(text)
}

/// The letter of the right choice.
fn letter_of(target: &Value, count: usize) -> Result<ExpectedAnswer, String> {
    let is_letter = |text: &String| ('A'..='Z').take(count).any(|letter| *text == letter.to_string());
    let letter = plain(target).map(|text| text.trim().to_ascii_uppercase()).filter(is_letter);
    let letter = letter.ok_or("its target is not the letter of a choice")?;
    Ok(ExpectedAnswer::Matches(format!(r"(?m)^\W*ANSWER: *{letter}\b")))
}

/// A text as a regular expression that matches it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// A text, a number or a truth value as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(_) | Value::Object(_) | Value::Null => None,
    }
}

fn name_of(name: Option<&str>, index: usize) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let name: String = name.unwrap_or_default().chars().take(40).map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { format!("case-{:04}", index + 1) } else { format!("{:04}-{name}", index + 1) }
}

#[cfg(test)]
mod tests;
