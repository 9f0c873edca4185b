//! The built-in skill `extract`: structured values out of a text that holds them.
//!
//! It is only a contract. The checks are those of every contract skill (`skill/runner.rs`), so a
//! stricter rule for extraction is a change of the contract here or of `skill/source/`. Name,
//! description and version come from `skill/compat.rs`, because hosts of agent.rs know them.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use super::{Case, Cases, Contract, FormatCheck, SkillFormat, compat};
use crate::json::Json;

/// The contract of `extract`, with the targets `email`, `url`, `date`, `entity` and `name`.
///
/// Every value must occur whole in the text; addresses, URLs and dates must also look like ones. If
/// nothing is found, the result is an empty list, never `null` and never an empty string.
///
/// ```
/// use holm_guards::json::Json;
/// use holm_guards::skill::{CompiledSkill, SkillError, extract};
///
/// let skill = CompiledSkill::compile(extract())?;
/// let input = skill.check_input(&Json::parse(r#"{"text":"Contact us anytime","target":"email"}"#)?)?;
/// let reply = r#"{"email": "contact@example.com"}"#;
/// assert_eq!(
///     skill.check_output(&input, reply).unwrap_err().to_string(),
///     "HallucinationDetected: 'contact@example.com' not found in source text",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn extract() -> Contract {
    let list = |target: &str, what: &str, formats: Vec<SkillFormat>| {
        let pointer = format!("/{target}");
        let case = Case {
            instructions: format!(
                "Find {what} in the text. Answer with the member `{target}`: a list of strings, in the order of \
                 the text, and an empty list if there is none."
            ),
            output: object_of(target, strings()),
            grounded: vec![pointer.clone()],
            formats: formats
                .into_iter()
                .map(|format| FormatCheck { pointer: pointer.clone(), format })
                .collect(),
        };
        (target.to_string(), case)
    };
    let cases: BTreeMap<_, _> = [
        list("email", "every e-mail address", vec![SkillFormat::Email]),
        list("url", "every URL", vec![SkillFormat::Url]),
        list(
            "date",
            "every date, as it stands there or as YYYY-MM-DD where that is certain,",
            vec![SkillFormat::Date],
        ),
        list("name", "the name of every person", Vec::new()),
        ("entity".to_string(), entity()),
    ]
    .into();
    Contract {
        name: compat::EXTRACTION_SKILL.name.to_string(),
        version: compat::EXTRACTION_SKILL.version.to_string(),
        description: compat::EXTRACTION_SKILL.description.to_string(),
        input: input(),
        source: Some("/text".to_string()),
        cases: Cases::By { field: "target".to_string(), cases },
    }
}

fn entity() -> Case {
    let lists = ["people", "organizations", "locations"].map(|name| (name, strings()));
    let entity = Json::object([
        ("type", Json::from("object")),
        ("properties", Json::object(lists)),
        ("additionalProperties", Json::from(false)),
    ]);
    Case {
        instructions: "Find every person, organization and place that the text names. Answer with the member \
                       `entity`: an object with the lists `people`, `organizations` and `locations`, each empty if \
                       there is none."
            .to_string(),
        output: object_of("entity", entity),
        grounded: vec!["/entity".to_string()],
        formats: Vec::new(),
    }
}

fn input() -> Json {
    let text = |description: &str| {
        Json::object([
            ("type", Json::from("string")),
            ("minLength", Json::from(1_u64)),
            ("description", Json::from(description)),
        ])
    };
    Json::object([
        ("type", Json::from("object")),
        ("required", Json::Array(vec![Json::from("text"), Json::from("target")])),
        (
            "properties",
            Json::object([
                ("text", text("the text to extract from")),
                ("target", text("email, url, date, entity or name")),
            ]),
        ),
    ])
}

/// One string or a list of strings, none of them empty.
fn strings() -> Json {
    let item = Json::object([("type", Json::from("string")), ("minLength", Json::from(1_u64))]);
    Json::object([
        ("type", Json::Array(vec![Json::from("string"), Json::from("array")])),
        ("minLength", Json::from(1_u64)),
        ("items", item),
    ])
}

/// An object with exactly one member.
fn object_of(member: &str, schema: Json) -> Json {
    Json::object([
        ("type", Json::from("object")),
        ("required", Json::Array(vec![Json::from(member)])),
        ("properties", Json::object([(member, schema)])),
        ("additionalProperties", Json::from(false)),
    ])
}
