//! What the agent is asked to do: from the flags, in their order, or from standard input.

use std::io::{self, IsTerminal, Read};

use crate::exit::{Exit, Trouble};

/// The longest prompt that is read from standard input: more than any window holds, less than memory.
const MOST_BYTES: u64 = 16 << 20;

/// Where a template wants the prompt.
const CONTENT: &str = "{{content}}";

/// What to do where nothing was asked.
const HINT: &str = "say what to do with -p, such as: holm run -p \"What is in this folder?\"";

/// As [`gather`], and puts it where a template wants it; at the end, if it does not say where. A template that has no place
/// for it can be all that is asked.
pub(crate) fn gather_into(template: Option<&str>, parts: &[String]) -> Result<String, Trouble> {
    match template {
        None => gather(parts),
        Some(template) if template.contains(CONTENT) => Ok(template.replace(CONTENT, &gather(parts)?)),
        Some(template) if parts.is_empty() => checked(template.to_owned()),
        Some(template) => Ok(format!("{template}\n\n{}", gather(parts)?)),
    }
}

/// Joins the parts; `-` is standard input.
pub(crate) fn gather(parts: &[String]) -> Result<String, Trouble> {
    if parts.is_empty() {
        if io::stdin().is_terminal() {
            return Err(Trouble::new(Exit::Usage, "there is no prompt").hint(HINT));
        }
        return checked(read(io::stdin().lock())?);
    }
    let mut texts = Vec::with_capacity(parts.len());
    for part in parts {
        texts.push(if part == "-" { read(io::stdin().lock())? } else { part.clone() });
    }
    checked(texts.join("\n\n"))
}

/// A text to work on; `-` is standard input.
#[cfg(feature = "local")]
pub(crate) fn text(text: &str) -> Result<String, Trouble> {
    if text == "-" { read(io::stdin().lock()) } else { Ok(text.to_owned()) }
}

fn read(input: impl Read) -> Result<String, Trouble> {
    let mut text = String::new();
    let read = input.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| Trouble::new(Exit::Usage, format!("standard input cannot be read: {error}")))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(Trouble::new(
            Exit::Usage,
            format!("standard input is longer than {} MiB", MOST_BYTES >> 20),
        ));
    }
    Ok(text)
}

fn checked(text: String) -> Result<String, Trouble> {
    if text.trim().is_empty() {
        return Err(Trouble::new(Exit::Usage, "the prompt is empty").hint(HINT));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
