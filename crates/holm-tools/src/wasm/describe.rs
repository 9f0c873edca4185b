//! Finds out what a guest is, in the sandbox and without grants.

use std::time::{Duration, Instant};

use holm_grants::{Level, Template};
use holm_guards::json::Json;
use holm_sandbox::{Access, Call, Entry, Guest, Limits, Outcome, Sandbox, Stop};

use super::about::{About, MAX_DESCRIPTION, keywords};
use super::calling::Calling;
use super::inspection::SaidBy;
use crate::help::{Description, MAX_BYTES, Program};
use crate::registry::LoadError;
use crate::text::tidy;

/// How long a program may take to print its help. Interpreters take a while to start.
const HELP_TIME: Duration = Duration::from_secs(5);

/// The time for all subcommands together; a subcommand that is not described
/// by then stays undescribed.
const ALL_TIME: Duration = Duration::from_secs(20);

/// The most subcommands that are asked for help.
const MAX_QUESTIONS: usize = 64;

/// A guest's description of itself, from any of the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Described {
    pub(super) name: Option<String>,
    pub(super) description: String,
    pub(super) keywords: Vec<String>,
    pub(super) level: Option<Level>,
    pub(super) schema: Json,
    pub(super) asks: Vec<Template>,
    pub(super) calling: Calling,
    pub(super) version: Option<String>,
    pub(super) said_by: SaidBy,
}

/// Asks a guest for its description. Blocks.
pub(super) fn describe(
    sandbox: &Sandbox,
    guest: &Guest,
    program: &str,
    bytes: &[u8],
) -> Result<Described, LoadError> {
    if let Some(about) = About::in_section(bytes) {
        let about = about.map_err(LoadError::Refused)?;
        let calling = if guest.entry() == Entry::Text { Calling::Text } else { Calling::Input };
        return Ok(Described::of(about, calling, SaidBy::Section));
    }
    match guest.entry() {
        Entry::Text => by_interface(sandbox, guest),
        Entry::Command | Entry::Module => by_help(sandbox, guest, program),
    }
}

impl Described {
    fn of(about: About, calling: Calling, said_by: SaidBy) -> Self {
        Self {
            name: about.name,
            description: about.description,
            keywords: about.keywords,
            level: about.level,
            schema: about.schema,
            asks: about.asks,
            calling,
            version: None,
            said_by,
        }
    }
}

fn by_interface(sandbox: &Sandbox, guest: &Guest) -> Result<Described, LoadError> {
    if !guest.describes_itself() {
        let why = "it answers calls but does not say what it is: export holm:tool/description, or add a custom section \
                   holm:tool";
        return Err(LoadError::refused(why));
    }
    let outcome = sandbox.describe_here(guest, limits());
    let text = match (&outcome.reply, &outcome.stop) {
        (Some(Ok(text)), Stop::Returned) => text,
        (_, stop) => return Err(LoadError::Refused(format!("it could not say what it is: {stop}"))),
    };
    let about = About::parse(text).map_err(LoadError::Refused)?;
    Ok(Described::of(about, Calling::Text, SaidBy::Interface))
}

fn by_help(sandbox: &Sandbox, guest: &Guest, program: &str) -> Result<Described, LoadError> {
    let began = Instant::now();
    let ask = |words: &[String]| help(sandbox, guest, program, words);
    let long = ask(&["--help".to_owned()]);
    let short = ask(&["-h".to_owned()]);
    let read = Description::read(&Program::named(program), Some(&short.text), Some(&long.text));
    let mut description = read.map_err(|why| LoadError::Refused(format!("{why}{}", long.ending())))?;
    // Subcommands that cannot be described stay lists of words, and come before those that are
    // still to be asked.
    let mut open = 0_usize;
    for _ in 0..MAX_QUESTIONS {
        let questions = description.questions();
        let Some(question) = questions.get(open).filter(|_| began.elapsed() < ALL_TIME) else { break };
        let inner = question.attempts.iter().find_map(|words| {
            let at = Program::at(program, question.path.iter().map(String::as_str));
            Description::read(&at, None, Some(&ask(words).text)).ok()
        });
        match inner {
            Some(inner) if description.attach(&question.path, &inner).is_ok() => {}
            Some(_) | None => open += 1,
        }
    }
    Ok(Described {
        name: None,
        description: tidy(&description.about, MAX_DESCRIPTION),
        keywords: keywords(&description.keywords),
        level: description.level,
        schema: description.schema,
        asks: Vec::new(),
        calling: Calling::Words(description.plan),
        version: description.version,
        said_by: SaidBy::Help,
    })
}

/// The output of a program, and how it ended.
struct Help {
    text: Vec<u8>,
    stop: Stop,
}

impl Help {
    /// How it ended, if that explains why there is no help.
    fn ending(&self) -> String {
        match &self.stop {
            Stop::Returned | Stop::Exited(_) => String::new(),
            stop => format!("; asked for help it {stop}"),
        }
    }
}

/// Runs a program for its help. Some print it to standard error, so the longer output
/// counts as the text.
fn help(sandbox: &Sandbox, guest: &Guest, program: &str, words: &[String]) -> Help {
    let call = Call::new(Access::none()).arg(program).args(words.iter().cloned()).limits(limits());
    let Outcome { stop, stdout, stderr, .. } = sandbox.run_here(guest, call);
    let mut text = if stdout.len() >= stderr.len() { stdout } else { stderr };
    text.truncate(MAX_BYTES);
    Help { text, stop }
}

fn limits() -> Limits {
    Limits { time: HELP_TIME, output: 2 * MAX_BYTES as u64, ..Limits::default() }
}
