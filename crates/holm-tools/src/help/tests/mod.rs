//! What each part of the reader holds, on texts as small as the point that they make.

mod calls;
mod commands;
mod decoding;
mod hostile;
mod options;
mod usage;

use holm_guards::json::Json;

use super::{
    HelpDescription, HelpProgram, OptionArgument, OptionValueCount, PlanArgument, PlanNeed, PlanOption,
    PlanPosition, PlanValueKind, SwitchOffForm,
};

/// The description of a text by a program called `p`.
fn read(text: &str) -> HelpDescription {
    HelpDescription::read(&HelpProgram::named("p"), None, Some(text.as_bytes()))
        .unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The words of a call.
fn argv(description: &HelpDescription, arguments: &str) -> Result<Vec<String>, String> {
    let arguments = Json::parse(arguments).expect("JSON");
    description.plan.argv(&arguments).map_err(|error| error.to_string())
}

/// An option in one line: what it is called and what it takes.
fn option(option: &PlanOption) -> String {
    let need = if option.need == PlanNeed::Required { "!" } else { "" };
    let takes = match &option.takes {
        OptionArgument::Nothing(SwitchOffForm::Omit) => "switch".to_owned(),
        OptionArgument::Nothing(SwitchOffForm::Flag(off)) => format!("switch or {off}"),
        OptionArgument::Count => "count".into(),
        OptionArgument::Value { kind, times, bare, .. } => {
            let times = match times {
                OptionValueCount::Once => "",
                OptionValueCount::Occurrences => " again",
                OptionValueCount::Values => " list",
                OptionValueCount::Exactly(_) => " exactly",
            };
            format!("{}{times}{}", shown(kind), if *bare { " or none" } else { "" })
        }
    };
    let default = option.default.as_ref().map(|text| format!(" [{text}]")).unwrap_or_default();
    format!("{}{need} {takes}{default}", option.flag)
}

fn position(position: &PlanPosition) -> String {
    let need = if position.need == PlanNeed::Required { "!" } else { "" };
    let many = if position.many { "..." } else { "" };
    format!("{}{need}{many} {}", position.property, shown(&position.kind))
}

fn shown(kind: &PlanValueKind) -> String {
    match kind {
        PlanValueKind::Text => "text".into(),
        PlanValueKind::Integer => "integer".into(),
        PlanValueKind::Number => "number".into(),
        PlanValueKind::Boolean => "boolean".into(),
        PlanValueKind::Choice(choices) => choices.join("|"),
    }
}

/// Everything after the options, in one line.
fn steps(description: &HelpDescription) -> String {
    let steps = description.plan.root.steps.iter().map(|step| match step {
        PlanArgument::Literal(word) => word.clone(),
        PlanArgument::Dashes => "--".into(),
        PlanArgument::Position(place) => position(place),
    });
    steps.collect::<Vec<_>>().join(", ")
}
