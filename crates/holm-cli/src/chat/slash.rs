//! Parses slash commands: the built-in ones, aliases of the settings, and skills. It executes
//! nothing; `update/actions.rs` does. A new command needs an entry in `COMMANDS`, which is also its
//! help text. Only the text that the user typed may name files to attach, so it is kept apart from
//! the text of an alias or a skill.

use clap::ValueEnum as _;
use holm::grants::{Grant, Mode};

use holm_config::{
    TextTemplate,
    skills::{MOST_FILLED, SkillOverflowError},
};

use super::state::{CustomCommand, CustomCommandText, UserText};
use crate::folder_trust::TrustLevel;
use crate::prompt::{PromptTemplate, TemplateVariables, variable};

/// A built-in slash command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SlashCommand {
    Model(Option<String>),
    Compact,
    Undo,
    /// Goes back to before a message: files, conversation or both.
    Rewind,
    /// Takes the last rewind back.
    Redo,
    Plan(Option<String>),
    /// Carries out the plan.
    Build(PlanRevision),
    Cost,
    Mode(Option<Mode>),
    /// Grants something to this session.
    Grant(Grant),
    /// Shows or chooses what agents may do in the folder.
    Trust(Option<TrustLevel>),
    Fork,
    Search(String),
    Find(String),
    Sessions,
    Resume(Option<String>),
    New,
    Close,
    Export(Option<String>),
    Editor,
    Detail,
    Help,
    Quit,
    /// A skill, filled with its arguments.
    Say(UserText),
    /// An alias of the settings, with the typed text: its variables are not known here.
    Fill(PromptTemplate, String),
}

/// Whether a plan is edited before it is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanRevision {
    AsAnswered,
    /// As the user edits it.
    Edited,
}

/// Every command, what it takes and what it does.
#[rustfmt::skip]
pub(super) const COMMANDS: [(&str, &str, &str); 23] = [
    ("model", "NAME", "start a new session with another model"),
    ("compact", "", "summarise this session and continue in a new one with the summary"),
    ("undo", "", "restore the files of the last turn"),
    ("rewind", "", "go back to before a message, files too"),
    ("redo", "", "take the last rewind back"),
    ("plan", "[TEXT]", "plan without changing anything; /build carries the plan out"),
    ("build", "[edit]", "carry out the plan, unchanged or edited in $EDITOR"),
    ("cost", "", "show what this session has used"),
    ("mode", "[NAME]", "change the mode: plan, default, accept-edits, full"),
    ("trust", "[LEVEL]", "choose what agents may do in this folder: ask, look, edit, jail"),
    ("grant", "GRANT", "grant something to this session, such as write:src/**"),
    ("fork", "", "edit an earlier message, in a new session"),
    ("search", "WORDS", "search in this session"),
    ("find", "WORDS", "search in all sessions"),
    ("sessions", "", "show earlier sessions"),
    ("resume", "[ID]", "resume an earlier session"),
    ("new", "", "start another session"),
    ("close", "", "close this session's tab; the session is kept"),
    ("export", "[FILE]", "write this session as Markdown"),
    ("editor", "", "write in $EDITOR"),
    ("detail", "", "show calls in full, or in brief"),
    ("help", "", "show keys and commands"),
    ("quit", "", "leave"),
];

/// Where a custom command wants what was typed.
const CONTENT: &str = "{{content}}";

impl SlashCommand {
    /// What a line says, if it begins with a slash and a word. What is no command is told.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(line: &str, customs: &[CustomCommand]) -> Option<Result<Self, String>> {
        let rest = line.trim().strip_prefix('/')?;
        let (name, typed) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        // A path at the beginning of a sentence is no command.
        if name.is_empty() || name.contains('/') {
            return None;
        }
        let typed = typed.trim();
        let maybe = (!typed.is_empty()).then(|| typed.to_owned());
        let words = |what: &str| {
            maybe.clone().ok_or_else(|| {
                format!(
                    "/{name} {what}: type what to look \
                                                                      for"
                )
            })
        };
        Some(Ok(match name {
            "model" => Self::Model(maybe),
            "compact" => Self::Compact,
            "undo" => Self::Undo,
            "rewind" => Self::Rewind,
            "redo" => Self::Redo,
            "plan" => Self::Plan(maybe),
            "build" => {
                Self::Build(if maybe.is_some() { PlanRevision::Edited } else { PlanRevision::AsAnswered })
            }
            "cost" => Self::Cost,
            "mode" => match maybe.map(|mode| mode.parse()).transpose() {
                Ok(mode) => Self::Mode(mode),
                Err(error) => return Some(Err(format!("/mode {typed}: {error}"))),
            },
            "grant" => match typed.parse() {
                Ok(grant) => Self::Grant(grant),
                Err(error) => return Some(Err(format!("/grant {typed}: {error}"))),
            },
            "trust" => match maybe.map(|level| TrustLevel::from_str(&level, true)).transpose() {
                Ok(level) => Self::Trust(level),
                Err(_) => return Some(Err(format!("/trust {typed}: use ask, look, edit or jail"))),
            },
            "fork" => Self::Fork,
            "search" => match words("WORDS") {
                Ok(words) => Self::Search(words),
                Err(why) => return Some(Err(why)),
            },
            "find" => match words("WORDS") {
                Ok(words) => Self::Find(words),
                Err(why) => return Some(Err(why)),
            },
            "sessions" => Self::Sessions,
            "resume" => Self::Resume(maybe),
            "new" => Self::New,
            "close" => Self::Close,
            "export" => Self::Export(maybe),
            "editor" => Self::Editor,
            "detail" => Self::Detail,
            "help" => Self::Help,
            "quit" | "exit" => Self::Quit,
            _ => match customs.iter().find(|custom| custom.name == name) {
                Some(CustomCommand { says: CustomCommandText::Text(text), .. }) => {
                    match filled(text, typed) {
                        Ok(text) => Self::Say(UserText::around(text, typed)),
                        Err(error) => return Some(Err(format!("/{name}: {error}"))),
                    }
                }
                Some(CustomCommand { says: CustomCommandText::Alias(text), .. }) => alias(name, text, typed),
                None => {
                    return Some(Err(format!("unknown command /{name}; /help shows the commands")));
                }
            },
        }))
    }
}

/// A template with what was typed in its place, or at its end.
fn filled(template: &str, typed: &str) -> Result<String, SkillOverflowError> {
    let places = template.matches(CONTENT).count().max(1);
    if typed.len().saturating_mul(places).saturating_add(template.len()) > MOST_FILLED {
        return Err(SkillOverflowError);
    }
    Ok(match typed {
        _ if template.contains(CONTENT) => template.replace(CONTENT, typed),
        "" => template.to_owned(),
        typed => format!("{template}\n\n{typed}"),
    })
}

/// An alias, with the values that stand at the beginning of what was typed as `name=value`.
fn alias(name: &str, text: &str, typed: &str) -> SlashCommand {
    let template = TextTemplate::parse(text);
    let (mut variables, mut rest) = (TemplateVariables::new(), typed);
    loop {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match variable(word) {
            Ok((name, value)) if template.names().any(|wanted| wanted == name) => {
                variables.insert(name, value);
                rest = behind.trim_start();
            }
            Ok(_) | Err(_) => break,
        }
    }
    SlashCommand::Fill(PromptTemplate { template, alias: name.to_owned(), variables }, rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn customs() -> Vec<CustomCommand> {
        let custom = |name: &str, template: &str| CustomCommand {
            name: name.into(),
            about: String::new(),
            says: CustomCommandText::Text(template.into()),
        };
        let greet = CustomCommandText::Alias("Greet {{who}} from {{cwd}}: {{content}}".into());
        vec![
            custom("review", "Review {{content}} closely."),
            custom("tidy", "Tidy up."),
            custom("skill", "Braces {{date}} stay. {{content}}"),
            CustomCommand { name: "greet".into(), about: String::new(), says: greet },
        ]
    }

    #[test]
    fn values_stand_before_what_is_said_with_an_alias() {
        let check = |line: &str, given: &[(&str, &str)], rest: &str| {
            let Some(Ok(SlashCommand::Fill(around, typed))) = SlashCommand::parse(line, &customs()) else {
                panic!("{line}")
            };
            let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            assert_eq!((around.variables, typed.as_str()), (given.collect(), rest), "{line}");
        };
        check("/greet who=Ada well done", &[("who", "Ada")], "well done");
        check("/greet who=Ada  cwd=here a=b c", &[("who", "Ada"), ("cwd", "here")], "a=b c");
        check("/greet a=b who=Ada", &[], "a=b who=Ada");
        check("/greet", &[], "");
    }

    #[test]
    fn lines_are_read_as_commands() {
        let check = |line: &str, expect: Option<Result<SlashCommand, &str>>| {
            let found = SlashCommand::parse(line, &customs());
            assert_eq!(found, expect.map(|result| result.map_err(str::to_owned)), "{line}");
        };
        check("hello", None);
        check("/usr/bin is a folder", None);
        check("/", None);
        check("/cost", Some(Ok(SlashCommand::Cost)));
        check("/rewind", Some(Ok(SlashCommand::Rewind)));
        check("/redo", Some(Ok(SlashCommand::Redo)));
        check("/build", Some(Ok(SlashCommand::Build(PlanRevision::AsAnswered))));
        check("/build edit", Some(Ok(SlashCommand::Build(PlanRevision::Edited))));
        check("/mode plan", Some(Ok(SlashCommand::Mode(Some(Mode::Plan)))));
        check("/model openai/gpt-5-mini", Some(Ok(SlashCommand::Model(Some("openai/gpt-5-mini".into())))));
        check("/search  two words ", Some(Ok(SlashCommand::Search("two words".into()))));
        check("/search", Some(Err("/search WORDS: type what to look for")));
        let said =
            |text: &str, typed: &str| Some(Ok(SlashCommand::Say(UserText::around(text.to_owned(), typed))));
        check("/skill go on", said("Braces {{date}} stay. go on", "go on"));
        check("/review src", said("Review src closely.", "src"));
        check("/tidy the tests", said("Tidy up.\n\nthe tests", "the tests"));
        check("/fly", Some(Err("unknown command /fly; /help shows the commands")));
    }

    #[test]
    fn what_is_said_with_a_skill_of_many_places_stays_within_its_bound() {
        let says = CustomCommandText::Text("{{content}}".repeat(20_000));
        let customs = [CustomCommand { name: "many".into(), about: String::new(), says }];
        assert!(matches!(SlashCommand::parse("/many it", &customs), Some(Ok(SlashCommand::Say(_)))));
        let line = format!("/many {}", "x".repeat(20_000));
        let Some(Err(why)) = SlashCommand::parse(&line, &customs) else { panic!("it was filled") };
        assert!(why.contains("/many: its text would be larger than 1 MiB"), "{why}");
    }

    #[test]
    fn every_command_of_the_list_is_one() {
        for (name, ..) in COMMANDS {
            let typed = match name {
                "trust" => "edit",
                "grant" => "write:src/**",
                _ => "plan",
            };
            assert!(SlashCommand::parse(&format!("/{name} {typed}"), &[]).unwrap().is_ok(), "{name}");
        }
    }
}
