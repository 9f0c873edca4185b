//! Turns arguments into the words of a command line.

use std::collections::BTreeSet;

use holm_guards::json::{Json, Object};

use super::value::{listed, single, switch};
use super::{CallPlan, Command, Glue, Need, Node, Off, Opt, Step, Takes, Times, WORDS};
use crate::help::error::CallError;
use crate::help::limits::{MAX_WORD, MAX_WORDS};

impl CallPlan {
    /// The words of a call, after the program's own name.
    ///
    /// # Errors
    ///
    /// If arguments are missing, unknown or of the wrong type, or if the program could not
    /// tell them from options.
    pub fn argv(&self, arguments: &Json) -> Result<Vec<String>, CallError> {
        let mut words = Words { argv: Vec::new(), greedy: false };
        words.node(&self.root, arguments, "arguments")?;
        let bounded = words.argv.len() <= MAX_WORDS && words.argv.iter().all(|word| word.len() <= MAX_WORD);
        if bounded { Ok(words.argv) } else { Err(CallError::TooLong) }
    }
}

struct Words {
    argv: Vec<String>,
    /// Whether the last option would also take the words that follow its own.
    greedy: bool,
}

impl Words {
    fn node(&mut self, node: &Node, arguments: &Json, place: &str) -> Result<(), CallError> {
        let Some(members) = arguments.as_object() else {
            return Err(CallError::NotAnObject { place: place.into(), found: arguments.kind() });
        };
        known(node, members, place)?;
        // Options that take any number of words come first: another option after
        // them ends their list.
        let (greedy, plain): (Vec<&Opt>, Vec<&Opt>) =
            node.options.iter().partition(|option| is_greedy(option));
        for option in greedy.into_iter().chain(plain) {
            let at = join(place, &option.property);
            match members.get(&option.property).filter(|value| !value.is_null()) {
                Some(value) => self.option(option, value, &at)?,
                None if option.need == Need::Required => return Err(CallError::Missing(at)),
                None => {}
            }
        }
        let chosen = chosen(node, members, place)?;
        self.steps(node, members, place, chosen.is_some())?;
        let Some((command, value)) = chosen else { return Ok(()) };
        if self.greedy {
            let value = command.name.clone();
            return Err(CallError::LooksLikeAnOption { place: join(place, &command.property), value });
        }
        self.argv.push(command.name.clone());
        let place = join(place, &command.property);
        match &command.node {
            Some(node) => self.node(node, value, &place),
            None => self.rest(value, &place),
        }
    }

    /// The words of a subcommand that has no description, unchanged.
    fn rest(&mut self, value: &Json, place: &str) -> Result<(), CallError> {
        let Some(members) = value.as_object() else {
            return Err(CallError::NotAnObject { place: place.into(), found: value.kind() });
        };
        if let Some(name) = members.keys().find(|name| *name != WORDS) {
            return Err(CallError::Unknown(join(place, name)));
        }
        let Some(words) = members.get(WORDS).filter(|words| !words.is_null()) else { return Ok(()) };
        for word in listed(words, &join(place, WORDS))? {
            self.push(single(word, &super::Kind::Text, place)?, place)?;
        }
        Ok(())
    }

    fn option(&mut self, option: &Opt, value: &Json, place: &str) -> Result<(), CallError> {
        match &option.takes {
            Takes::Nothing(off) => match (switch(value, place)?, off) {
                (true, _) => self.flag(&option.flag),
                (false, Off::Flag(flag)) => self.flag(flag),
                (false, Off::Omit) => {}
            },
            Takes::Count => {
                let times = match value.as_bool() {
                    Some(on) => usize::from(on),
                    None => super::value::count(value, place)?,
                };
                for _ in 0..times {
                    self.flag(&option.flag);
                }
            }
            Takes::Value { kind, times, bare, .. } => {
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
                    Times::Once => vec![value],
                    Times::Occurrences | Times::Values | Times::Exactly(_) => listed(value, place)?,
                };
                let values: Result<Vec<String>, CallError> =
                    values.into_iter().map(|value| single(value, kind, place)).collect();
                self.values(option, *times, values?, place)?;
            }
        }
        Ok(())
    }

    fn values(
        &mut self,
        option: &Opt,
        times: Times,
        values: Vec<String>,
        place: &str,
    ) -> Result<(), CallError> {
        match times {
            Times::Once | Times::Occurrences => {
                for value in values {
                    self.joined(option, value, place)?;
                }
            }
            Times::Exactly(count) if values.len() != usize::from(count) => {
                return Err(CallError::Count {
                    place: place.into(),
                    takes: count.to_string(),
                    found: values.len(),
                });
            }
            Times::Values | Times::Exactly(_) => {
                if values.is_empty() {
                    return Ok(());
                }
                self.flag(&option.flag);
                for value in values {
                    if looks_like_an_option(&value) {
                        return Err(CallError::LooksLikeAnOption { place: place.into(), value });
                    }
                    self.push(value, place)?;
                }
                self.greedy = times == Times::Values;
            }
        }
        Ok(())
    }

    /// One option with one value, joined so that the value stays one.
    fn joined(&mut self, option: &Opt, value: String, place: &str) -> Result<(), CallError> {
        let Takes::Value { glue, equals, .. } = &option.takes else { return Ok(()) };
        let short = option.flag.chars().count() == 2;
        let glue = match glue {
            Glue::Space if !looks_like_an_option(&value) || !*equals => Glue::Space,
            Glue::Space if short => Glue::Attached,
            Glue::Space => Glue::Equals,
            Glue::Attached if value.is_empty() => Glue::Space,
            glue => *glue,
        };
        match glue {
            Glue::Space => {
                self.flag(&option.flag);
                self.push(value, place)?;
            }
            Glue::Equals => {
                self.greedy = false;
                self.push(format!("{}={value}", option.flag), place)?;
            }
            Glue::Attached => {
                self.greedy = false;
                self.push(format!("{}{value}", option.flag), place)?;
            }
        }
        Ok(())
    }

    fn steps(&mut self, node: &Node, members: &Object, place: &str, command: bool) -> Result<(), CallError> {
        let mut words: Vec<(String, String)> = Vec::new();
        let mut stated = false;
        let start = self.argv.len();
        let used = |step: &Step| matches!(step, Step::Position(position) if members.get(&position.property).is_some_and(|value| !value.is_null()));
        let any = node.steps.iter().any(used);
        for step in &node.steps {
            match step {
                // Literal words between positions are written if the call has any
                // positions, or no subcommand.
                Step::Literal(word) if any || !command => words.push((word.clone(), String::new())),
                Step::Dashes if any => stated = true,
                Step::Literal(_) | Step::Dashes => {}
                Step::Position(position) => {
                    let at = join(place, &position.property);
                    let value = members.get(&position.property).filter(|value| !value.is_null());
                    let Some(value) = value else {
                        if position.need == Need::Required && !(command && node.command == Need::Optional) {
                            return Err(CallError::Missing(at));
                        }
                        continue;
                    };
                    let absent = |name: &&String| members.get(name).is_none_or(Json::is_null);
                    if let Some(before) = position.after.iter().find(absent) {
                        return Err(CallError::Gap { place: at, before: join(place, before) });
                    }
                    let values = if position.many { listed(value, &at)? } else { vec![value] };
                    if values.is_empty() && position.need == Need::Required {
                        return Err(CallError::Count { place: at, takes: "one or more".into(), found: 0 });
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
            return Err(CallError::LooksLikeAnOption { place, value });
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

    fn push(&mut self, word: String, place: &str) -> Result<(), CallError> {
        if word.contains('\0') {
            return Err(CallError::ZeroByte(place.into()));
        }
        if self.argv.len() > MAX_WORDS {
            return Err(CallError::TooLong);
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
fn is_greedy(option: &Opt) -> bool {
    matches!(option.takes, Takes::Value { times: Times::Values, .. }) || is_open(option)
}

/// Whether an option without its value would take the next word for it.
fn is_open(option: &Opt) -> bool {
    matches!(option.takes, Takes::Value { bare: true, glue: Glue::Space, .. })
}

fn known(node: &Node, members: &Object, place: &str) -> Result<(), CallError> {
    let mut names: BTreeSet<&str> = node.options.iter().map(|option| option.property.as_str()).collect();
    names.extend(node.commands.iter().map(|command| command.property.as_str()));
    names.extend(node.steps.iter().filter_map(|step| match step {
        Step::Position(position) => Some(position.property.as_str()),
        Step::Literal(_) | Step::Dashes => None,
    }));
    match members.keys().find(|name| !names.contains(name.as_str())) {
        Some(name) => Err(CallError::Unknown(join(place, name))),
        None => Ok(()),
    }
}

fn chosen<'a>(
    node: &'a Node,
    members: &'a Object,
    place: &str,
) -> Result<Option<(&'a Command, &'a Json)>, CallError> {
    let mut chosen: Option<(&Command, &Json)> = None;
    for command in &node.commands {
        let Some(value) = members.get(&command.property).filter(|value| !value.is_null()) else { continue };
        if let Some((first, _)) = chosen {
            let (first, second) = (join(place, &first.property), join(place, &command.property));
            return Err(CallError::TwoCommands { first, second });
        }
        chosen = Some((command, value));
    }
    if chosen.is_none() && node.command == Need::Required {
        let choices: Vec<&str> =
            node.commands.iter().take(20).map(|command| command.property.as_str()).collect();
        return Err(CallError::NoCommand { place: place.into(), choices: choices.join(", ") });
    }
    Ok(chosen)
}

fn join(place: &str, name: &str) -> String {
    if place == "arguments" { name.into() } else { format!("{place}.{name}") }
}
