//! Turns a draft into a plan: names the properties and resolves ambiguities on the side that loses
//! nothing. When in doubt, an argument is optional and of any text, because a plan that is too
//! strict would make a needed call impossible. The schema is made from the plan in `schema.rs`, and
//! the words of a call in `help/plan/argv.rs`.

use std::collections::{BTreeMap, BTreeSet};

use super::dialect::{OptionDialect, SwitchOffStyle};
use super::draft::{
    CommandDraft, HelpDraft, OptionDraft, PositionDraft, StepDraft, SubcommandSelector, UsageForm,
    ValueDraft, ValueRepetition,
};
use super::limits::{MAX_ABOUT, MAX_COMMANDS, MAX_NAME, MAX_NESTING, MAX_OPTIONS, MAX_POSITIONS};
use super::plan::{
    CommandNode, OptionArgument, OptionValueCount, OptionValueJoin, PlanArgument, PlanNeed, PlanOption,
    PlanPosition, PlanSubcommand, PlanValueKind, SwitchOffForm,
};
use super::value::is_shouted;
use crate::text::tidy;

/// Options that only explain the program; a tool's caller has its schema instead.
const EXPLAINS: &[&str] = &[
    "--help",
    "--usage",
    "--version",
    "--help-all",
    "--helpfull",
    "--helpshort",
    "--help-long",
    "--help-man",
    "--ignore_rest",
    "--install-completion",
    "--show-completion",
    "-help",
    "-version",
];

/// The plan's node for one help text.
pub(super) fn settle(draft: &HelpDraft) -> CommandNode {
    let forms: Vec<&UsageForm> = draft.forms.iter().filter(|form| !only_explains(form)).collect();
    let mut root = node(draft, &forms, 0);
    // A text without a usage line does not say whether there are positions; the program may need some.
    if draft.forms.is_empty() && root.commands.is_empty() {
        let mut names = PropertyNames(root.options.iter().map(|option| option.property.clone()).collect());
        let rest = PositionDraft { name: "arguments".into(), many: true, ..PositionDraft::default() };
        let step = StepDraft::Position(rest);
        root.steps =
            named(&[&UsageForm { steps: vec![step.clone()], ..UsageForm::default() }], &[step], &mut names);
    }
    root
}

/// The node of forms whose first `depth` words are already consumed.
fn node(draft: &HelpDraft, forms: &[&UsageForm], depth: usize) -> CommandNode {
    let (here, deeper): (Vec<&UsageForm>, Vec<&UsageForm>) =
        forms.iter().partition(|form| form.path.len() <= depth);
    let mut names = PropertyNames::default();
    let dialect = draft.dialect;
    let options = options(draft, &here, depth, &mut names);
    let steps = steps(&here, &mut names);
    let mut commands: Vec<PlanSubcommand> = Vec::new();
    if depth == 0 {
        commands.extend(
            draft
                .commands
                .iter()
                .filter(|command| command.name != "help")
                .map(|command| listed(command, &mut names)),
        );
    }
    for (word, inner) in by_word(&deeper, depth) {
        if depth >= MAX_NESTING || commands.len() >= MAX_COMMANDS {
            break;
        }
        let inner = node(draft, &inner, depth + 1);
        match commands.iter_mut().find(|command| command.name == word) {
            Some(command) => command.node = Some(Box::new(inner)),
            None => {
                let property = names.take(&word, "command");
                let node = Some(Box::new(inner));
                commands.push(PlanSubcommand {
                    property,
                    name: word,
                    aliases: Vec::new(),
                    about: String::new(),
                    node,
                });
            }
        }
    }
    let selector = here.iter().find_map(|form| form.selector);
    // By default, a program with commands needs one of them, unless it has positions of its own.
    let required = !commands.is_empty()
        && match selector {
            Some(SubcommandSelector::Required) => true,
            Some(SubcommandSelector::Optional) => false,
            None => {
                here.is_empty()
                    || (depth == 0 && steps.is_empty() && deeper.is_empty() && draft.forms.is_empty())
            }
        };
    let command = if required { PlanNeed::Required } else { PlanNeed::Optional };
    CommandNode { options, steps, commands, command, dashes: dialect.dashes }
}

fn listed(command: &CommandDraft, names: &mut PropertyNames) -> PlanSubcommand {
    PlanSubcommand {
        property: names.take(&command.name, "command"),
        name: command.name.clone(),
        aliases: command.aliases.clone(),
        about: command.about.clone(),
        node: None,
    }
}

/// Forms by the word that follows, in the order of the text.
fn by_word<'a>(forms: &[&'a UsageForm], depth: usize) -> Vec<(String, Vec<&'a UsageForm>)> {
    let mut groups: Vec<(String, Vec<&UsageForm>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for form in forms {
        let Some(word) = form.path.get(depth) else { continue };
        let place = *places.entry(word).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, group)) => group.push(form),
            None => groups.push((word.clone(), vec![form])),
        }
    }
    groups
}

/// Whether a form only shows the help or the version.
fn only_explains(form: &UsageForm) -> bool {
    form.path.is_empty()
        && form.steps.is_empty()
        && form.selector.is_none()
        && !form.all_options
        && !form.options.is_empty()
        && form
            .options
            .iter()
            .all(|(name, _)| EXPLAINS.contains(&name.as_str()) || name == "-h" || name == "-V")
}

fn options(
    draft: &HelpDraft,
    forms: &[&UsageForm],
    depth: usize,
    names: &mut PropertyNames,
) -> Vec<PlanOption> {
    let shown: BTreeSet<&str> =
        forms.iter().flat_map(|form| &form.options).map(|(name, _)| name.as_str()).collect();
    let all = depth == 0 && draft.forms.iter().all(|form| form.path.is_empty())
        || forms.iter().any(|form| form.all_options);
    let needed = |option: &OptionDraft| {
        let in_form =
            |form: &&UsageForm| form.options.iter().any(|(name, needed)| *needed && option.is(name));
        option.required || (!forms.is_empty() && forms.iter().all(in_form))
    };
    let words = draft.options.iter().any(|option| {
        option
            .names
            .iter()
            .any(|name| !name.starts_with("--") && name.chars().count() > 2 && !is_shouted(name))
    });
    let wanted = draft.options.iter().filter(|option| {
        !explains(option)
            && (all || option.names.iter().chain(&option.off).any(|name| shown.contains(name.as_str())))
    });
    wanted
        .take(MAX_OPTIONS)
        .map(|option| {
            let need = if needed(option) { PlanNeed::Required } else { PlanNeed::Optional };
            let name = option.flag().trim_start_matches('-').to_owned();
            PlanOption {
                property: names.take(&name, "option"),
                flag: option.flag().into(),
                takes: takes(option, draft.dialect, words),
                need,
                about: tidy(&option.about, MAX_ABOUT),
                default: option.default.clone().or_else(|| option.value.as_ref()?.default.clone()),
            }
        })
        .collect()
}

fn explains(option: &OptionDraft) -> bool {
    if option
        .value
        .as_ref()
        .is_some_and(|value| !value.optional && value.kind != Some(PlanValueKind::Boolean))
    {
        return false;
    }
    let named = option.names.iter().any(|name| EXPLAINS.contains(&name.as_str()));
    let about = option.about.to_lowercase();
    let short = option.names.iter().all(|name| matches!(name.as_str(), "-h" | "-?"));
    // `-NUM` is a placeholder for a number.
    let number = option.names.iter().all(|name| {
        name.strip_prefix('-')
            .is_some_and(|name| name.len() > 1 && !name.starts_with('-') && is_shouted(name))
    });
    named || number || (short && (about.contains("help") || about.contains("usage")))
}

fn takes(option: &OptionDraft, dialect: OptionDialect, words: bool) -> OptionArgument {
    let Some(value) = &option.value else { return switch(option, dialect) };
    let kind = kind(value.kind.as_ref(), &value.choices);
    if kind == PlanValueKind::Boolean && !option.off.is_empty() {
        return switch(option, dialect);
    }
    let times = match (value.many, value.names.len()) {
        (ValueRepetition::Occurrences, _) => OptionValueCount::Occurrences,
        (ValueRepetition::Values, _) => OptionValueCount::Values,
        (ValueRepetition::One, count @ 2..) => {
            OptionValueCount::Exactly(u8::try_from(count).unwrap_or(u8::MAX))
        }
        (ValueRepetition::One, _) => OptionValueCount::Once,
    };
    // After `=` or directly after the letter, only one value is possible.
    let times = match (times, value.glue) {
        (OptionValueCount::Values, Some(OptionValueJoin::Equals | OptionValueJoin::Attached)) => {
            OptionValueCount::Occurrences
        }
        (times, _) => times,
    };
    let long = option.flag().starts_with("--");
    let go = dialect.off == SwitchOffStyle::EqualsFalse;
    let glue = match value.glue.unwrap_or(OptionValueJoin::Space) {
        // A short option's form where a long one is used.
        OptionValueJoin::Attached if long => OptionValueJoin::Equals,
        OptionValueJoin::Space
            if value.optional && long && dialect.equals && times == OptionValueCount::Once =>
        {
            OptionValueJoin::Equals
        }
        glue => glue,
    };
    let bare = value.optional && times == OptionValueCount::Once;
    // Flags of one dash and a whole word: Go's take `=`, others always take the next word.
    let glue = if words && go && glue == OptionValueJoin::Space && times != OptionValueCount::Values {
        OptionValueJoin::Equals
    } else {
        glue
    };
    let equals = dialect.equals && (!words || go);
    OptionArgument::Value { kind, glue, times, bare, equals }
}

fn switch(option: &OptionDraft, dialect: OptionDialect) -> OptionArgument {
    if option.repeat {
        return OptionArgument::Count;
    }
    if let Some(off) = option.off.iter().find(|name| name.starts_with("--")).or_else(|| option.off.first()) {
        return OptionArgument::Nothing(SwitchOffForm::Flag(off.clone()));
    }
    let on = option.default.as_deref().is_some_and(|default| default.eq_ignore_ascii_case("true"));
    let flag = option.flag();
    OptionArgument::Nothing(match dialect.off {
        SwitchOffStyle::EqualsFalse if on => SwitchOffForm::Flag(format!("{flag}=false")),
        SwitchOffStyle::NoPrefix if on => {
            SwitchOffForm::Flag(format!("--no-{}", flag.trim_start_matches('-')))
        }
        SwitchOffStyle::EqualsFalse | SwitchOffStyle::NoPrefix | SwitchOffStyle::Omit => SwitchOffForm::Omit,
    })
}

fn kind(kind: Option<&PlanValueKind>, choices: &[String]) -> PlanValueKind {
    let truth = choices.len() == 2 && choices.iter().all(|choice| choice == "true" || choice == "false");
    match (choices, kind) {
        _ if truth => PlanValueKind::Boolean,
        ([], Some(kind)) => kind.clone(),
        ([], None) => PlanValueKind::Text,
        (choices, _) => PlanValueKind::Choice(choices.to_vec()),
    }
}

/// The steps of all forms of a command as one list.
fn steps(forms: &[&UsageForm], names: &mut PropertyNames) -> Vec<PlanArgument> {
    let mut merged: Vec<StepDraft> = Vec::new();
    for form in forms {
        let mut at = 0;
        for step in &form.steps {
            let same = merged.iter().position(|known| is_same(known, step));
            match same {
                Some(place) => {
                    if let (Some(StepDraft::Position(known)), StepDraft::Position(position)) =
                        (merged.get_mut(place), step)
                    {
                        known.many |= position.many;
                        known.required &= position.required;
                    }
                    at = place + 1;
                }
                None if merged.len() < MAX_POSITIONS => {
                    merged.insert(at.min(merged.len()), step.clone());
                    at += 1;
                }
                None => {}
            }
        }
    }
    let everywhere = |position: &PositionDraft| {
        forms
            .iter()
            .all(|form| form.steps.iter().any(|step| is_same(step, &StepDraft::Position(position.clone()))))
    };
    for step in &mut merged {
        if let StepDraft::Position(position) = step {
            position.required &= everywhere(position);
        }
    }
    named(forms, &merged, names)
}

fn named(forms: &[&UsageForm], merged: &[StepDraft], names: &mut PropertyNames) -> Vec<PlanArgument> {
    let properties: Vec<String> = merged
        .iter()
        .map(|step| match step {
            StepDraft::Position(position) => names.take(&position.name.to_lowercase(), "argument"),
            StepDraft::Literal(_) | StepDraft::Dashes => String::new(),
        })
        .collect();
    let optional = |step: &StepDraft| matches!(step, StepDraft::Position(position) if !position.required && !position.many && !position.loose);
    let mut steps = Vec::with_capacity(merged.len());
    for (step, property) in merged.iter().zip(&properties) {
        steps.push(match step {
            StepDraft::Literal(word) => PlanArgument::Literal(word.clone()),
            StepDraft::Dashes => PlanArgument::Dashes,
            StepDraft::Position(position) => {
                let places = merged.iter().zip(&properties);
                let after = places
                    .filter(|(other, _)| {
                        optional(other) && !position.required && stands_before(forms, other, step)
                    })
                    .map(|(_, property)| property.clone())
                    .collect();
                PlanArgument::Position(PlanPosition {
                    property: property.clone(),
                    kind: kind(position.kind.as_ref(), &position.choices),
                    need: if position.required { PlanNeed::Required } else { PlanNeed::Optional },
                    many: position.many,
                    about: position.about.clone(),
                    default: position.default.clone(),
                    after,
                })
            }
        });
    }
    steps
}

/// Whether `one` comes before `other` in every form that has `other`.
fn stands_before(forms: &[&UsageForm], one: &StepDraft, other: &StepDraft) -> bool {
    let place = |form: &UsageForm, step: &StepDraft| form.steps.iter().position(|known| is_same(known, step));
    forms.iter().all(|form| match (place(form, one), place(form, other)) {
        (Some(one), Some(other)) => one < other,
        (None, Some(_)) => false,
        (_, None) => true,
    })
}

fn is_same(one: &StepDraft, other: &StepDraft) -> bool {
    match (one, other) {
        (StepDraft::Position(one), StepDraft::Position(other)) => one.name.eq_ignore_ascii_case(&other.name),
        (StepDraft::Literal(one), StepDraft::Literal(other)) => one == other,
        (StepDraft::Dashes, StepDraft::Dashes) => true,
        (StepDraft::Position(_) | StepDraft::Literal(_) | StepDraft::Dashes, _) => false,
    }
}

/// The property names of one object: letters, digits and `_`, all different.
#[derive(Default)]
struct PropertyNames(BTreeSet<String>);

impl PropertyNames {
    fn take(&mut self, wanted: &str, what: &str) -> String {
        let mut name: String = wanted
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(MAX_NAME - 16)
            .collect();
        name = name.trim_matches('_').into();
        if name.is_empty() {
            name = what.into();
        }
        if self.0.insert(name.clone()) {
            return name;
        }
        let second = format!("{name}_{what}");
        if self.0.insert(second.clone()) {
            return second;
        }
        let free = (2_u64..).map(|number| format!("{name}_{number}")).find(|name| !self.0.contains(name));
        let free = free.unwrap_or(second);
        self.0.insert(free.clone());
        free
    }
}

/// The value's names, for [`ValueDraft`]s that other parts make.
impl ValueDraft {
    /// A value about which nothing is known except that it exists.
    pub(super) fn unnamed() -> Self {
        Self { names: vec!["value".into()], ..Self::default() }
    }
}
