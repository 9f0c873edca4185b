//! The description of a program, made from its help text. This is the entry of `help`; reading one
//! text is in `read.rs`, the plan is built in `help/plan_builder.rs`. It runs nothing: the caller
//! asks the questions that it returns. What a program claims about its level is data for the host
//! and not a decision.

mod read;

use holm_grants::Level;
use holm_guards::json::Json;

use super::error::{HelpTextError, SubcommandAttachError};
use super::limits::MAX_NESTING;
use super::plan::{CallPlan, CommandNode};
use super::{merge, plan_builder, schema};

/// The program that printed the help, and the words before `--help`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpProgram {
    /// Its name without folders, as usage lines show it.
    pub name: String,
    /// The subcommand that was asked, from the outside in.
    pub path: Vec<String>,
}

impl HelpProgram {
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.into(), path: Vec::new() }
    }

    /// A subcommand of it.
    #[must_use]
    pub fn at<'a>(name: &str, path: impl IntoIterator<Item = &'a str>) -> Self {
        Self { name: name.into(), path: path.into_iter().map(Into::into).collect() }
    }
}

/// A program's description, read from its help text.
///
/// ```
/// use holm_tools::help::{HelpDescription, HelpProgram};
///
/// let text = b"Greets somebody\n\nUsage: greet [OPTIONS] <NAME>\n\nOptions:\n  -l, --loud   In capitals\n";
/// let greet = HelpDescription::read(&HelpProgram::named("greet"), None, Some(text))?;
/// assert_eq!(greet.about, "Greets somebody");
/// assert_eq!(
///     greet.schema.canonical(),
///     r#"{"additionalProperties":false,"properties":{"loud":{"description":"In capitals","type":"boolean"},"name":{"type":"string"}},"required":["name"],"type":"object"}"#
/// );
/// # Ok::<(), holm_tools::help::HelpTextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpDescription {
    pub about: String,
    /// Its version, where it says so.
    pub version: Option<String>,
    /// Words under which it should be found.
    pub keywords: Vec<String>,
    /// How much the program says that it can change. This is a claim: the host that
    /// runs the program decides.
    pub level: Option<Level>,
    /// JSON Schema of its arguments.
    pub schema: Json,
    /// How arguments become words.
    pub plan: CallPlan,
    help_word: bool,
}

/// The next help text to request from a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpQuery {
    /// The subcommand that is not described yet.
    pub path: Vec<String>,
    /// Words to start the program with, in the order in which they should be tried.
    pub attempts: Vec<Vec<String>>,
}

impl HelpDescription {
    /// Reads the output of a program for `-h` and for `--help`; one of them is enough.
    ///
    /// # Errors
    ///
    /// When neither is a help text; the reason is that of the long one, if there is one.
    pub fn read(
        program: &HelpProgram,
        short: Option<&[u8]>,
        long: Option<&[u8]>,
    ) -> Result<Self, HelpTextError> {
        let read = |bytes: Option<&[u8]>| bytes.map(|bytes| read::draft(program, bytes));
        let draft = match (read(long), read(short)) {
            (Some(Ok(long)), Some(Ok(short))) => merge::merge(long, short),
            (Some(Ok(draft)), _) | (_, Some(Ok(draft))) => draft,
            (Some(Err(error)), _) | (None, Some(Err(error))) => return Err(error),
            (None, None) => return Err(HelpTextError { why: super::HelpTextErrorKind::Empty }),
        };
        let root = plan_builder::settle(&draft);
        Ok(Self {
            about: draft.about,
            version: draft.version,
            keywords: draft.keywords,
            level: draft.level,
            schema: schema::schema(&root),
            plan: CallPlan { root },
            help_word: draft.dialect.help_word,
        })
    }

    /// The subcommands that are not described yet, and how to ask for each.
    #[must_use]
    pub fn questions(&self) -> Vec<HelpQuery> {
        let mut questions = Vec::new();
        self.ask(&self.plan.root, &mut Vec::new(), &mut questions);
        questions
    }

    fn ask(&self, node: &CommandNode, path: &mut Vec<String>, questions: &mut Vec<HelpQuery>) {
        for command in &node.commands {
            path.push(command.name.clone());
            match &command.node {
                Some(node) => self.ask(node, path, questions),
                None if path.len() <= MAX_NESTING => {
                    let with = |word: &str| path.iter().cloned().chain([word.to_owned()]).collect::<Vec<_>>();
                    let help = std::iter::once("help".to_owned()).chain(path.iter().cloned()).collect();
                    let mut attempts = vec![with("--help"), help, with("-h")];
                    if self.help_word {
                        attempts.swap(0, 1);
                    }
                    questions.push(HelpQuery { path: path.clone(), attempts });
                }
                None => {}
            }
            path.pop();
        }
    }

    /// Puts the description of a subcommand in its place.
    ///
    /// # Errors
    ///
    /// If the subcommand does not exist.
    pub fn attach(&mut self, path: &[String], inner: &Self) -> Result<(), SubcommandAttachError> {
        if path.len() > MAX_NESTING {
            return Err(SubcommandAttachError::TooDeep);
        }
        let missing = || SubcommandAttachError::NoSuchCommand(path.join(" "));
        let (last, above) = path.split_last().ok_or_else(missing)?;
        let dashes = self.plan.root.dashes;
        let mut node = &mut self.plan.root;
        for word in above {
            let command = node.commands.iter_mut().find(|command| command.name == *word);
            node = command.and_then(|command| command.node.as_deref_mut()).ok_or_else(missing)?;
        }
        let command = node.commands.iter_mut().find(|command| command.name == *last).ok_or_else(missing)?;
        let mut root = inner.plan.root.clone();
        // One program has one way; a short text may not show it.
        root.dashes |= dashes;
        command.node = Some(Box::new(root));
        if command.about.is_empty() {
            command.about.clone_from(&inner.about);
        }
        self.schema = schema::schema(&self.plan.root);
        Ok(())
    }
}
