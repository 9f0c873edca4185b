//! Reads one help text into a draft: decodes it, splits it into sections, reads each section, and
//! combines the results. Each kind of section is read by its own file in `help/`; this file only
//! decides their order, which matters: options and commands must be known before usage lines are
//! read.
//!
//! The draft becomes a plan in `plan_builder.rs`. Programs are started in `program/interface.rs`,
//! never here.

use std::collections::BTreeSet;

use holm_grants::Level;

use super::HelpProgram;
use crate::help::dialect::OptionDialect;
use crate::help::draft::{CommandDraft, HelpDraft, OptionDraft, PositionDraft, ValueDraft, ValueRepetition};
use crate::help::error::{HelpTextError, HelpTextErrorKind};
use crate::help::limits::{
    MAX_COMMANDS, MAX_DESCRIPTION, MAX_FORMS, MAX_KEYWORDS, MAX_OPTIONS, MAX_POSITIONS, MAX_USAGE,
};
use crate::help::lines::{HelpLine, lines};
use crate::help::marks::DescriptionMarks;
use crate::help::plan::{OptionValueJoin, PlanValueKind};
use crate::help::section::{HelpSection, HelpSectionKind, sections};
use crate::help::spec::OptionSpec;
use crate::help::usage::{self, UsageLineContext, plain};
use crate::help::{commands, decode, entry, positions, spec, value};
use crate::text::tidy;

/// Reads one help text.
pub(super) fn draft(program: &HelpProgram, bytes: &[u8]) -> Result<HelpDraft, HelpTextError> {
    let text = decode::decode(bytes)?;
    let mut parts = HelpParts::default();
    let mut draft = HelpDraft::default();
    let lines: Vec<HelpLine> = lines(&text).into_iter().filter(|line| !claim(line, &mut draft)).collect();
    let mut sections = sections(lines);
    headless(&mut sections, program);
    for section in &sections {
        parts.section(section, program);
    }
    draft.dialect = OptionDialect::detect(&text, &parts.usages);
    draft.options = parts.options();
    draft.commands = std::mem::take(&mut parts.commands);
    parts.nested(&mut draft.commands);
    draft.evidence =
        !parts.usages.is_empty() || !draft.commands.is_empty() || parts.listed || draft.options.len() > 1;
    if !draft.evidence {
        let begins = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Err(HelpTextError { why: HelpTextErrorKind::NothingFound { begins: tidy(begins, 80) } });
    }
    forms(&mut draft, &parts, program);
    (draft.about, draft.version) = about(&sections, &parts, program);
    Ok(draft)
}

/// The content of the sections, before it is combined.
#[derive(Default)]
struct HelpParts {
    usages: Vec<String>,
    specs: Vec<(OptionSpec, Vec<String>)>,
    positions: Vec<PositionDraft>,
    commands: Vec<CommandDraft>,
    /// Lines that belong to no option. They may hold lists without a title.
    others: Vec<HelpLine>,
    /// Lines right after the usage. They say what the program does if nothing
    /// before the usage does.
    after_usage: Vec<HelpLine>,
    /// Whether a title announced options or arguments.
    listed: bool,
}

impl HelpParts {
    fn section(&mut self, section: &HelpSection, program: &HelpProgram) {
        if section.kind == HelpSectionKind::Examples {
            return;
        }
        let mut lines = section.lines.clone();
        if section.kind == HelpSectionKind::Usage {
            let (forms, rest) = usage::forms(section);
            let room = MAX_FORMS.saturating_sub(self.usages.len());
            self.usages.extend(forms.into_iter().take(room));
            lines = rest;
        }
        let (specs, others) = entry::options(&lines);
        if section.kind == HelpSectionKind::Usage {
            let first = lines.iter().position(spec::is_start).unwrap_or(lines.len());
            self.after_usage.extend(lines.iter().take(first).cloned());
        }
        if section.kind == HelpSectionKind::Options {
            self.more_usage(&lines, section.indent);
        }
        self.listed |=
            !specs.is_empty() && matches!(section.kind, HelpSectionKind::Options | HelpSectionKind::Usage);
        match section.kind {
            HelpSectionKind::Commands => {
                self.commands.extend(commands::listed(&others, &program.name, &program.path));
            }
            HelpSectionKind::Arguments => {
                self.positions.extend(positions::listed(&others));
                self.listed |= !self.positions.is_empty();
            }
            HelpSectionKind::Usage | HelpSectionKind::Options | HelpSectionKind::Other => {
                self.positions.extend(positions::among_options(&others));
            }
            HelpSectionKind::Preamble
            | HelpSectionKind::About
            | HelpSectionKind::Name
            | HelpSectionKind::Examples => {}
        }
        self.positions.truncate(MAX_POSITIONS);
        self.specs.extend(specs);
        if section.kind != HelpSectionKind::Commands {
            self.others.extend(others);
        }
    }

    /// npm: lines of bracketed options under their title belong to the usage line.
    fn more_usage(&mut self, lines: &[HelpLine], indent: usize) {
        let bracketed = |line: &&HelpLine| line.indent == indent && line.text.starts_with("[-");
        let more: Vec<&str> = lines.iter().take_while(bracketed).map(|line| line.text.as_str()).collect();
        if let Some(usage) =
            self.usages.last_mut().filter(|usage| usage.len() < MAX_USAGE && !more.is_empty())
        {
            usage.push(' ');
            usage.push_str(&more.join(" "));
        }
    }

    /// The options with what their descriptions say.
    fn options(&self) -> Vec<OptionDraft> {
        let mut options: Vec<OptionDraft> = Vec::new();
        for (spec, body) in self.specs.iter().take(MAX_OPTIONS) {
            let mut option = spec.option.clone();
            describe(&mut option, DescriptionMarks::read(&spec.inline, body));
            let known = options.iter_mut().find(|known| option.names.iter().any(|name| known.is(name)));
            match known {
                // The same option again, as a table of two columns may show it.
                Some(known) if known.about.is_empty() => known.about = option.about,
                Some(_) => {}
                None if option.names.is_empty() => {}
                None => options.push(option),
            }
        }
        options
    }

    /// Finds commands that are listed under the word that chooses them, or without a title.
    fn nested(&mut self, commands: &mut Vec<CommandDraft>) {
        if !commands.is_empty() {
            let mut seen = BTreeSet::new();
            commands.retain(|command| seen.insert(command.name.clone()));
            commands.truncate(MAX_COMMANDS);
            return;
        }
        let words: Vec<&str> = self.usages.iter().flat_map(|usage| usage.split(' ')).collect();
        let next = words.iter().skip(1).copied().chain([""]);
        for (word, next) in words.iter().copied().zip(next) {
            let formal = word.starts_with('{') || value::is_shouted(word);
            if formal && next == "..." && !word.starts_with(['[', '-', '<']) {
                commands.extend(commands::nested(&self.others, word));
            } else if word.starts_with(['<', '['])
                && matches!(plain(word).to_lowercase().as_str(), "command" | "subcommand")
            {
                commands.extend(commands::loose(&self.others));
                // Another such word would find nothing more.
                return;
            }
            if !commands.is_empty() {
                return;
            }
        }
    }
}

/// Puts together what an option's description says.
fn describe(option: &mut OptionDraft, marks: DescriptionMarks) {
    option.about = marks.about;
    option.required |= marks.required;
    option.default = option.default.take().or(marks.default);
    option.repeat |= marks.counts;
    // typer names the spelling that holds without the option.
    let spelled =
        |names: &[String], text: &str| names.iter().any(|name| name.trim_start_matches('-') == text);
    if let Some(default) = option.default.take() {
        let on = spelled(&option.names, &default) && !option.off.is_empty();
        let off = spelled(&option.off, &default);
        option.default = Some(if on {
            "true".into()
        } else if off {
            "false".into()
        } else {
            default
        });
    }
    let switch = marks.kind == Some(PlanValueKind::Boolean) || marks.counts;
    let truth = option
        .default
        .as_deref()
        .is_some_and(|text| matches!(text.to_lowercase().as_str(), "true" | "false"));
    // Some libraries show no name for a value: a type, a default or choices tell that there is one.
    let implied = marks.valued
        || !marks.choices.is_empty()
        || (option.default.is_some() && !truth && option.off.is_empty());
    if option.value.is_none() && implied && !switch {
        option.value = Some(ValueDraft { glue: Some(OptionValueJoin::Space), ..ValueDraft::unnamed() });
    }
    let Some(value) = &mut option.value else { return };
    if value.choices.is_empty() {
        value.choices = marks.choices;
    }
    value.kind = value.kind.take().or(marks.kind);
    if let (ValueRepetition::One, Some(many)) = (value.many, marks.many) {
        value.many = many;
    }
}

fn forms(draft: &mut HelpDraft, parts: &HelpParts, program: &HelpProgram) {
    let arguments: Vec<String> =
        parts.positions.iter().map(|position| position.name.to_lowercase()).collect();
    let names: Vec<String> = draft.commands.iter().map(|command| command.name.clone()).collect();
    let angled = parts.usages.iter().any(|usage| usage.contains('<'));
    let mut known = UsageLineContext {
        path: &program.path,
        options: &mut draft.options,
        arguments: &arguments,
        commands: &names,
        angled,
    };
    let mut forms: Vec<_> = parts.usages.iter().map(|text| usage::read(text, &mut known)).collect();
    positions::describe(&mut forms, &parts.positions, &names);
    draft.forms = forms;
}

/// A program that prints its usage without saying so, in the first line.
fn headless(sections: &mut [HelpSection], program: &HelpProgram) {
    if sections.iter().any(|section| section.kind == HelpSectionKind::Usage) {
        return;
    }
    let Some(first) = sections.first_mut() else { return };
    let Some(at) = first.lines.iter().position(|line| !line.is_blank()) else { return };
    let Some(line) = first.lines.get(at) else { return };
    let stem = program.name.split('.').next().unwrap_or(&program.name);
    let word = line.text.split(' ').next().unwrap_or_default();
    let called = !stem.is_empty() && (word == program.name || word == stem);
    if called && line.text.contains(['<', '[', '{']) {
        first.kind = HelpSectionKind::Usage;
        first.rest = line.text.clone();
        first.lines.drain(..=at);
    }
}

/// Takes lines by which a program says under which words it should be found and how much it can do.
fn claim(line: &HelpLine, draft: &mut HelpDraft) -> bool {
    let Some((name, value)) = line.text.split_once(':') else { return false };
    match name.to_lowercase().replace([' ', '-', '_'], "").as_str() {
        "keywords" => {
            let words = value.split([',', ';']).map(|word| tidy(word, 64)).filter(|word| !word.is_empty());
            draft.keywords = words.take(MAX_KEYWORDS).collect();
            true
        }
        "permissionlevel" => {
            draft.level = level(value).or(draft.level);
            true
        }
        _ => false,
    }
}

fn level(text: &str) -> Option<Level> {
    match text.trim().to_lowercase().replace(['-', '_', ' '], "").as_str() {
        "none" => Some(Level::None),
        "readonly" | "read" => Some(Level::ReadOnly),
        "write" => Some(Level::Write),
        "execute" | "dangerous" | "forbidden" => Some(Level::Execute),
        _ => None,
    }
}

/// The program's purpose and its version, from the first place that states them.
fn about(sections: &[HelpSection], parts: &HelpParts, program: &HelpProgram) -> (String, Option<String>) {
    let mut version = None;
    let before: &[HelpLine] = match sections.first() {
        Some(section) if section.kind == HelpSectionKind::Preamble => &section.lines,
        _ => &[],
    };
    let named = sections
        .iter()
        .filter(|section| section.kind == HelpSectionKind::Name)
        .flat_map(|section| &section.lines);
    let said = sections
        .iter()
        .filter(|section| section.kind == HelpSectionKind::About)
        .flat_map(|section| &section.lines);
    let mut before = prose(before.iter(), program, &mut version);
    if before.is_empty() {
        before = prose(said, program, &mut version);
    }
    if before.is_empty() {
        before = prose(named, program, &mut version);
    }
    let after = prose(parts.after_usage.iter(), program, &mut version);
    if before.is_empty() || (is_banner(&before) && !after.is_empty()) {
        before = after;
    }
    (tidy(&before, MAX_DESCRIPTION), version)
}

/// Lines as paragraphs, without the line that only names the program and its version.
fn prose<'a>(
    lines: impl Iterator<Item = &'a HelpLine>,
    program: &HelpProgram,
    version: &mut Option<String>,
) -> String {
    let mut text = String::new();
    for line in lines {
        let mut line = line.text.as_str();
        // An underlined title does not belong to the paragraph before it.
        if !line.is_empty() && line.chars().all(|c| matches!(c, '=' | '-')) {
            let end = text.trim_end().rfind('\n').unwrap_or(0);
            text.truncate(end);
            break;
        }
        let ends = ["INFO:", "<", "[<", "Mandatory "].iter().any(|start| line.starts_with(start));
        if ends || spec::is_name(line) {
            break;
        }
        if text.trim().is_empty() {
            if let Some(found) = version_line(line, program) {
                *version = version.take().or(Some(found)).filter(|version| !version.is_empty());
                continue;
            }
            line = after_name(line, program);
        }
        if text.len() > MAX_DESCRIPTION * 4 {
            break;
        }
        match (line.is_empty(), text.is_empty() || text.ends_with('\n')) {
            (true, true) => {}
            (true, false) => text.push_str("\n\n"),
            (false, fresh) => {
                text.push_str(if fresh { "" } else { " " });
                text.push_str(line);
            }
        }
    }
    text.trim().into()
}

/// A single line with a version in it names the program but does not say what it does.
fn is_banner(text: &str) -> bool {
    let number = |word: &str| {
        let word = word.trim_start_matches(['v', '(', '[']);
        word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
    };
    !text.contains('\n') && text.split(' ').any(number)
}

/// `name 1.4.0`, `name/1.4.0`, `name v1.4.0` and nothing else.
fn version_line(line: &str, program: &HelpProgram) -> Option<String> {
    let mut words = line.split([' ', '/']).filter(|word| !word.is_empty());
    let name = words.next()?;
    let called =
        name == program.name || program.path.last().is_some_and(|last| name.ends_with(last.as_str()));
    let number = match words.next() {
        Some(word) => word.trim_start_matches('v'),
        None => return called.then(String::new).filter(|_| name.contains('-')),
    };
    let plain = number.starts_with(|c: char| c.is_ascii_digit()) && words.next().is_none();
    plain.then(|| number.into())
}

/// The text after `name - `, `name -- ` or `name: `.
fn after_name<'a>(line: &'a str, program: &HelpProgram) -> &'a str {
    let call = std::iter::once(&program.name).chain(&program.path).cloned().collect::<Vec<_>>().join(" ");
    let rest = line.strip_prefix(&call).or_else(|| line.strip_prefix(&program.name));
    let Some(rest) = rest else { return line };
    [" - ", " -- ", ": ", " — "].iter().find_map(|dash| rest.strip_prefix(dash)).unwrap_or(line).trim()
}
