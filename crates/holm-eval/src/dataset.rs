//! Makes cases from datasets of other tools: JSON Lines with an input and a target, as `inspect_ai`
//! and `pydantic_evals` have them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::EvalError;
use crate::case::{CASE_FILE, WORKSPACE};

/// The names that tools give to the question, and to the right answer.
const INPUTS: [&str; 4] = ["input", "inputs", "question", "prompt"];
const TARGETS: [&str; 4] = ["target", "expected_output", "answer", "expected"];
/// The most cases of one dataset.
const MAX_CASES: usize = 10_000;

/// Writes a case for each line of a dataset, and returns how many.
///
/// # Errors
/// If a line has no input or no target; the error names the line, and no case is written.
pub fn import_dataset(dataset: &Path, folder: &Path) -> Result<usize, EvalError> {
    let text = fs::read_to_string(dataset).map_err(EvalError::file(dataset))?;
    let mut cases = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| EvalError::Results { path: dataset.to_owned(), line: index + 1, why };
        let value: Value = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let input = INPUTS.iter().find_map(|name| value.get(name)).and_then(plain);
        let input = input.ok_or_else(|| wrong(format!("it has no text as {}", INPUTS.join(", "))))?;
        let target = TARGETS.iter().find_map(|name| value.get(name)).and_then(plain);
        let target = target.ok_or_else(|| wrong(format!("it has no text as {}", TARGETS.join(", "))))?;
        let name = value.get("id").or_else(|| value.get("name")).and_then(plain);
        cases.push((name_of(name.as_deref(), index), input, target));
        if cases.len() > MAX_CASES {
            return Err(wrong(format!("there are more than {MAX_CASES} cases")));
        }
    }
    for (name, input, target) in &cases {
        let place = folder.join(name);
        let work = place.join(WORKSPACE);
        fs::create_dir_all(&work).map_err(EvalError::file(&work))?;
        let text = format!(
            "prompt = {}\n\n[[check]]\nanswer = {{ contains = {} }}\n",
            Value::from(input.as_str()),
            Value::from(target.as_str())
        );
        let path = place.join(CASE_FILE);
        fs::write(&path, text).map_err(EvalError::file(&path))?;
    }
    Ok(cases.len())
}

/// A text, a number, or the text of the last message of a conversation.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(messages) => messages
            .last()
            .and_then(|message| message.get("content").unwrap_or(message).as_str())
            .map(str::to_owned),
        Value::Object(_) | Value::Null => None,
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
