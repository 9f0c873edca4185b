//! Collects the prompt: texts, files, output of commands and pictures, in the order in which they
//! were given, or standard input. It serves the flags of commands; the chat has
//! `chat/attachments.rs`, and editors have `acp/editor_prompt.rs`.
//!
//! Everything here was typed by the user, so files are read and commands run with the user's
//! rights. Text of a model must never reach this code. Each part is bounded in size.
//!
//! Where things are:
//! - `prompt/flags.rs`: the flags and their order.
//! - `prompt/media.rs`: pictures, sounds and documents.
//! - `prompt/shell.rs`: the output of a command.
//! - `prompt/variables.rs`: the variables of templates.

mod flags;
mod media;
mod shell;
mod variables;

use std::{
    fs,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use holm::kernel::{Block, Marks, Prompt};
use holm_config::{TextTemplate, TextTemplatePiece};

use crate::exit::{CommandError, CommandExit};
use crate::screen::DisplayablePath as _;
use media::PromptAttachment;

pub(crate) use variables::{TemplateVariables, git_branch, repository_outside, variable};

/// The longest text of one part: more than any window holds, less than memory.
const MOST_BYTES: u64 = 16 << 20;

/// Where a template wants the prompt.
const CONTENT: &str = "content";

/// What stands between two parts.
const APART: &str = "\n\n";

/// What to do where nothing was asked.
const HINT: &str = "say what to do with -p, such as: holm run -p \"What is in this folder?\"";

/// The parts of a prompt, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PromptParts(Vec<PromptPart>);

/// One part of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PromptPart {
    /// Text, including that of a separator.
    Text(String),
    /// The content of standard input.
    Stdin,
    /// The content of a text file.
    File(PathBuf),
    /// The output of a command.
    Shell(String),
    /// A picture, a sound or a document.
    Media(PromptAttachment),
}

/// A named prompt template with the values of its variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PromptTemplate {
    pub(crate) template: TextTemplate,
    /// Its name, for messages.
    pub(crate) alias: String,
    /// The values that the user gave for its variables.
    pub(crate) variables: TemplateVariables,
}

impl PromptTemplate {
    /// The text around words that are about a file, if about any.
    ///
    /// # Errors
    /// Where a variable stands for nothing that is known.
    pub(crate) fn filled(
        &self,
        words: &str,
        work: &Path,
        file: Option<&Path>,
    ) -> Result<String, CommandError> {
        let known = self.values(work, file)?;
        let content = (!words.is_empty()).then(|| Block::Text(words.to_owned()));
        let blocks = self.put(content.into_iter().collect(), &known);
        Ok(blocks.iter().filter_map(Block::as_text).collect())
    }

    fn wants_content(&self) -> bool {
        self.template.names().any(|name| name == CONTENT)
    }

    /// The template with a content in its place, or at its end where it has none.
    fn put(&self, content: Vec<Block>, known: &TemplateVariables) -> Vec<Block> {
        let mut blocks = Vec::new();
        for piece in self.template.pieces() {
            match piece {
                TextTemplatePiece::Text(text) => add(&mut blocks, Block::Text(text.clone()), ""),
                TextTemplatePiece::Variable(name) if name == CONTENT => {
                    content.iter().for_each(|block| add(&mut blocks, block.clone(), ""));
                }
                TextTemplatePiece::Variable(name) => {
                    let value = known.get(name).cloned().unwrap_or_default();
                    add(&mut blocks, Block::Text(value), "");
                }
            }
        }
        if !self.wants_content() {
            content.into_iter().for_each(|block| add(&mut blocks, block, APART));
        }
        blocks
    }
}

impl PromptParts {
    /// Words, and nothing else.
    pub(crate) fn of(text: String) -> Self {
        Self(vec![PromptPart::Text(text)])
    }

    /// Whether nothing was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether gathering reads standard input, so that no question can be asked there.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.is_empty() || self.0.contains(&PromptPart::Stdin)
    }

    /// With this before everything else.
    pub(crate) fn first(&mut self, text: String) {
        self.0.insert(0, PromptPart::Text(text));
    }

    /// Reads all parts and inserts them into the template, or appends them if it has no
    /// placeholder. A template without a placeholder can be the whole prompt. `tell` receives
    /// notes for the user.
    pub(crate) fn gather(
        &self,
        around: Option<&PromptTemplate>,
        work: &Path,
        tell: impl Fn(&str),
    ) -> Result<Prompt, CommandError> {
        let marks = self.marks(around);
        let Some(around) = around else { return checked(self.read(work, tell)?, marks) };
        let content =
            if around.wants_content() || !self.is_empty() { self.read(work, tell)? } else { Vec::new() };
        let known = around.values(work, self.file())?;
        checked(around.put(content, &known), marks)
    }

    /// The marks of what is read beside the user's own words. Standard input or a file that is
    /// the whole prompt holds these words.
    fn marks(&self, around: Option<&PromptTemplate>) -> Marks {
        let has_words = around.is_some() || self.0.iter().any(|part| matches!(part, PromptPart::Text(_)));
        let mut marks = Marks::default();
        for part in &self.0 {
            match part {
                PromptPart::Text(_) => {}
                PromptPart::File(_) => marks.private |= has_words,
                PromptPart::Media(_) => marks.private = true,
                PromptPart::Stdin if !has_words => {}
                PromptPart::Stdin | PromptPart::Shell(_) => marks = Marks { untrusted: true, private: true },
            }
        }
        marks
    }

    /// The first file of text.
    fn file(&self) -> Option<&Path> {
        self.0.iter().find_map(|part| match part {
            PromptPart::File(path) => Some(path.as_path()),
            PromptPart::Text(_) | PromptPart::Stdin | PromptPart::Shell(_) | PromptPart::Media(_) => None,
        })
    }

    fn read(&self, work: &Path, tell: impl Fn(&str)) -> Result<Vec<Block>, CommandError> {
        if self.is_empty() && io::stdin().is_terminal() {
            return Err(CommandError::new(CommandExit::Usage, "there is no prompt").hint(HINT));
        }
        if self.0.iter().filter(|part| **part == PromptPart::Stdin).count() > 1 {
            let message = "standard input is named more than once, but can be read only once";
            return Err(CommandError::new(CommandExit::Usage, message));
        }
        let whole = [PromptPart::Stdin];
        let parts = if self.is_empty() { whole.as_slice() } else { &self.0 };
        let mut blocks = Vec::new();
        for part in parts {
            let block = match part {
                PromptPart::Text(text) => Block::Text(text.clone()),
                PromptPart::Stdin => Block::Text(read("standard input", io::stdin().lock())?),
                PromptPart::File(path) => Block::Text(file(&work.join(path), path)?),
                PromptPart::Shell(command) => Block::Text(shell::output(command, work, &tell)?),
                PromptPart::Media(attachment) => attachment.read(work)?,
            };
            add(&mut blocks, block, APART);
        }
        Ok(blocks)
    }
}

/// A text to work on; `-` is standard input.
#[cfg(feature = "local")]
pub(crate) fn text(text: &str) -> Result<String, CommandError> {
    if text == "-" { stdin() } else { Ok(text.to_owned()) }
}

/// What comes in by standard input.
pub(crate) fn stdin() -> Result<String, CommandError> {
    read("standard input", io::stdin().lock())
}

/// Puts a block behind others; two texts become one.
fn add(blocks: &mut Vec<Block>, block: Block, apart: &str) {
    match (blocks.last_mut(), block) {
        (Some(Block::Text(before)), Block::Text(text)) => {
            before.push_str(apart);
            before.push_str(&text);
        }
        (_, block) => blocks.push(block),
    }
}

/// The text of a file that a person named; what it is called there is what messages say.
fn file(path: &Path, shown: &Path) -> Result<String, CommandError> {
    let name = format!("the file {}", shown.shown());
    let open = fs::File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            CommandError::new(CommandExit::Missing, format!("there is no file {}", shown.shown()))
        }
        _ => CommandError::new(CommandExit::Usage, format!("{name} cannot be read: {error}")),
    })?;
    // A text that ends its last line leaves no empty one before the next part.
    Ok(read(&name, open)?.trim_end_matches('\n').to_owned())
}

fn read(name: &str, input: impl Read) -> Result<String, CommandError> {
    let mut text = String::new();
    let read = input.take(MOST_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| {
        let trouble = CommandError::new(CommandExit::Usage, format!("{name} cannot be read: {error}"));
        match error.kind() {
            io::ErrorKind::InvalidData => {
                trouble.hint("pictures, sounds and PDF files are given with --media")
            }
            _ => trouble,
        }
    })?;
    if text.len() as u64 > MOST_BYTES {
        return Err(CommandError::new(
            CommandExit::Usage,
            format!("{name} is longer than {} MiB", MOST_BYTES >> 20),
        ));
    }
    Ok(text)
}

fn checked(blocks: Vec<Block>, marks: Marks) -> Result<Prompt, CommandError> {
    if blocks.iter().all(|block| block.as_text().is_some_and(|text| text.trim().is_empty())) {
        return Err(CommandError::new(CommandExit::Usage, "the prompt is empty").hint(HINT));
    }
    Ok(Prompt { blocks, marks, ..Prompt::text("") })
}

#[cfg(test)]
mod tests;
