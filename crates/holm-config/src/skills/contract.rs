//! Skills with a contract: a schema of their input, a schema of their output, and checks of the
//! result.
//!
//! The front matter of such a skill names schema files next to it; its text holds the instructions
//! for the model. Both become a contract of `holm-guards`, which follows the same rules as
//! `extract`.
//!
//! The check itself is in `holm-guards`. It opens no file: the caller passes the text of schemas,
//! which must be trusted like the skill.

use holm_guards::{
    json::Json,
    skill::{Case, Cases, Contract, FormatCheck, SkillFormat},
};

use super::SkillDocument;

/// The contract fields in the front matter of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillPromise {
    /// The file with the JSON Schema of its input; without one, an object with a string for
    /// each of its `args`.
    pub input: Option<String>,
    /// The file with the JSON Schema of its output.
    pub output: String,
    /// The member of the input in whose text the grounded values must occur.
    pub source: Option<String>,
    /// Pointers to the values that must occur there.
    pub grounded: Vec<String>,
    /// Pointers to values, and the format that each must have.
    pub formats: Vec<(String, SkillFormat)>,
}

impl SkillPromise {
    /// The format of a name.
    pub(super) fn format(name: &str) -> Option<SkillFormat> {
        [("email", SkillFormat::Email), ("url", SkillFormat::Url), ("date", SkillFormat::Date)]
            .into_iter()
            .find_map(|(known, format)| (known == name).then_some(format))
    }

    /// The schema files next to the skill.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.input.iter().chain([&self.output]).map(String::as_str)
    }
}

impl SkillDocument {
    /// The contract of a skill, if it has one; `read` returns the text of a file next to it.
    ///
    /// # Errors
    /// A message about a file that is missing or not JSON.
    ///
    /// ```
    /// use holm_config::skills::SkillDocument;
    ///
    /// let text = "---\nname: total\ndescription: Reads an invoice.\nargs: [text]\noutput: out.json\n\
    ///     source: text\ngrounded: [/total]\n---\nFind the total.\n";
    /// let skill = SkillDocument::parse(text)?;
    /// let schema = r#"{"type":"object","required":["total"]}"#;
    /// let contract = skill.contract(|_| Ok(schema.to_owned()))?.unwrap();
    /// assert_eq!(contract.source.as_deref(), Some("/text"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contract(
        &self,
        read: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Option<Contract>, String> {
        let Some(promise) = &self.promise else { return Ok(None) };
        let schema = |file: &str| {
            let text = read(file)?;
            Json::parse(&text).map_err(|error| format!("{file}: {error}"))
        };
        let input = match &promise.input {
            Some(file) => schema(file)?,
            None => texts(&self.args),
        };
        let pointer = |name: &String| if name.starts_with('/') { name.clone() } else { format!("/{name}") };
        let formats = promise
            .formats
            .iter()
            .map(|(pointer, format)| FormatCheck { pointer: pointer.clone(), format: *format });
        let case = Case {
            instructions: self.body.clone(),
            output: schema(&promise.output)?,
            grounded: promise.grounded.clone(),
            formats: formats.collect(),
        };
        Ok(Some(Contract {
            name: self.name.clone(),
            version: self.metadata.get("version").cloned().unwrap_or_else(|| "1".to_owned()),
            description: self.description.clone(),
            input,
            source: promise.source.as_ref().map(pointer),
            cases: Cases::One(case),
        }))
    }
}

/// The schema of an object with a required string for each name.
fn texts(names: &[String]) -> Json {
    let text = || Json::object([("type", Json::from("string")), ("minLength", Json::from(1_u64))]);
    let properties = names.iter().map(|name| (name.as_str(), text()));
    Json::object([
        ("type", Json::from("object")),
        ("properties", Json::object(properties)),
        ("required", Json::Array(names.iter().map(|name| Json::from(name.as_str())).collect())),
        ("additionalProperties", Json::Bool(false)),
    ])
}
