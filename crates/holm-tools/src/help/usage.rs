//! Finds usage lines in the text, splits them, and reads them with the known options and commands.
//! The grammar of a line is in `pattern.rs`. It decides which words are positions, options, literal
//! words or the place of a subcommand; descriptions of positions are added in `positions.rs`. The
//! number of forms and their length are bounded.

use super::draft::{
    OptionDraft, PositionDraft, StepDraft, SubcommandSelector, UsageForm, ValueDraft, ValueRepetition,
};
use super::limits::{MAX_FORMS, MAX_OPTIONS, MAX_POSITIONS, MAX_USAGE};
use super::lines::{HelpLine, gap};
use super::pattern::{self, EllipsisStyle, UsageAtom, UsageBranch, UsageItem};
use super::plan::OptionValueJoin;
use super::section::HelpSection;
use super::spec;
use super::value::{enclosed, is_shouted};

/// Placeholders for all options in a usage line.
const ALL_OPTIONS: &[&str] = &[
    "option",
    "options",
    "opts",
    "flag",
    "flags",
    "switches",
    "long options",
    "long-options",
    "global options",
    "command options",
    "global flags",
    "args and options",
];

/// Placeholders for a subcommand, if the program has subcommands.
const SELECTORS: &[&str] = &["command", "subcommand", "cmd", "commands", "subcommands"];

/// Words that stand for all arguments of a subcommand.
const REMAINDER: &[&str] =
    &["args", "arg", "arguments", "command options", "options", "flags", "subcommand options"];

/// The usage lines of a section, each with its continuations, and the lines of the
/// section that are none.
pub(super) fn forms(section: &HelpSection) -> (Vec<String>, Vec<HelpLine>) {
    let mut forms: Vec<String> = Vec::new();
    let mut others = Vec::new();
    let mut length = 0;
    let mut push = |forms: &mut Vec<String>, text: &str, again: bool| {
        length += text.len();
        if length > MAX_USAGE {
            return;
        }
        if let Some(form) = forms.last_mut().filter(|_| again) {
            form.push(' ');
            form.push_str(text);
        } else if forms.len() < MAX_FORMS {
            forms.push(text.into());
        }
    };
    if !section.rest.is_empty() {
        push(&mut forms, &section.rest, false);
    }
    let mut lines = section.lines.iter();
    for line in lines.by_ref() {
        if line.is_blank() && forms.is_empty() {
            continue;
        }
        let ends = line.is_blank()
            || (line.indent <= section.indent && !(forms.is_empty() && line.indent == section.indent))
            || (spec::is_start(line) && gap(&line.text).is_some());
        if ends {
            others.push(line.clone());
            break;
        }
        let text = line.text.as_str();
        let or = text.strip_prefix("or:").or_else(|| text.strip_prefix("or "));
        match or {
            Some(text) => push(&mut forms, text.trim(), false),
            None => {
                let again = !forms.is_empty() && !same_program(&forms, text);
                push(&mut forms, text, again);
            }
        }
    }
    others.extend(lines.cloned());
    (forms, others)
}

/// Whether a line begins with the program that the first line begins with.
fn same_program(forms: &[String], text: &str) -> bool {
    let first = |text: &str| text.trim_start_matches("$ ").split(' ').next().unwrap_or_default().to_owned();
    forms.first().is_some_and(|form| first(form) == first(text))
}

/// The known options and commands with which usage lines are read.
pub(super) struct UsageLineContext<'a> {
    /// The words that the help was asked with, after the program's name.
    pub path: &'a [String],
    pub options: &'a mut Vec<OptionDraft>,
    /// Names under the arguments' title, in lower case.
    pub arguments: &'a [String],
    /// Names of the subcommands.
    pub commands: &'a [String],
    /// Whether some line writes its positions in angle brackets, so that a plain word is itself.
    pub angled: bool,
}

/// Reads one usage line.
pub(super) fn read(text: &str, known: &mut UsageLineContext<'_>) -> UsageForm {
    let mut walk = UsageWalk { form: UsageForm::default(), known, chosen: false };
    let branches = pattern::read(text.trim_start_matches("$ "));
    let single = branches.len() == 1;
    for branch in &branches {
        let place = if single { UsageNeed::Needed } else { UsageNeed::Optional };
        let skip = walk.prefix(branch);
        walk.branch(branch.get(skip..).unwrap_or_default(), place, UsageNesting::Line);
    }
    let mut form = walk.form;
    // Leading words choose the action; words after a position are literal words.
    let leading = form.steps.iter().take_while(|step| matches!(step, StepDraft::Literal(_))).count();
    form.path = form
        .steps
        .drain(..leading)
        .filter_map(|step| if let StepDraft::Literal(word) = step { Some(word) } else { None })
        .collect();
    form
}

/// Whether an element of a usage line is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UsageNeed {
    Needed,
    Optional,
}

/// The element that contains the items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UsageNesting {
    Line,
    Group,
    /// A group with an ellipsis after it.
    Repeated,
}

struct UsageWalk<'a, 'b> {
    form: UsageForm,
    known: &'a mut UsageLineContext<'b>,
    /// Whether the subcommand has been seen. Everything after it belongs to the subcommand.
    chosen: bool,
}

impl UsageWalk<'_, '_> {
    /// How many items name the program and the words it was asked with.
    fn prefix(&self, branch: &UsageBranch) -> usize {
        let is = |item: Option<&UsageItem>, word: &str| match item.map(|item| &item.atom) {
            Some(UsageAtom::Word(text)) => text == word,
            Some(UsageAtom::Group { branches, .. }) => {
                branches.iter().flatten().any(|item| item.atom == UsageAtom::Word(word.into()))
            }
            _ => false,
        };
        let mut skip = 1;
        for word in self.known.path {
            if is(branch.get(skip), word) {
                skip += 1;
            }
        }
        skip
    }

    fn branch(&mut self, items: &[UsageItem], place: UsageNeed, inside: UsageNesting) {
        let mut at = 0;
        while let Some(item) = items.get(at) {
            at += 1;
            match &item.atom {
                UsageAtom::Option(word) => {
                    let rest = items.get(at..).unwrap_or_default();
                    let alone = inside != UsageNesting::Line && at == 1;
                    at += self.option(
                        word,
                        item.repeat,
                        rest,
                        place,
                        if alone { inside } else { UsageNesting::Line },
                    );
                }
                UsageAtom::Dashes => {
                    if place == UsageNeed::Needed {
                        self.form.steps.push(StepDraft::Dashes);
                    }
                }
                UsageAtom::Word(word) => self.word(word, item.repeat, place, inside),
                UsageAtom::Group { optional, branches } => {
                    self.group(*optional, branches, item.repeat, place);
                }
            }
        }
    }

    fn group(&mut self, optional: bool, branches: &[UsageBranch], repeat: EllipsisStyle, place: UsageNeed) {
        let place = if optional { UsageNeed::Optional } else { place };
        let inside = if repeat == EllipsisStyle::No { UsageNesting::Group } else { UsageNesting::Repeated };
        if let [branch] = branches {
            if stands_for_options(branch) {
                self.form.all_options = true;
                return;
            }
            return self.branch(branch, place, inside);
        }
        if self.alias(branches) {
            return;
        }
        let words: Option<Vec<&str>> = branches.iter().map(single_word).collect();
        match words {
            Some(words) if words.iter().all(|word| is_literal(word)) => {
                let position = PositionDraft {
                    name: words.join("_or_"),
                    required: place == UsageNeed::Needed,
                    many: inside == UsageNesting::Repeated,
                    choices: words.iter().map(ToString::to_string).collect(),
                    ..PositionDraft::default()
                };
                self.position(position);
            }
            Some(words) => {
                let name = words.iter().map(|word| plain(word)).collect::<Vec<_>>().join("_or_");
                let many = inside == UsageNesting::Repeated;
                self.position(PositionDraft {
                    name,
                    required: place == UsageNeed::Needed,
                    many,
                    ..PositionDraft::default()
                });
            }
            None => {
                for branch in branches {
                    self.branch(branch, UsageNeed::Optional, inside);
                }
            }
        }
    }

    /// `[-v | --version]` is one option, if nothing else is known about it.
    fn alias(&mut self, branches: &[UsageBranch]) -> bool {
        let [short, long] = branches else { return false };
        let (
            [UsageItem { atom: UsageAtom::Option(short), .. }],
            [UsageItem { atom: UsageAtom::Option(long), .. }],
        ) = (short.as_slice(), long.as_slice())
        else {
            return false;
        };
        let fresh = !self.known.options.iter().any(|option| option.is(short) || option.is(long));
        let pair = short.chars().count() == 2 && long.starts_with("--") && !long.contains(['=', '[', '<']);
        if !fresh || !pair || self.known.options.len() >= MAX_OPTIONS {
            return false;
        }
        self.form.options.push((long.clone(), false));
        let names = vec![short.clone(), long.clone()];
        self.known.options.push(OptionDraft { names, ..OptionDraft::default() });
        true
    }

    /// Notes an option, and returns how many of the following items are its value.
    fn option(
        &mut self,
        word: &str,
        repeat: EllipsisStyle,
        rest: &[UsageItem],
        place: UsageNeed,
        inside: UsageNesting,
    ) -> usize {
        let line =
            HelpLine { indent: 1, text: word.into(), frame: super::lines::HelpFrame::None, star: false };
        let mut shown = spec::read(&line, spec::OptionBody::Text).option;
        let Some(name) = shown.names.first().cloned() else { return 0 };
        let found = self.known.options.iter().position(|option| option.is(&name));
        if found.is_none() && shown.value.is_none() && self.cluster(&name) {
            return 0;
        }
        let takes = found.and_then(|at| self.known.options.get(at)).map(|option| option.value.clone());
        let mut used = 0;
        if shown.value.is_none() {
            used = value_among(&name, takes.as_ref(), rest, inside, &mut shown);
        }
        let again = repeat != EllipsisStyle::No || inside == UsageNesting::Repeated;
        if let Some(value) = shown.value.as_mut().filter(|_| again) {
            value.many = ValueRepetition::Occurrences;
        }
        shown.repeat |= again && shown.value.is_none();
        self.form.options.push((name, place == UsageNeed::Needed));
        let room = self.known.options.len() < MAX_OPTIONS;
        match found.and_then(|at| self.known.options.get_mut(at)) {
            Some(option) => complete(option, shown),
            None if room => self.known.options.push(shown),
            None => {}
        }
        used
    }

    /// `[-abc]` means three switches.
    fn cluster(&mut self, name: &str) -> bool {
        let letters = name.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        let several =
            letters.chars().count() > 1 && letters.chars().all(|c| c.is_ascii_alphanumeric() || c == '?');
        // A word such as `-help` or `-port` is one option where no letter of it is known.
        let known = |c: char| self.known.options.iter().any(|option| option.is(&format!("-{c}")));
        let words =
            self.known.options.iter().any(|option| option.names.iter().any(|name| is_word_flag(name)));
        if !several || words || (!self.known.options.is_empty() && !letters.chars().any(known)) {
            return false;
        }
        for c in letters.chars().filter(char::is_ascii_alphanumeric) {
            let name = format!("-{c}");
            if !self.known.options.iter().any(|option| option.is(&name))
                && self.known.options.len() < MAX_OPTIONS
            {
                self.known.options.push(OptionDraft { names: vec![name.clone()], ..OptionDraft::default() });
            }
            self.form.options.push((name, false));
        }
        true
    }

    fn word(&mut self, word: &str, repeat: EllipsisStyle, place: UsageNeed, inside: UsageNesting) {
        let inner = word.contains("...") || word.trim_end_matches(['>', ']']).ends_with("..");
        let many = repeat != EllipsisStyle::No || inside == UsageNesting::Repeated || inner;
        let name = plain(word);
        let lower = name.to_lowercase();
        if ALL_OPTIONS.contains(&lower.as_str()) && !self.known.arguments.contains(&lower) {
            self.form.all_options = true;
            return;
        }
        if self.chosen && REMAINDER.contains(&lower.as_str()) {
            return;
        }
        if self.selects(word, &lower, repeat) {
            self.chosen = true;
            let selector = if place == UsageNeed::Needed {
                SubcommandSelector::Required
            } else {
                SubcommandSelector::Optional
            };
            self.form.selector = Some(selector);
            return;
        }
        let list = enclosed(word, '{', '}').filter(|inner| inner.contains([',', '|']));
        let choices =
            list.map(|inner| super::choices::listed(inner, if inner.contains('|') { '|' } else { ',' }));
        let listed = self.known.arguments.contains(&lower);
        // Plain words are themselves only where positions are written otherwise.
        if choices.is_none()
            && is_literal(word)
            && !listed
            && self.known.angled
            && inside == UsageNesting::Line
        {
            if lower != "or" && self.form.steps.len() < MAX_POSITIONS {
                self.form.steps.push(StepDraft::Literal(word.into()));
            }
            return;
        }
        // `{word}` alone is a position by typer, and in old texts a word that may be missing.
        let braced = choices.is_none() && word.starts_with('{');
        // plumbum: a plain word with dots stands for the rest, which may be empty.
        let rest = many && is_literal(word) && !listed;
        let required = place == UsageNeed::Needed && (!braced || listed) && !rest;
        let loose = braced && !listed;
        let name = choices.as_ref().filter(|list| list.len() <= 3).map_or(name, |list| list.join("_or_"));
        let choices = choices.unwrap_or_default();
        let name = if name.contains([',', '|']) { "choice".into() } else { name };
        self.position(PositionDraft { name, required, many, choices, loose, ..PositionDraft::default() });
    }

    /// Whether a word is a placeholder for the subcommand.
    fn selects(&self, word: &str, lower: &str, repeat: EllipsisStyle) -> bool {
        if self.known.commands.is_empty() || self.chosen {
            return false;
        }
        let listed = enclosed(word, '{', '}').is_some_and(|inner| {
            inner
                .split([',', '|'])
                .any(|name| self.known.commands.iter().any(|command| command == name.trim()))
        });
        // argparse: any name, with dots as a separate word.
        let apart =
            repeat == EllipsisStyle::Apart && !lower.is_empty() && !word.starts_with('<') && is_shouted(word);
        SELECTORS.contains(&lower) || listed || apart
    }

    fn position(&mut self, position: PositionDraft) {
        if position.name.is_empty() || self.form.steps.len() >= MAX_POSITIONS {
            return;
        }
        // `FILE [FILE ...]`: one or more.
        if let Some(StepDraft::Position(last)) = self.form.steps.last_mut()
            && last.name.eq_ignore_ascii_case(&position.name)
        {
            last.many = true;
            return;
        }
        self.form.steps.push(StepDraft::Position(position));
    }
}

/// Finds the value of an option among the following items.
fn value_among(
    name: &str,
    takes: Option<&Option<ValueDraft>>,
    rest: &[UsageItem],
    inside: UsageNesting,
    shown: &mut OptionDraft,
) -> usize {
    let count = match takes {
        Some(Some(value)) if value.glue == Some(OptionValueJoin::Equals) && value.optional => 0,
        Some(Some(value)) => value.names.len().max(1),
        // In brackets of its own, everything that follows belongs to the option.
        _ if inside != UsageNesting::Line => rest.len().min(4),
        _ => usize::from(rest.first().is_some_and(|item| same_name(name, item))),
    };
    let mut value: Option<ValueDraft> = None;
    let mut used = 0;
    for item in rest.iter().take(count) {
        let Some(word) = value_word(item) else { break };
        used += 1;
        let mut read = ValueDraft::read(&word, OptionValueJoin::Space);
        if item.repeat != EllipsisStyle::No {
            read.many = ValueRepetition::Values;
        }
        match &mut value {
            None => value = Some(read),
            Some(value) => value.join(read),
        }
    }
    shown.value = value.filter(|value| !value.names.is_empty());
    used
}

/// Completes an option from the list with what a usage line shows.
fn complete(option: &mut OptionDraft, shown: OptionDraft) {
    option.repeat |= shown.repeat && option.value.is_none();
    match (&mut option.value, shown.value) {
        (Some(value), Some(shown)) if shown.many == ValueRepetition::Occurrences => {
            value.many = ValueRepetition::Occurrences;
        }
        (None, Some(shown)) => option.value = Some(shown),
        (Some(_) | None, _) => {}
    }
}

/// Whether words in brackets are a placeholder for all options, as in `[global options]`.
fn stands_for_options(branch: &UsageBranch) -> bool {
    let words: Option<Vec<String>> = branch
        .iter()
        .map(|item| match &item.atom {
            UsageAtom::Word(word) => Some(plain(word).to_lowercase()),
            UsageAtom::Option(_) | UsageAtom::Dashes | UsageAtom::Group { .. } => None,
        })
        .collect();
    words.is_some_and(|words| words.len() > 1 && ALL_OPTIONS.contains(&words.join(" ").as_str()))
}

fn single_word(branch: &UsageBranch) -> Option<&str> {
    match branch.as_slice() {
        [UsageItem { atom: UsageAtom::Word(word), repeat: EllipsisStyle::No }] => Some(word),
        _ => None,
    }
}

/// The text of an item that can be a value: a word, or a bracket around words.
fn value_word(item: &UsageItem) -> Option<String> {
    match &item.atom {
        UsageAtom::Word(word) => Some(word.clone()),
        UsageAtom::Group { optional: true, branches } => {
            let [branch] = branches.as_slice() else {
                let words: Option<Vec<&str>> = branches.iter().map(single_word).collect();
                return words.map(|words| format!("[{}]", words.join("|")));
            };
            let first = branch.first()?;
            let UsageAtom::Word(word) = &first.atom else { return None };
            let dots = branch.iter().any(|item| item.repeat != EllipsisStyle::No) || branch.len() > 1;
            Some(format!("[{word}{}]", if dots { " ..." } else { "" }))
        }
        UsageAtom::Group { .. } | UsageAtom::Option(_) | UsageAtom::Dashes => None,
    }
}

/// Whether an item is called like the option before it, as in `--height <height>`.
fn same_name(option: &str, item: &UsageItem) -> bool {
    let fold = |text: &str| text.to_lowercase().replace('_', "-");
    value_word(item).is_some_and(|word| fold(&plain(&word)) == fold(option.trim_start_matches('-')))
}

/// The name in a word, without brackets and dots.
pub(super) fn plain(word: &str) -> String {
    word.trim_matches(|c| {
        matches!(c, '<' | '>' | '[' | ']' | '{' | '}' | '(' | ')' | '.' | '…' | ' ' | '"' | '\'' | '=')
    })
    .trim()
    .to_owned()
}

/// Whether a word of a usage line can be literal.
pub(super) fn is_literal(word: &str) -> bool {
    word.starts_with(|c: char| c.is_lowercase())
        && word.chars().all(|c| c.is_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | ':'))
}

/// A flag of one dash and several letters, as Go's flag package has them.
fn is_word_flag(name: &str) -> bool {
    !name.starts_with("--") && name.chars().count() > 2
}
