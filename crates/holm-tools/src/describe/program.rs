//! The description of a program: what it declares, its schema, and the parser for its answer. The
//! answer is untrusted: sizes and names are bounded, and texts are cleaned (`text.rs`). It can only
//! describe: what the program needs is declared by its sidecar (`registry/sidecar.rs`), not here.

use std::collections::BTreeSet;

use holm_guards::json::Json;
use holm_kernel::provider_name;
use serde::{Deserialize, Serialize};

use super::{
    ArgumentArity, ArgumentMode, DescriptionError, DescriptionErrorKind, MAX_ARGS, MAX_BYTES,
    MAX_DESCRIPTION, ProgramArgument,
};
use crate::text::tidy;

/// The longest name of a program or an argument, as for the providers.
const LONGEST_NAME: usize = 64;

/// The types of values that a model is told; any other type counts as text.
const KINDS: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

/// A program's description of itself.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_tools::describe::ProgramDescription;
///
/// let program = ProgramDescription::parse("greet.sh", br#"{
///     "slug": "greet", "description": "Greets somebody.",
///     "args": [{"name": "who", "description": "whom", "type": "string", "backing_type": "string",
///               "arity": "single", "mode": "positional"}]
/// }"#)?;
/// assert_eq!(program.name(), "greet");
/// let call = program.call(&Json::object([("who", Json::from("John"))])).unwrap();
/// assert_eq!(call.argv, ["run", "John"]);
/// # Ok::<(), holm_tools::describe::DescriptionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramDescription {
    /// The name that it gives itself.
    pub slug: String,
    /// Its purpose, for the model.
    pub description: String,
    /// Its arguments, in the order in which they are passed.
    pub args: Vec<ProgramArgument>,
    /// The meaning of an empty output.
    #[serde(default)]
    pub empty_result: EmptyResultPolicy,
    /// The media type of its output, such as `image/png`; text by default.
    #[serde(default)]
    pub output_media_type: Option<String>,
}

/// The result of a call whose program printed nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyResultPolicy {
    /// The result is empty.
    #[default]
    DoNothing,
    /// The model reads this instead.
    AddMessage(String),
}

impl ProgramDescription {
    /// Reads what `file` printed when it was asked to describe itself.
    ///
    /// # Errors
    ///
    /// If it is not a valid description. The error names the file and the field.
    pub fn parse(file: &str, output: &[u8]) -> Result<Self, DescriptionError> {
        Self::read(output).map_err(|flaw| DescriptionError { file: tidy(file, 256), flaw })
    }

    /// The name under which models call it: the one it gives itself, in
    /// a form that providers accept.
    #[must_use]
    pub fn name(&self) -> String {
        provider_name(&self.slug)
    }

    /// JSON Schema of its arguments.
    #[must_use]
    pub fn schema(&self) -> Json {
        let properties = Json::object(self.args.iter().map(|arg| (arg.name.as_str(), arg.schema())));
        let required: Vec<Json> = self
            .args
            .iter()
            .filter(|arg| arg.arity == ArgumentArity::Single)
            .map(|arg| Json::from(arg.name.as_str()))
            .collect();
        Json::object([
            ("type", Json::from("object")),
            ("properties", properties),
            ("required", Json::from(required)),
            ("additionalProperties", Json::from(false)),
        ])
    }

    fn read(output: &[u8]) -> Result<Self, DescriptionErrorKind> {
        if output.len() > MAX_BYTES {
            return Err(DescriptionErrorKind::TooLong { bytes: output.len() });
        }
        let text = core::str::from_utf8(output).map_err(|_| DescriptionErrorKind::NotText)?;
        if text.trim().is_empty() {
            return Err(DescriptionErrorKind::Silent);
        }
        let value =
            Json::parse_strict(text.trim_start_matches('\u{feff}')).map_err(DescriptionErrorKind::NotJson)?;
        let slug = name(&value, "", "slug")?;
        let description = tidy(string(&value, "", "description")?, MAX_DESCRIPTION);
        Ok(Self {
            slug,
            description,
            args: args(&value)?,
            empty_result: empty_result(&value)?,
            output_media_type: optional_string(&value, "", "output-media-type")?.map(|text| tidy(text, 128)),
        })
    }
}

fn args(program: &Json) -> Result<Vec<ProgramArgument>, DescriptionErrorKind> {
    let value = field(program, "", "args")?;
    let Some(list) = value.as_array() else {
        return Err(DescriptionErrorKind::WrongKind {
            field: "args".into(),
            expected: "an array",
            found: value.kind(),
        });
    };
    if list.len() > MAX_ARGS {
        return Err(DescriptionErrorKind::TooMany { count: list.len() });
    }
    let mut names = BTreeSet::new();
    let mut args = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let place = format!("args[{index}]");
        let arg = arg(value, &place)?;
        if !names.insert(arg.name.clone()) {
            return Err(DescriptionErrorKind::Repeated { field: format!("{place}.name"), name: arg.name });
        }
        args.push(arg);
    }
    Ok(args)
}

/// The document says of the fields that not all are useful: only a name and a mode cannot be guessed.
fn arg(value: &Json, place: &str) -> Result<ProgramArgument, DescriptionErrorKind> {
    if value.as_object().is_none() {
        return Err(DescriptionErrorKind::WrongKind {
            field: place.into(),
            expected: "an object",
            found: value.kind(),
        });
    }
    let unknown = |name: &str, value: &str, known| DescriptionErrorKind::Unknown {
        field: join(place, name),
        value: tidy(value, 64),
        known,
    };
    let mode = string(value, place, "mode")?;
    let mode = ArgumentMode::named(mode)
        .ok_or_else(|| unknown("mode", mode, "positional, dashdashspace, dashdashequal or stdin"))?;
    let arity = match optional_string(value, place, "arity")? {
        None => ArgumentArity::Single,
        Some(arity) => {
            ArgumentArity::named(arity).ok_or_else(|| unknown("arity", arity, "single or optional"))?
        }
    };
    let kinds = [optional_string(value, place, "backing_type")?, optional_string(value, place, "type")?];
    let kind = kinds.into_iter().flatten().find(|kind| KINDS.contains(kind)).unwrap_or("string");
    let description = optional_string(value, place, "description")?.unwrap_or_default();
    Ok(ProgramArgument {
        name: name(value, place, "name")?,
        description: tidy(description, MAX_DESCRIPTION),
        kind: kind.into(),
        arity,
        mode,
    })
}

fn empty_result(program: &Json) -> Result<EmptyResultPolicy, DescriptionErrorKind> {
    let place = "empty-result";
    let Some(value) = program.get(place).filter(|value| !value.is_null()) else {
        return Ok(EmptyResultPolicy::default());
    };
    match string(value, place, "tag")? {
        "DoNothing" => Ok(EmptyResultPolicy::DoNothing),
        "AddMessage" => {
            Ok(EmptyResultPolicy::AddMessage(tidy(string(value, place, "contents")?, MAX_DESCRIPTION)))
        }
        other => Err(DescriptionErrorKind::Unknown {
            field: join(place, "tag"),
            value: tidy(other, 64),
            known: "DoNothing or AddMessage",
        }),
    }
}

fn field<'a>(value: &'a Json, place: &str, name: &str) -> Result<&'a Json, DescriptionErrorKind> {
    let Some(members) = value.as_object() else {
        let field = if place.is_empty() { "the description" } else { place }.to_owned();
        return Err(DescriptionErrorKind::WrongKind { field, expected: "an object", found: value.kind() });
    };
    members.get(name).ok_or_else(|| DescriptionErrorKind::Missing { field: join(place, name) })
}

fn string<'a>(value: &'a Json, place: &str, name: &str) -> Result<&'a str, DescriptionErrorKind> {
    let value = field(value, place, name)?;
    value.as_str().ok_or_else(|| DescriptionErrorKind::WrongKind {
        field: join(place, name),
        expected: "a string",
        found: value.kind(),
    })
}

fn optional_string<'a>(
    value: &'a Json,
    place: &str,
    name: &str,
) -> Result<Option<&'a str>, DescriptionErrorKind> {
    match value.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(_) => string(value, place, name).map(Some),
    }
}

/// A name that is valid after `--` and in a schema. Harmless characters beyond those of the
/// document are accepted, because real programs have names like `list-files`.
fn name(value: &Json, place: &str, field: &str) -> Result<String, DescriptionErrorKind> {
    let text = string(value, place, field)?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let first = |c: char| c.is_alphanumeric() || c == '_';
    if !text.starts_with(first) || !text.chars().all(plain) || text.chars().count() > LONGEST_NAME {
        return Err(DescriptionErrorKind::BadName {
            field: join(place, field),
            value: tidy(text, LONGEST_NAME),
        });
    }
    Ok(text.into())
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() { name.into() } else { format!("{place}.{name}") }
}
