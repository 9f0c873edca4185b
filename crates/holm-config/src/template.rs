//! Texts with placeholders for variables. An inserted value is not expanded again, so it cannot
//! refer to another variable.
//!
//! It only parses. Values are inserted in `holm-cli/src/prompt.rs`; arguments of skills have
//! another form, in `skills/fill.rs`.

/// The longest name of a variable: longer text in braces was not meant as one.
const MOST_NAME: usize = 64;

/// A text with placeholders, written `{{name}}`.
///
/// ```
/// use holm_config::{TextTemplatePiece, TextTemplate};
///
/// let template = TextTemplate::parse("Explain {{ content }} to {{who}}.");
/// assert_eq!(template.names().collect::<Vec<_>>(), ["content", "who"]);
/// assert_eq!(template.pieces()[0], TextTemplatePiece::Text("Explain ".into()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextTemplate {
    pieces: Vec<TextTemplatePiece>,
}

/// One piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextTemplatePiece {
    Text(String),
    /// The placeholder of a variable, by its name.
    Variable(String),
}

impl TextTemplate {
    /// Parses a text. Braces around an invalid name stay as they are.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (mut pieces, mut rest, mut words) = (Vec::new(), text, String::new());
        while let Some((before, after)) = rest.split_once("{{") {
            words.push_str(before);
            match after.split_once("}}").map(|(name, behind)| (name.trim(), behind)) {
                Some((name, behind)) if is_name(name) => {
                    if !words.is_empty() {
                        pieces.push(TextTemplatePiece::Text(std::mem::take(&mut words)));
                    }
                    pieces.push(TextTemplatePiece::Variable(name.to_owned()));
                    rest = behind;
                }
                Some(_) | None => {
                    words.push_str("{{");
                    rest = after;
                }
            }
        }
        words.push_str(rest);
        if !words.is_empty() {
            pieces.push(TextTemplatePiece::Text(words));
        }
        Self { pieces }
    }

    /// The pieces, in order.
    #[must_use]
    pub fn pieces(&self) -> &[TextTemplatePiece] {
        &self.pieces
    }

    /// The names of its variables, with repetitions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|part| match part {
            TextTemplatePiece::Text(_) => None,
            TextTemplatePiece::Variable(name) => Some(name.as_str()),
        })
    }
}

/// Whether a text is a valid variable name.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=MOST_NAME).contains(&name.len()) && name.chars().all(fits)
}

#[cfg(test)]
mod tests;
