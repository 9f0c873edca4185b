//! Parses one `SKILL.md`. Front matter is parsed in `holm-tools/src/front_matter.rs`, and skills
//! are found in `find.rs`. Tools that a skill names grant nothing. Unknown keys are reported and
//! otherwise ignored, because other programs have their own keys.

use std::collections::BTreeMap;

use holm_guards::skill::SkillFormat;
use holm_tools::front_matter::{FrontMatter, FrontMatterEntry, FrontMatterValue};

use super::{SkillArgument, SkillFileError, SkillOverflowError, SkillProblem, SkillPromise, fill::fill};

const MOST_NAME: usize = 64;
/// The longest description: the prompt contains that of every skill.
const MOST_DESCRIPTION: usize = 1_024;
/// The longest note about requirements.
const MOST_COMPATIBILITY: usize = 500;
/// The largest file: a model reads it as a whole.
const MOST_BYTES: usize = 256 << 10;
/// The number of lines that a model still reads easily.
const EASY_LINES: usize = 500;

/// A parsed skill: its front matter and its text.
///
/// ```
/// use holm_config::skills::SkillDocument;
///
/// let text = "---\nname: greet\ndescription: Says hello.\nargs: [who]\n---\nGreet $who. All: $ARGUMENTS\n";
/// let skill = SkillDocument::parse(text)?;
/// assert_eq!(skill.filled("Ada").as_deref(), Ok("Greet Ada. All: Ada"));
/// # Ok::<(), holm_config::skills::SkillFileError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillDocument {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// When a model should use it.
    pub when_to_use: Option<String>,
    /// Whether models see it in the list of skills.
    pub listed: SkillVisibility,
    pub license: Option<String>,
    pub compatibility: Option<String>,
    /// Tools that it names; they grant nothing.
    pub allowed_tools: Vec<String>,
    /// The names of its arguments, in order.
    pub args: Vec<String>,
    /// What it says about arguments, by their names.
    pub arguments: BTreeMap<String, SkillArgument>,
    /// Further metadata by the author.
    pub metadata: BTreeMap<String, String>,
    /// Its contract, if its results are checked.
    pub promise: Option<SkillPromise>,
    /// The instructions for the model.
    pub body: String,
    /// Keys that Holm does not know.
    pub ignored: Vec<String>,
}

/// Whether models see the skill in the list of skills.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SkillVisibility {
    #[default]
    Yes,
    /// Only the user can call it by name: `list: false`.
    No,
}

impl SkillDocument {
    /// Parses the text of a `SKILL.md`.
    ///
    /// # Errors
    /// The first error that makes the skill unusable. [`flaws`](Self::flaws) lists mere
    /// violations of the rules.
    pub fn parse(text: &str) -> Result<Self, SkillFileError> {
        if text.len() > MOST_BYTES {
            return Err(SkillProblem::TooLarge { most: MOST_BYTES }.at(1));
        }
        let front = FrontMatter::parse(text)
            .map_err(|error| SkillProblem::Head(error.problem.to_string()).at(error.line))?;
        let mut skill = Self {
            name: String::new(),
            description: String::new(),
            when_to_use: None,
            listed: SkillVisibility::Yes,
            license: None,
            compatibility: None,
            allowed_tools: Vec::new(),
            args: Vec::new(),
            arguments: BTreeMap::new(),
            metadata: BTreeMap::new(),
            promise: None,
            body: front.body.to_owned(),
            ignored: Vec::new(),
        };
        for entry in &front.entries {
            skill.take(entry)?;
        }
        if skill.name.is_empty() {
            return Err(SkillProblem::Missing("name").at(1));
        }
        if skill.description.is_empty() {
            return Err(SkillProblem::Missing("description").at(1));
        }
        // The other contract fields are useless without an output schema.
        if skill.promise.as_ref().is_some_and(|promise| promise.output.is_empty()) {
            return Err(SkillProblem::Missing("output").at(1));
        }
        Ok(skill)
    }

    /// Its text with arguments: `$ARGUMENTS` is all of them, `$name` is a single one, given as
    /// `name=value` or by position. Arguments without a placeholder are appended.
    ///
    /// # Errors
    /// If that is more than [`MOST_FILLED`](super::MOST_FILLED) bytes.
    pub fn filled(&self, arguments: &str) -> Result<String, SkillOverflowError> {
        fill(&self.body, &self.args, &self.arguments, arguments)
    }

    /// Violations of the format that do not make the skill unusable. `folder` is the
    /// name of its folder.
    #[must_use]
    pub fn flaws(&self, folder: &str) -> Vec<String> {
        let mut flaws = Vec::new();
        if self.name != folder {
            flaws.push(format!(
                "its name is `{}` and its folder's `{folder}`; they should be the same",
                self.name
            ));
        }
        if self.body.lines().count() > EASY_LINES {
            flaws.push(format!(
                "its text has more than {EASY_LINES} lines; put the rest into files beside it"
            ));
        }
        flaws.extend(self.ignored.iter().map(|key| format!("unknown key `{key}`")));
        flaws
    }

    fn take(&mut self, entry: &FrontMatterEntry) -> Result<(), SkillFileError> {
        let bad = |expected| SkillProblem::BadValue { key: entry.key.clone(), expected }.at(entry.line);
        let text = || match &entry.value {
            FrontMatterValue::Text(text) => Ok(text.clone()),
            FrontMatterValue::List(_) | FrontMatterValue::Map(_) | FrontMatterValue::Records(_) => {
                Err(bad("a text"))
            }
        };
        match &*entry.key {
            "name" => {
                self.name = text()?;
                if !is_name(&self.name) {
                    return Err(bad("1 to 64 of a-z, 0-9 and single hyphens between them"));
                }
            }
            "description" => {
                self.description = text()?;
                if self.description.is_empty() || self.description.chars().count() > MOST_DESCRIPTION {
                    return Err(bad("1 to 1024 characters of text"));
                }
            }
            "when_to_use" | "when-to-use" => self.when_to_use = Some(text()?),
            "list" => {
                self.listed = match text()?.as_str() {
                    "true" => SkillVisibility::Yes,
                    "false" => SkillVisibility::No,
                    _ => return Err(bad("true or false")),
                }
            }
            "license" => self.license = Some(text()?),
            "compatibility" => {
                let note = text()?;
                if note.chars().count() > MOST_COMPATIBILITY {
                    return Err(bad("at most 500 characters of text"));
                }
                self.compatibility = Some(note);
            }
            "allowed-tools" | "tools" => self.allowed_tools = words(entry),
            "args" | "arguments" => self.take_args(entry)?,
            "metadata" => {
                let FrontMatterValue::Map(entries) = &entry.value else { return Err(bad("keys below it")) };
                for FrontMatterEntry { key, value, .. } in entries {
                    let FrontMatterValue::Text(text) = value else { return Err(bad("keys with texts")) };
                    self.metadata.insert(key.clone(), text.clone());
                }
            }
            "input" | "output" | "source" | "grounded" | "formats" => self.promise(entry)?,
            other => self.ignored.push(other.to_owned()),
        }
        Ok(())
    }

    /// Reads one contract field.
    fn take_args(&mut self, entry: &FrontMatterEntry) -> Result<(), SkillFileError> {
        let bare = |arg: String| arg.strip_prefix("name:").map_or(arg.clone(), |name| name.trim().to_owned());
        self.args = words(entry).into_iter().map(bare).collect();
        if let FrontMatterValue::Records(records) = &entry.value {
            self.arguments = records.iter().filter_map(|record| SkillArgument::of(record)).collect();
            if self.args.len() < records.len() {
                let expected = "a list of names, or of items with a `name` each";
                return Err(SkillProblem::BadValue { key: entry.key.clone(), expected }.at(entry.line));
            }
        }
        Ok(())
    }

    fn promise(&mut self, entry: &FrontMatterEntry) -> Result<(), SkillFileError> {
        let bad = |expected| SkillProblem::BadValue { key: entry.key.clone(), expected }.at(entry.line);
        let text = || match &entry.value {
            FrontMatterValue::Text(text) if !text.is_empty() => Ok(text.clone()),
            FrontMatterValue::Text(_)
            | FrontMatterValue::List(_)
            | FrontMatterValue::Map(_)
            | FrontMatterValue::Records(_) => Err(bad("a text")),
        };
        let promise = self.promise.get_or_insert_with(SkillPromise::default);
        match &*entry.key {
            "input" => promise.input = Some(text()?),
            "output" => promise.output = text()?,
            "source" => promise.source = Some(text()?),
            "grounded" => promise.grounded = words(entry),
            _ => {
                promise.formats = formats(entry).ok_or_else(|| {
                    bad("members with email, url or date, or a list such as [\"/all/* email\"]")
                })?;
            }
        }
        Ok(())
    }
}

/// Parses pointers with the formats of their values.
fn formats(entry: &FrontMatterEntry) -> Option<Vec<(String, SkillFormat)>> {
    match &entry.value {
        FrontMatterValue::Text(_) | FrontMatterValue::Records(_) => None,
        FrontMatterValue::Map(entries) => entries
            .iter()
            .map(|FrontMatterEntry { key, value, .. }| match value {
                FrontMatterValue::Text(name) => Some((format!("/{key}"), SkillPromise::format(name)?)),
                FrontMatterValue::List(_) | FrontMatterValue::Map(_) | FrontMatterValue::Records(_) => None,
            })
            .collect(),
        FrontMatterValue::List(items) => items
            .iter()
            .map(|item| {
                let (pointer, name) = item.text.split_once(' ')?;
                Some((pointer.to_owned(), SkillPromise::format(name.trim())?))
            })
            .collect(),
    }
}

/// The items of a list, or the words of a text separated by spaces or commas.
fn words(entry: &FrontMatterEntry) -> Vec<String> {
    match &entry.value {
        FrontMatterValue::Text(text) => {
            let apart = |c: char| c.is_whitespace() || c == ',';
            text.split(apart).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        }
        FrontMatterValue::List(items) => items.iter().map(|item| item.text.clone()).collect(),
        FrontMatterValue::Map(entries) => entries.iter().map(|entry| entry.key.clone()).collect(),
        FrontMatterValue::Records(records) => {
            records.iter().filter_map(|record| Some(SkillArgument::of(record)?.0)).collect()
        }
    }
}

fn is_name(name: &str) -> bool {
    let fits = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let apart = !name.starts_with('-') && !name.ends_with('-') && !name.contains("--");
    (1..=MOST_NAME).contains(&name.len()) && fits && apart
}
