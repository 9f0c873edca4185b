//! Turns arguments into the words of a command line. No shell is involved. A value that looks like
//! an option is joined to its option or written after `--`; where the program knows neither, it is
//! refused, because the program would take it for an option. Single values are checked in
//! `value.rs`; starting the program is done in `program/tool.rs`.

use std::collections::BTreeSet;

use holm_guards::json::{Json, JsonObject};

use super::value::{listed, single, switch};
use super::{
    CallPlan, CommandNode, OptionArgument, OptionValueCount, OptionValueJoin, PlanArgument, PlanNeed,
    PlanOption, PlanSubcommand, SwitchOffForm, WORDS,
};
use crate::help::error::PlanArgumentError;
use crate::help::limits::{MAX_WORD, MAX_WORDS};

impl CallPlan {
    /// The words of a call, after the program's own name.
    ///
    /// # Errors
    ///
    /// If arguments are missing, unknown or of the wrong type, or if the program could not
    /// tell them from options.
    pub fn argv(&self, arguments: &Json) -> Result<Vec<String>, PlanArgumentError> {
        let mut words = ArgvBuilder { argv: Vec::new(), greedy: false };
        words.node(&self.root, arguments, "arguments")?;
        let bounded = words.argv.len() <= MAX_WORDS && words.argv.iter().all(|word| word.len() <= MAX_WORD);
        if bounded { Ok(words.argv) } else { Err(PlanArgumentError::TooLong) }
    }
}

struct ArgvBuilder {
    argv: Vec<String>,
    /// Whether the last option would also take the words that follow its own.
    greedy: bool,
}

impl ArgvBuilder {
    fn node(&mut self, node: &CommandNode, arguments: &Json, place: &str) -> Result<(), PlanArgumentError> {
        let Some(members) = arguments.as_object() else {
            return Err(PlanArgumentError::NotAnObject { place: place.into(), found: arguments.kind() });
        };
        known(node, members, place)?;
        // Options that take any number of words come first: another option after
        // them ends their list.
        let (greedy, plain): (Vec<&PlanOption>, Vec<&PlanOption>) =
            node.options.iter().partition(|option| is_greedy(option));
        for option in greedy.into_iter().chain(plain) {
            let at = join(place, &option.property);
            match members.get(&option.property).filter(|value| !value.is_null()) {
                Some(value) => self.option(option, value, &at)?,
                None if option.need == PlanNeed::Required => return Err(PlanArgumentError::Missing(at)),
                None => {}
            }
        }
        let chosen = chosen(node, members, place)?;
        self.steps(node, members, place, chosen.is_some())?;
        let Some((command, value)) = chosen else { return Ok(()) };
        if self.greedy {
            let value = command.name.clone();
            return Err(PlanArgumentError::LooksLikeAnOption {
                place: join(place, &command.property),
                value,
            });
        }
        self.argv.push(command.name.clone());
        let place = join(place, &command.property);
        match &command.node {
            Some(node) => self.node(node, value, &place),
            None => self.rest(value, &place),
        }
    }

    /// The words of a subcommand that has no description, unchanged.
    fn rest(&mut self, value: &Json, place: &str) -> Result<(), PlanArgumentError> {
        let Some(members) = value.as_object() else {
            return Err(PlanArgumentError::NotAnObject { place: place.into(), found: value.kind() });
        };
        if let Some(name) = members.keys().find(|name| *name != WORDS) {
            return Err(PlanArgumentError::Unknown(join(place, name)));
        }
        let Some(words) = members.get(WORDS).filter(|words| !words.is_null()) else { return Ok(()) };
        for word in listed(words, &join(place, WORDS))? {
            self.push(single(word, &super::PlanValueKind::Text, place)?, place)?;
        }
        Ok(())
    }

    fn option(&mut self, option: &PlanOption, value: &Json, place: &str) -> Result<(), PlanArgumentError> {
        match &option.takes {
            OptionArgument::Nothing(off) => match (switch(value, place)?, off) {
                (true, _) => self.flag(&option.flag),
                (false, SwitchOffForm::Flag(flag)) => self.flag(flag),
                (false, SwitchOffForm::Omit) => {}
            },
            OptionArgument::Count => {
                let times = match value.as_bool() {
                    Some(on) => usize::from(on),
                    None => super::value::count(value, place)?,
                };
                for _ in 0..times {
                    self.flag(&option.flag);
                }
            }
            OptionArgument::Value { kind, times, bare, .. } => {
                let alone =
                    value.as_bool().or_else(|| value.as_str().filter(|text| text.is_empty()).map(|_| true));
                match alone.filter(|_| *bare) {
                    Some(true) => {
                        self.flag(&option.flag);
                        self.greedy = is_open(option);
                        return Ok(());
                    }
                    Some(false) => return Ok(()),
                    None => {}
                }
                let values = match times {
                    OptionValueCount::Once => vec![value],
                    OptionValueCount::Occurrences
                    | OptionValueCount::Values
                    | OptionValueCount::Exactly(_) => listed(value, place)?,
                };
                let values: Result<Vec<String>, PlanArgumentError> =
                    values.into_iter().map(|value| single(value, kind, place)).collect();
                self.values(option, *times, values?, place)?;
            }
        }
        Ok(())
    }

    fn values(
        &mut self,
        option: &PlanOption,
        times: OptionValueCount,
        values: Vec<String>,
        place: &str,
    ) -> Result<(), PlanArgumentError> {
        match times {
            OptionValueCount::Once | OptionValueCount::Occurrences => {
                for value in values {
                    self.joined(option, value, place)?;
                }
            }
            OptionValueCount::Exactly(count) if values.len() != usize::from(count) => {
                return Err(PlanArgumentError::Count {
                    place: place.into(),
                    takes: count.to_string(),
                    found: values.len(),
                });
            }
            OptionValueCount::Values | OptionValueCount::Exactly(_) => {
                if values.is_empty() {
                    return Ok(());
                }
                self.flag(&option.flag);
                for value in values {
                    if looks_like_an_option(&value) {
                        return Err(PlanArgumentError::LooksLikeAnOption { place: place.into(), value });
                    }
                    self.push(value, place)?;
                }
                self.greedy = times == OptionValueCount::Values;
            }
        }
        Ok(())
    }

    /// One option with one value, joined so that the value stays one.
    fn joined(&mut self, option: &PlanOption, value: String, place: &str) -> Result<(), PlanArgumentError> {
        let OptionArgument::Value { glue, equals, .. } = &option.takes else { return Ok(()) };
        let short = option.flag.chars().count() == 2;
        let glue = match glue {
            OptionValueJoin::Space if !looks_like_an_option(&value) || !*equals => OptionValueJoin::Space,
            OptionValueJoin::Space if short => OptionValueJoin::Attached,
            OptionValueJoin::Space => OptionValueJoin::Equals,
            OptionValueJoin::Attached if value.is_empty() => OptionValueJoin::Space,
            glue => *glue,
        };
        match glue {
            OptionValueJoin::Space => {
                self.flag(&option.flag);
                self.push(value, place)?;
            }
            OptionValueJoin::Equals => {
                self.greedy = false;
                self.push(format!("{}={value}", option.flag), place)?;
            }
            OptionValueJoin::Attached => {
                self.greedy = false;
                self.push(format!("{}{value}", option.flag), place)?;
            }
        }
        Ok(())
    }

    fn steps(
        &mut self,
        node: &CommandNode,
        members: &JsonObject,
        place: &str,
        command: bool,
    ) -> Result<(), PlanArgumentError> {
        let mut words: Vec<(String, String)> = Vec::new();
        let mut stated = false;
        let start = self.argv.len();
        let used = |step: &PlanArgument| matches!(step, PlanArgument::Position(position) if members.get(&position.property).is_some_and(|value| !value.is_null()));
        let any = node.steps.iter().any(used);
        for step in &node.steps {
            match step {
                // Literal words between positions are written if the call has any
                // positions, or no subcommand.
                PlanArgument::Literal(word) if any || !command => words.push((word.clone(), String::new())),
                PlanArgument::Dashes if any => stated = true,
                PlanArgument::Literal(_) | PlanArgument::Dashes => {}
                PlanArgument::Position(position) => {
                    let at = join(place, &position.property);
                    let value = members.get(&position.property).filter(|value| !value.is_null());
                    let Some(value) = value else {
                        if position.need == PlanNeed::Required
                            && !(command && node.command == PlanNeed::Optional)
                        {
                            return Err(PlanArgumentError::Missing(at));
                        }
                        continue;
                    };
                    let absent = |name: &&String| members.get(name).is_none_or(Json::is_null);
                    if let Some(before) = position.after.iter().find(absent) {
                        return Err(PlanArgumentError::Gap { place: at, before: join(place, before) });
                    }
                    let values = if position.many { listed(value, &at)? } else { vec![value] };
                    if values.is_empty() && position.need == PlanNeed::Required {
                        return Err(PlanArgumentError::Count {
                            place: at,
                            takes: "one or more".into(),
                            found: 0,
                        });
                    }
                    for value in values {
                        words.push((single(value, &position.kind, &at)?, at.clone()));
                    }
                }
            }
        }
        let odd = words.iter().find(|(word, place)| !place.is_empty() && looks_like_an_option(word));
        let needs = stated || odd.is_some() || (self.greedy && !words.is_empty());
        if needs && !stated && !node.dashes {
            let (value, place) = odd.or(words.first()).cloned().unwrap_or_default();
            return Err(PlanArgumentError::LooksLikeAnOption { place, value });
        }
        if needs {
            self.argv.insert(start, "--".into());
            self.greedy = false;
        }
        for (word, place) in words {
            self.push(word, &place)?;
        }
        Ok(())
    }

    fn flag(&mut self, flag: &str) {
        self.greedy = false;
        self.argv.push(flag.into());
    }

    fn push(&mut self, word: String, place: &str) -> Result<(), PlanArgumentError> {
        if word.contains('\0') {
            return Err(PlanArgumentError::ZeroByte(place.into()));
        }
        if self.argv.len() > MAX_WORDS {
            return Err(PlanArgumentError::TooLong);
        }
        self.argv.push(word);
        Ok(())
    }
}

/// Whether a program that sees this word before `--` takes it for an option.
fn looks_like_an_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Whether an option takes as many words as follow.
fn is_greedy(option: &PlanOption) -> bool {
    matches!(option.takes, OptionArgument::Value { times: OptionValueCount::Values, .. }) || is_open(option)
}

/// Whether an option without its value would take the next word for it.
fn is_open(option: &PlanOption) -> bool {
    matches!(option.takes, OptionArgument::Value { bare: true, glue: OptionValueJoin::Space, .. })
}

fn known(node: &CommandNode, members: &JsonObject, place: &str) -> Result<(), PlanArgumentError> {
    let mut names: BTreeSet<&str> = node.options.iter().map(|option| option.property.as_str()).collect();
    names.extend(node.commands.iter().map(|command| command.property.as_str()));
    names.extend(node.steps.iter().filter_map(|step| match step {
        PlanArgument::Position(position) => Some(position.property.as_str()),
        PlanArgument::Literal(_) | PlanArgument::Dashes => None,
    }));
    match members.keys().find(|name| !names.contains(name.as_str())) {
        Some(name) => Err(PlanArgumentError::Unknown(join(place, name))),
        None => Ok(()),
    }
}

fn chosen<'a>(
    node: &'a CommandNode,
    members: &'a JsonObject,
    place: &str,
) -> Result<Option<(&'a PlanSubcommand, &'a Json)>, PlanArgumentError> {
    let mut chosen: Option<(&PlanSubcommand, &Json)> = None;
    for command in &node.commands {
        let Some(value) = members.get(&command.property).filter(|value| !value.is_null()) else { continue };
        if let Some((first, _)) = chosen {
            let (first, second) = (join(place, &first.property), join(place, &command.property));
            return Err(PlanArgumentError::TwoCommands { first, second });
        }
        chosen = Some((command, value));
    }
    if chosen.is_none() && node.command == PlanNeed::Required {
        let choices: Vec<&str> =
            node.commands.iter().take(20).map(|command| command.property.as_str()).collect();
        return Err(PlanArgumentError::NoCommand { place: place.into(), choices: choices.join(", ") });
    }
    Ok(chosen)
}

fn join(place: &str, name: &str) -> String {
    if place == "arguments" { name.into() } else { format!("{place}.{name}") }
}
