//! Finds out what a guest is, in the sandbox and without grants: from its section, its interface or
//! its help text. The parsers are `manifest.rs` and `help/mod.rs`; what becomes of the description
//! is decided in `tool.rs`. All of it is a claim of an untrusted program, so time, size and the
//! number of questions are bounded.

use std::time::{Duration, Instant};

use holm_grants::{Level, NeedTemplate};
use holm_guards::json::Json;
use holm_sandbox::{
    Guest, GuestAccess, GuestCall, GuestEntryPoint, GuestLimits, GuestOutcome, GuestStop, Sandbox,
};

use super::calling_convention::CallingConvention;
use super::inspection::DescriptionSource;
use super::manifest::{GuestManifest, MAX_DESCRIPTION, keywords};
use crate::help::{HelpDescription, HelpProgram, MAX_BYTES};
use crate::registry::ToolLoadError;
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
pub(super) struct GuestDescription {
    pub(super) name: Option<String>,
    pub(super) description: String,
    pub(super) keywords: Vec<String>,
    pub(super) level: Option<Level>,
    pub(super) schema: Json,
    pub(super) asks: Vec<NeedTemplate>,
    pub(super) calling: CallingConvention,
    pub(super) version: Option<String>,
    pub(super) said_by: DescriptionSource,
}

/// Asks a guest for its description. Blocks.
pub(super) fn describe(
    sandbox: &Sandbox,
    guest: &Guest,
    program: &str,
    bytes: &[u8],
) -> Result<GuestDescription, ToolLoadError> {
    if let Some(about) = GuestManifest::in_section(bytes) {
        let about = about.map_err(ToolLoadError::Refused)?;
        let calling = if guest.entry() == GuestEntryPoint::Text {
            CallingConvention::Text
        } else {
            CallingConvention::Input
        };
        return Ok(GuestDescription::of(about, calling, DescriptionSource::Section));
    }
    match guest.entry() {
        GuestEntryPoint::Text => by_interface(sandbox, guest),
        GuestEntryPoint::Command | GuestEntryPoint::Module => by_help(sandbox, guest, program),
    }
}

impl GuestDescription {
    fn of(about: GuestManifest, calling: CallingConvention, said_by: DescriptionSource) -> Self {
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

fn by_interface(sandbox: &Sandbox, guest: &Guest) -> Result<GuestDescription, ToolLoadError> {
    if !guest.describes_itself() {
        let why = "it answers calls but does not describe itself: export holm:tool/description, or add a \
            custom section holm:tool";
        return Err(ToolLoadError::refused(why));
    }
    let outcome = sandbox.describe_here(guest, limits());
    let text = match (&outcome.reply, &outcome.stop) {
        (Some(Ok(text)), GuestStop::Returned) => text,
        (_, stop) => return Err(ToolLoadError::Refused(format!("it could not describe itself: {stop}"))),
    };
    let about = GuestManifest::parse(text).map_err(ToolLoadError::Refused)?;
    Ok(GuestDescription::of(about, CallingConvention::Text, DescriptionSource::Interface))
}

fn by_help(sandbox: &Sandbox, guest: &Guest, program: &str) -> Result<GuestDescription, ToolLoadError> {
    let began = Instant::now();
    let ask = |words: &[String]| help(sandbox, guest, program, words);
    let long = ask(&["--help".to_owned()]);
    let short = ask(&["-h".to_owned()]);
    let read = HelpDescription::read(&HelpProgram::named(program), Some(&short.text), Some(&long.text));
    let mut description = read.map_err(|why| ToolLoadError::Refused(format!("{why}{}", long.ending())))?;
    // Subcommands that cannot be described stay lists of words, and come before those that are
    // still to be asked.
    let mut open = 0_usize;
    for _ in 0..MAX_QUESTIONS {
        let questions = description.questions();
        let Some(question) = questions.get(open).filter(|_| began.elapsed() < ALL_TIME) else { break };
        let inner = question.attempts.iter().find_map(|words| {
            let at = HelpProgram::at(program, question.path.iter().map(String::as_str));
            HelpDescription::read(&at, None, Some(&ask(words).text)).ok()
        });
        match inner {
            Some(inner) if description.attach(&question.path, &inner).is_ok() => {}
            Some(_) | None => open += 1,
        }
    }
    Ok(GuestDescription {
        name: None,
        description: tidy(&description.about, MAX_DESCRIPTION),
        keywords: keywords(&description.keywords),
        level: description.level,
        schema: description.schema,
        asks: Vec::new(),
        calling: CallingConvention::Words(description.plan),
        version: description.version,
        said_by: DescriptionSource::Help,
    })
}

/// The output of a program, and how it ended.
struct GuestHelpOutput {
    text: Vec<u8>,
    stop: GuestStop,
}

impl GuestHelpOutput {
    /// How it ended, if that explains why there is no help.
    fn ending(&self) -> String {
        match &self.stop {
            GuestStop::Returned | GuestStop::Exited(_) => String::new(),
            stop => format!("; asked for help it {stop}"),
        }
    }
}

/// Runs a program for its help. Some print it to standard error, so the longer output
/// counts as the text.
fn help(sandbox: &Sandbox, guest: &Guest, program: &str, words: &[String]) -> GuestHelpOutput {
    let call = GuestCall::new(GuestAccess::none()).arg(program).args(words.iter().cloned()).limits(limits());
    let GuestOutcome { stop, stdout, stderr, .. } = sandbox.run_here(guest, call);
    let mut text = if stdout.len() >= stderr.len() { stdout } else { stderr };
    text.truncate(MAX_BYTES);
    GuestHelpOutput { text, stop }
}

fn limits() -> GuestLimits {
    GuestLimits { time: HELP_TIME, output: 2 * MAX_BYTES as u64, ..GuestLimits::default() }
}
