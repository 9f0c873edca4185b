//! What each part of the reader holds, on texts as small as the point that they make.

mod calls;
mod commands;
mod decoding;
mod hostile;
mod options;
mod usage;

use holm_guards::json::Json;

use super::{Description, Kind, Need, Off, Opt, Position, Program, Step, Takes, Times};

/// The description of a text by a program called `p`.
fn read(text: &str) -> Description {
    Description::read(&Program::named("p"), None, Some(text.as_bytes()))
        .unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The words of a call.
fn argv(description: &Description, arguments: &str) -> Result<Vec<String>, String> {
    let arguments = Json::parse(arguments).expect("JSON");
    description.plan.argv(&arguments).map_err(|error| error.to_string())
}

/// An option in one line: what it is called and what it takes.
fn option(option: &Opt) -> String {
    let need = if option.need == Need::Required { "!" } else { "" };
    let takes = match &option.takes {
        Takes::Nothing(Off::Omit) => "switch".to_owned(),
        Takes::Nothing(Off::Flag(off)) => format!("switch or {off}"),
        Takes::Count => "count".into(),
        Takes::Value { kind, times, bare, .. } => {
            let times = match times {
                Times::Once => "",
                Times::Occurrences => " again",
                Times::Values => " list",
                Times::Exactly(_) => " exactly",
            };
            format!("{}{times}{}", shown(kind), if *bare { " or none" } else { "" })
        }
    };
    let default = option.default.as_ref().map(|text| format!(" [{text}]")).unwrap_or_default();
    format!("{}{need} {takes}{default}", option.flag)
}

fn position(position: &Position) -> String {
    let need = if position.need == Need::Required { "!" } else { "" };
    let many = if position.many { "..." } else { "" };
    format!("{}{need}{many} {}", position.property, shown(&position.kind))
}

fn shown(kind: &Kind) -> String {
    match kind {
        Kind::Text => "text".into(),
        Kind::Integer => "integer".into(),
        Kind::Number => "number".into(),
        Kind::Boolean => "boolean".into(),
        Kind::Choice(choices) => choices.join("|"),
    }
}

/// Everything after the options, in one line.
fn steps(description: &Description) -> String {
    let steps = description.plan.root.steps.iter().map(|step| match step {
        Step::Literal(word) => word.clone(),
        Step::Dashes => "--".into(),
        Step::Position(place) => position(place),
    });
    steps.collect::<Vec<_>>().join(", ")
}
