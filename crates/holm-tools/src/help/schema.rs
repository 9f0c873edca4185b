//! Writes the JSON Schema of a command plan: objects without additional properties, nested for
//! subcommands. `help/plan/argv.rs` and `help/plan/value.rs` must accept every value that this
//! schema admits, so they change together.

use holm_guards::json::Json;

use super::plan::{
    CommandNode, OptionArgument, OptionValueCount, PlanArgument, PlanNeed, PlanOption, PlanPosition,
    PlanValueKind, WORDS,
};

/// The JSON Schema of the arguments of a command.
pub(super) fn schema(node: &CommandNode) -> Json {
    object(node, "")
}

fn object(node: &CommandNode, about: &str) -> Json {
    let mut properties: Vec<(String, Json)> = Vec::new();
    let mut required: Vec<Json> = Vec::new();
    for option in &node.options {
        properties.push((option.property.clone(), option_schema(option)));
        if option.need == PlanNeed::Required {
            required.push(Json::from(option.property.as_str()));
        }
    }
    // If a subcommand can be given instead, positional arguments are not required.
    let always = node.commands.is_empty() || node.command == PlanNeed::Required;
    for step in &node.steps {
        let PlanArgument::Position(position) = step else { continue };
        properties.push((position.property.clone(), position_schema(position)));
        if position.need == PlanNeed::Required && always {
            required.push(Json::from(position.property.as_str()));
        }
    }
    for command in &node.commands {
        let about = format!("Command `{}`: {}", command.name, command.about);
        let inner = match &command.node {
            Some(node) => object(node, about.trim_end_matches([':', ' '])),
            None => unread(about.trim_end_matches([':', ' '])),
        };
        properties.push((command.property.clone(), inner));
    }
    let mut members = vec![
        ("type", Json::from("object")),
        ("properties", Json::object(properties)),
        ("additionalProperties", Json::from(false)),
    ];
    if !required.is_empty() {
        members.push(("required", Json::from(required)));
    }
    if !about.is_empty() {
        members.push(("description", Json::from(about)));
    }
    Json::object(members)
}

/// The schema of a subcommand whose help was not read: any list of words.
fn unread(about: &str) -> Json {
    let words = Json::object([
        ("type", Json::from("array")),
        ("items", Json::object([("type", Json::from("string"))])),
        ("description", Json::from("The words after the command, as on a command line.")),
    ]);
    Json::object([
        ("type", Json::from("object")),
        ("description", Json::from(about)),
        ("properties", Json::object([(WORDS, words)])),
        ("additionalProperties", Json::from(false)),
    ])
}

fn option_schema(option: &PlanOption) -> Json {
    let mut about = option.about.clone();
    let mut members = match &option.takes {
        OptionArgument::Nothing(_) => vec![("type", Json::from("boolean"))],
        OptionArgument::Count => vec![("type", Json::from("integer")), ("minimum", Json::from(0_u64))],
        OptionArgument::Value { kind, times, bare, .. } => {
            if *bare {
                about =
                    format!("{about} (an empty string passes the option without a value)").trim().to_owned();
            }
            match times {
                OptionValueCount::Once if *bare => vec![("type", Json::from("string"))],
                OptionValueCount::Once => kind_schema(kind),
                OptionValueCount::Occurrences | OptionValueCount::Values => list(kind, None),
                OptionValueCount::Exactly(count) => list(kind, Some(*count)),
            }
        }
    };
    let typed = match &option.takes {
        OptionArgument::Nothing(_) => Some(&PlanValueKind::Boolean),
        OptionArgument::Value { kind, times: OptionValueCount::Once, bare: false, .. } => Some(kind),
        OptionArgument::Count | OptionArgument::Value { .. } => None,
    };
    finish(&mut members, &about, option.default.as_deref(), typed);
    Json::object(members)
}

fn position_schema(position: &PlanPosition) -> Json {
    let mut members = if position.many { list(&position.kind, None) } else { kind_schema(&position.kind) };
    if position.many && position.need == PlanNeed::Required {
        members.push(("minItems", Json::from(1_u64)));
    }
    let typed = (!position.many).then_some(&position.kind);
    finish(&mut members, &position.about, position.default.as_deref(), typed);
    Json::object(members)
}

/// Adds the description and the default. A default of the wrong type is added to
/// the description as text.
fn finish(
    members: &mut Vec<(&'static str, Json)>,
    about: &str,
    default: Option<&str>,
    kind: Option<&PlanValueKind>,
) {
    let mut about = about.to_owned();
    if let Some(text) = default {
        match kind.and_then(|kind| default_value(text, kind)) {
            Some(value) => members.push(("default", value)),
            None => about = format!("{about} (default: {text})").trim().to_owned(),
        }
    }
    if !about.is_empty() {
        members.push(("description", Json::from(about)));
    }
}

fn default_value(text: &str, kind: &PlanValueKind) -> Option<Json> {
    let number = || text.parse::<holm_guards::json::JsonNumber>().ok();
    match kind {
        PlanValueKind::Text => Some(Json::from(text)),
        PlanValueKind::Integer => number().filter(holm_guards::json::JsonNumber::is_integer).map(Json::from),
        PlanValueKind::Number => number().map(Json::from),
        PlanValueKind::Boolean => text.to_lowercase().parse().ok().map(Json::Bool),
        PlanValueKind::Choice(choices) => {
            choices.iter().any(|choice| choice == text).then(|| Json::from(text))
        }
    }
}

fn kind_schema(kind: &PlanValueKind) -> Vec<(&'static str, Json)> {
    match kind {
        PlanValueKind::Text => vec![("type", Json::from("string"))],
        PlanValueKind::Integer => vec![("type", Json::from("integer"))],
        PlanValueKind::Number => vec![("type", Json::from("number"))],
        PlanValueKind::Boolean => vec![("type", Json::from("boolean"))],
        PlanValueKind::Choice(choices) => {
            let choices: Vec<Json> = choices.iter().map(|choice| Json::from(choice.as_str())).collect();
            vec![("type", Json::from("string")), ("enum", Json::from(choices))]
        }
    }
}

fn list(kind: &PlanValueKind, exactly: Option<u8>) -> Vec<(&'static str, Json)> {
    let mut members = vec![("type", Json::from("array")), ("items", Json::object(kind_schema(kind)))];
    if let Some(count) = exactly {
        let count = u64::from(count);
        members.extend([("minItems", Json::from(count)), ("maxItems", Json::from(count))]);
    }
    members
}
