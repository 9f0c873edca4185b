//! The arguments of the two tools, their schemas and descriptions for the model, and the needs that
//! they declare to the kernel. It runs nothing: `tool.rs` does. The needs are the only basis of the
//! kernel's decision, so an argument that opens something must be among them.

use holm_grants::{Level, TemplateError};
use holm_guards::json::Json;
use holm_guards::plausibility::{EmptyOutput, ErrorText};
use holm_kernel::{PlanAccess, ToolSpec, Yields};
use serde::Deserialize;

use super::{MAX_SCRIPT, RUN_PROGRAM, SHELL};

/// The longest time that a model can ask for.
pub(super) const MAX_SECONDS: u64 = 600;

/// The most entries of a list, and the longest of them: a person reads them before saying yes.
const MAX_LIST: u64 = 256;
const MAX_ENTRY: usize = 4096;

/// The arguments that name folders.
const FOLDER_LISTS: [&str; 3] = ["write", "read", "exec"];

/// Why a call cannot be confined: it names a pattern instead of a folder.
pub(super) fn named_pattern(arguments: &Json) -> Option<String> {
    let entries = FOLDER_LISTS.iter().flat_map(|list| {
        let entries = arguments.get(list).and_then(Json::as_array).unwrap_or_default();
        entries.iter().filter_map(Json::as_str).map(move |entry| (list, entry))
    });
    let (list, entry) = entries.into_iter().find(|(_, entry)| entry.ends_with('*'))?;
    let folder = entry.trim_end_matches(['*', '/']);
    let folder = if folder.is_empty() { "." } else { folder };
    Some(format!("`{list}` takes folders, not patterns: say {folder:?} instead of {entry:?}"))
}

#[derive(Debug, Deserialize)]
pub(super) struct ScriptArguments {
    pub(super) script: String,
    #[serde(default)]
    pub(super) folder: Option<String>,
    #[serde(default)]
    pub(super) seconds: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ArgvArguments {
    pub(super) program: String,
    #[serde(default)]
    pub(super) args: Vec<String>,
    #[serde(default)]
    pub(super) input: Option<String>,
    #[serde(default)]
    pub(super) folder: Option<String>,
    #[serde(default)]
    pub(super) seconds: Option<u64>,
}

/// What of the network commands reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostGrantSupport {
    None,
    Granted,
    /// Everything: nothing confines them, in files neither.
    All,
}

const CONFINED: &str =
    "Runs a Bash script in the workspace, which it can read and write, with the user's programs.";
const REFUSED: &str =
    "If something is refused, the result says which grant is missing and how to ask for it.";

pub(super) fn script_tool(hosts: HostGrantSupport) -> Result<ToolSpec, TemplateError> {
    let schema = schema(hosts, ["script"], [("script", text("The script, for Bash.", MAX_SCRIPT))]);
    let about = match hosts {
        HostGrantSupport::None => format!("{CONFINED} There is no network. {REFUSED}"),
        HostGrantSupport::Granted => {
            format!("{CONFINED} It can reach only the hosts in `fetch`. {REFUSED}")
        }
        HostGrantSupport::All => {
            "Runs a Bash script in the workspace as the user would: with their files, programs, \
                       environment and network."
                .into()
        }
    };
    let tool = ToolSpec::new(SHELL, about, schema).needs(["exec:*"])?;
    settled(tool, hosts)
}

pub(super) fn argv_tool(hosts: HostGrantSupport) -> Result<ToolSpec, TemplateError> {
    let schema = schema(
        hosts,
        ["program"],
        [
            (
                "program",
                text(
                    "The program: a name such as git, or a path such as ./build.sh; put its arguments \
                    into args.",
                    MAX_ENTRY,
                ),
            ),
            ("args", list("Its arguments, passed unchanged; no shell expands them.")),
            ("input", text("Its standard input; put long input into a file.", MAX_SCRIPT)),
        ],
    );
    let about = "Runs one program with exactly these arguments, without a shell; otherwise like `shell`.";
    let tool = ToolSpec::new(RUN_PROGRAM, about, schema).needs(["exec:{program}"])?;
    settled(tool, hosts)
}

/// The common part of both declarations. A process that writes to a path can also read it, so
/// both grants are needed.
fn settled(tool: ToolSpec, hosts: HostGrantSupport) -> Result<ToolSpec, TemplateError> {
    let mut tool = tool.level(Level::Execute).needs([
        "read:**",
        "exec:./**",
        "write:**",
        "write:{write?}/**",
        "read:{write?}/**",
        "read:{read?}/**",
        "exec:{exec?}/**",
    ])?;
    if hosts == HostGrantSupport::Granted {
        tool = tool.needs(["fetch:{fetch?}"])?;
    }
    // Without a jail, nothing keeps a command from making changes.
    let in_plan = match hosts {
        HostGrantSupport::None | HostGrantSupport::Granted => PlanAccess::ReadOnly,
        HostGrantSupport::All => PlanAccess::Refused,
    };
    Ok(ToolSpec {
        in_plan,
        empty: EmptyOutput::Allowed,
        error_text: ErrorText::Allowed,
        yields: Yields { untrusted: true, private: true, egress: false },
        timeout_ms: Some((MAX_SECONDS + 10) * 1000),
        ..tool
    })
}

fn schema<const N: usize, const M: usize>(
    hosts: HostGrantSupport,
    required: [&str; N],
    own: [(&'static str, Json); M],
) -> Json {
    let fetch = list("Whole hosts to reach, such as https://registry.npmjs.org, without a path.");
    let fetch = (hosts == HostGrantSupport::Granted).then_some(("fetch", fetch));
    let shared = [
        ("folder", text("The folder to run in, inside the workspace.", MAX_ENTRY)),
        ("write", list("More folders to write, besides the workspace.")),
        ("read", list("Folders and files outside the workspace to read.")),
        ("exec", list("Folders with programs that are not on the PATH, such as /opt/tool/bin.")),
        (
            "seconds",
            Json::object([
                ("type", Json::from("integer")),
                ("minimum", Json::from(1_u64)),
                // A larger number is not refused but cut to the longest time.
                ("description", Json::from("Timeout in seconds, at most 600; default 120.")),
            ]),
        ),
    ];
    Json::object([
        ("type", Json::from("object")),
        ("properties", Json::object(own.into_iter().chain(shared).chain(fetch))),
        ("required", Json::from(required.map(Json::from).to_vec())),
        ("additionalProperties", Json::from(false)),
    ])
}

fn text(about: &str, longest: usize) -> Json {
    Json::object([
        ("type", Json::from("string")),
        ("description", Json::from(about)),
        ("maxLength", Json::from(longest as u64)),
    ])
}

fn list(about: &str) -> Json {
    let items = Json::object([("type", Json::from("string")), ("maxLength", Json::from(MAX_ENTRY as u64))]);
    Json::object([
        ("type", Json::from("array")),
        ("items", items),
        ("maxItems", Json::from(MAX_LIST)),
        ("description", Json::from(about)),
    ])
}
