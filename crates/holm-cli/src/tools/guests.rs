//! The WASM tools that are built into the command, beside the native ones or in their place, and
//! the sets of tools that a user can choose. The guests are in `holm-tools/src/shipped_guests/`,
//! their host in `tool_sources.rs`. A native tool keeps its name if a guest has the same one. Deny
//! rules apply to the guest's shell too, even if no user is asked.

use std::sync::Arc;

use clap::ValueEnum;
use holm::{
    grants::Level,
    kernel::{self, ToolOutput},
    runtime::{BoxFuture, SecretReveal, Tool, ToolInvocation, Toolbox},
};
use holm_tools::{
    shell::{CommandRules, CommandRuling, SHELL, ShellScript},
    shipped_guests::{self, LazyWasmHost, ShippedTool},
};
use serde_json::Value;

use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    tool_sources,
};

/// What is said where not one is inside.
const NONE: &str = "this program was built without its WASM tools";

/// Holm's own tools for files, commands and the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum BuiltinToolSet {
    /// Native tools, and WASM tools with no native tool of the same name
    #[default]
    All,
    /// Native tools only
    Native,
    /// WASM tools only, which run in the sandbox
    Wasm,
    /// A few simple lookup tools for small models; a tool's result is returned as the answer
    Few,
}

impl BuiltinToolSet {
    /// The tools of this set. Native ones without access to anything, such as the date,
    /// belong to every set.
    pub(crate) fn of(self, native: Toolbox, guests: &Toolbox) -> Toolbox {
        let tools = match self {
            Self::All | Self::Native => native,
            // These are other tools altogether.
            Self::Few => return Toolbox::new(),
            Self::Wasm => some(&native, |tool| tool.level == Level::None && tool.needs.is_empty()),
        };
        match self {
            Self::Native | Self::Few => tools,
            Self::All | Self::Wasm => guests.iter().fold(tools, |mut tools, guest| {
                // A name that is taken stays with the native tool.
                let _ = tools.add_shared(Arc::clone(guest));
                tools
            }),
        }
    }

    /// Whether WASM tools belong to it.
    pub(crate) const fn has_guests(self) -> bool {
        matches!(self, Self::All | Self::Wasm)
    }

    /// Reports an error if the user asks for guests that this build does not contain.
    pub(crate) fn check(self) -> Result<(), CommandError> {
        if self != Self::Wasm || shipped_guests::all().iter().any(shipped_guests::ShippedGuest::is_prepared) {
            return Ok(());
        }
        let message = lacking(shipped_guests::all().len(), 0).unwrap_or_else(|| NONE.to_owned());
        Err(CommandError::new(CommandExit::Missing, message).hint(
            "run `make guests` in its source tree and build it \
                                                       again",
        ))
    }
}

fn some(tools: &Toolbox, keep: impl Fn(&kernel::ToolSpec) -> bool) -> Toolbox {
    tools.iter().filter(|tool| keep(tool.declaration())).fold(Toolbox::new(), |mut kept, tool| {
        // Names of a toolbox differ already.
        let _ = kept.add_shared(Arc::clone(tool));
        kept
    })
}

/// The guests that this build lacks, for commands that list tools.
pub(crate) fn missing() -> Option<String> {
    let all = shipped_guests::all().len();
    let prepared = shipped_guests::all().iter().filter(|guest| guest.is_prepared()).count();
    lacking(all, prepared)
        .map(|what| format!("{what}; run `make guests` in its sources, then build it again"))
}

/// The message about missing guests, given how many the build has and how many are usable. All
/// callers get the same text.
fn lacking(all: usize, prepared: usize) -> Option<String> {
    match (all, prepared) {
        (0, _) => Some(NONE.to_owned()),
        (_, 0) => Some("this build has no prepared WASM tools".to_owned()),
        (all, prepared) if prepared < all => {
            Some(format!("this build has only {prepared} of {all} WASM tools prepared"))
        }
        _ => None,
    }
}

/// The built-in guests, for the folder that `places` names. The engine starts when one is called.
pub(super) fn guests(places: &HolmPaths, rules: &CommandRules) -> Toolbox {
    let places = places.clone();
    let host = LazyWasmHost::new(move || {
        let settings = tool_sources::settings(&places).map_err(|error| format!("{error:#}"))?;
        tool_sources::host(&places, settings).map_err(|error| format!("{error:#}"))
    });
    let mut tools = Toolbox::new();
    for guest in ShippedTool::all(&host) {
        let tool: Arc<dyn Tool> = if guest.declaration().name == SHELL {
            Arc::new(DenyListShell { tool: guest, rules: rules.clone() })
        } else {
            Arc::new(guest)
        };
        // Names of guests are names of files in one folder, so none is there twice.
        let _ = tools.add_shared(tool);
    }
    tools
}

/// A shell that applies deny rules even if no user is asked.
struct DenyListShell {
    tool: ShippedTool,
    rules: CommandRules,
}

impl DenyListShell {
    fn forbidden(&self, arguments: &str) -> Option<String> {
        let arguments: Value = serde_json::from_str(arguments).ok()?;
        let script = arguments.get("script").and_then(Value::as_str).unwrap_or_default();
        let ruling = match ShellScript::read(script) {
            Ok(script) => self.rules.judge(&script),
            Err(why) => self.rules.judge_unreadable(why),
        };
        match ruling {
            CommandRuling::Denied(rule) => Some(format!("denied: the rule `{rule}` forbids it")),
            CommandRuling::Unclear(why) => Some(format!("denied: {why}")),
            CommandRuling::Allowed | CommandRuling::Ask => None,
        }
    }
}

impl Tool for DenyListShell {
    fn declaration(&self) -> &kernel::ToolSpec {
        self.tool.declaration()
    }

    fn run(&self, job: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        match self.forbidden(&job.arguments) {
            Some(why) => Box::pin(async { ToolOutput::failed(why) }),
            None => self.tool.run(job),
        }
    }

    fn reveal(&self) -> SecretReveal {
        self.tool.reveal()
    }
}

#[cfg(test)]
mod tests;
