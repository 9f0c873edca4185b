//! Wraps one tool of an MCP server as a tool of Holm: declares it and passes calls on. It also
//! makes the extra tools that list and read the server's resources and prompts.
//!
//! A server's tool counts as able to do anything, unless the user's entry sets its level or trusts
//! the server's hints. The output always counts as untrusted, and the arguments as leaving the
//! machine. The kernel decides whether a call may run.
//!
//! Connections, retries, time limits and the check of a changed definition are in
//! `remote_server.rs`. Definitions are read and bounded in `definition.rs`, and results are
//! converted in `content.rs`.

use std::sync::Arc;

use holm_grants::Level;
use holm_guards::json::Json;
use holm_kernel::{Outcome, Repeat, ToolOutput, ToolSpec, Yields};
use holm_runtime::{BoxFuture, Tool, ToolInvocation};
use rmcp::model::GetPromptResult;
use serde_json::{Map, Value};

use super::content::{NO_OUTPUT, output, resource};
use super::definition::{ServerInventory, ToolDefinition};
use super::{RemoteServer, RemoteServerError};
use crate::HintTrust;

/// A tool of a server. It runs on the server, and its name here starts with the server's name.
#[derive(Debug, Clone)]
pub struct RemoteTool {
    remote: RemoteServer,
    action: RemoteAction,
    declaration: Arc<ToolSpec>,
}

/// The request that a call makes to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RemoteAction {
    /// Calls the tool of this name, whose definition must have this hash.
    Call { name: String, sha256: [u8; 32] },
    /// Lists the server's resources.
    Resources,
    /// Reads the resource at the argument `uri`.
    Read,
    /// Lists the server's prompts.
    Prompts,
    /// Fills in the prompt of the argument `name`.
    Prompt,
}

impl RemoteTool {
    /// Wraps the tool of a definition.
    #[must_use]
    pub fn new(remote: RemoteServer, definition: &ToolDefinition) -> Self {
        let spec = remote.spec();
        // The server's hint counts only if the user allows it, and the user's own setting has
        // priority.
        let level = match (spec.levels.get(&definition.name), spec.hints) {
            (Some(level), _) => *level,
            (None, HintTrust::Believed) if definition.reads_only => Level::ReadOnly,
            (None, HintTrust::Believed | HintTrust::Ignored) => Level::Execute,
        };
        let repeat = match spec.hints {
            HintTrust::Believed if definition.idempotent => Repeat::Idempotent,
            HintTrust::Believed | HintTrust::Ignored => Repeat::Once,
        };
        let declaration =
            declare(&remote, &definition.name, &definition.description, definition.schema.clone());
        let declaration = ToolSpec { level, repeat, ..declaration };
        let action = RemoteAction::Call { name: definition.name.clone(), sha256: definition.sha256 };
        Self { remote, action, declaration: Arc::new(declaration) }
    }

    /// The tools through which a model uses the server's resources and prompts. They only read.
    pub(crate) fn extras(remote: &RemoteServer, inventory: &ServerInventory) -> Vec<Self> {
        let mut extras = Vec::new();
        let mut add = |action: RemoteAction, name: &str, description: &str, members: &[&str]| {
            let declaration = declare(remote, name, description, schema(members)).level(Level::ReadOnly);
            extras.push(Self { remote: remote.clone(), action, declaration: Arc::new(declaration) });
        };
        if inventory.resources {
            add(RemoteAction::Resources, "list_resources", "Lists what can be read from this server.", &[]);
            add(
                RemoteAction::Read,
                "read_resource",
                "Reads one resource of this server by its uri.",
                &["uri"],
            );
        }
        if inventory.prompts {
            add(RemoteAction::Prompts, "list_prompts", "Lists the prompts of this server.", &[]);
            add(RemoteAction::Prompt, "get_prompt", "Fills in one prompt of this server.", &["name"]);
        }
        extras
    }

    async fn perform(self, invocation: &ToolInvocation) -> Result<ToolOutput, RemoteServerError> {
        let arguments: Map<String, Value> = serde_json::from_str(&invocation.arguments).map_err(|error| {
            RemoteServerError::NoMeans(format!("the arguments are not an object: {error}"))
        })?;
        let text_argument =
            |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(match &self.action {
            RemoteAction::Call { name, sha256 } => {
                let called =
                    self.remote.call_as(name, sha256, arguments, &invocation.progress, &invocation.stop);
                output(called.await?)
            }
            RemoteAction::Resources => {
                let found = self.remote.resources().await?;
                let line = |resource_entry: &rmcp::model::Resource| {
                    format!(
                        "{}  {}  {}",
                        resource_entry.uri,
                        resource_entry.name,
                        resource_entry.description.as_deref().unwrap_or_default()
                    )
                };
                lines_output(found.iter().map(line))
            }
            RemoteAction::Read => {
                let (mut texts, mut parts) = (Vec::new(), Vec::new());
                for contents in self.remote.resource(&text_argument("uri")).await?.contents {
                    resource(contents, &mut texts, &mut parts);
                }
                let mut text = texts.join("\n");
                if text.trim().is_empty() && parts.is_empty() {
                    text = NO_OUTPUT.into();
                }
                ToolOutput { text, parts, ..ToolOutput::default() }
            }
            RemoteAction::Prompts => {
                let found = self.remote.prompts().await?;
                let line = |prompt: &rmcp::model::Prompt| {
                    let wants: Vec<&str> =
                        prompt.arguments.iter().flatten().map(|argument| argument.name.as_str()).collect();
                    let about = prompt.description.as_deref().unwrap_or_default();
                    format!("{}({})  {about}", prompt.name, wants.join(", "))
                };
                lines_output(found.iter().map(line))
            }
            RemoteAction::Prompt => {
                let given =
                    arguments.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
                prompt_output(self.remote.prompt(&text_argument("name"), given).await?)
            }
        })
    }
}

impl Tool for RemoteTool {
    fn declaration(&self) -> &ToolSpec {
        &self.declaration
    }

    fn run(&self, invocation: ToolInvocation) -> BoxFuture<'static, ToolOutput> {
        let tool = self.clone();
        Box::pin(async move {
            let server = tool.remote.name().clone();
            match tool.perform(&invocation).await {
                Ok(output) => output,
                Err(error @ RemoteServerError::Stopped) => {
                    ToolOutput { outcome: Outcome::Stopped, text: error.to_string(), ..ToolOutput::default() }
                }
                Err(error) => ToolOutput::failed(format!("the server {server}: {error}")),
            }
        })
    }
}

/// The declaration that all tools of a server share. The name starts with the server's name, the
/// output counts as untrusted, and the arguments leave the machine.
fn declare(remote: &RemoteServer, name: &str, description: &str, schema: Json) -> ToolSpec {
    ToolSpec {
        yields: Yields { untrusted: true, private: false, egress: true },
        timeout_ms: remote.spec().timeout.and_then(|time| u64::try_from(time.as_millis()).ok()),
        ..ToolSpec::new(format!("{}_{name}", remote.name()), description, schema)
    }
}

fn schema(members: &[&str]) -> Json {
    let text = Json::object([("type", Json::from("string"))]);
    let mut properties: Vec<(&str, Json)> = members.iter().map(|name| (*name, text.clone())).collect();
    if members.contains(&"name") {
        properties.push(("arguments", Json::object([("type", Json::from("object"))])));
    }
    Json::object([
        ("type", Json::from("object")),
        ("properties", Json::object(properties)),
        ("required", Json::Array(members.iter().map(|name| Json::from(*name)).collect())),
    ])
}

fn lines_output(lines: impl Iterator<Item = String>) -> ToolOutput {
    let lines: Vec<String> = lines.collect();
    ToolOutput::text(if lines.is_empty() { "none".to_owned() } else { lines.join("\n") })
}

fn prompt_output(prompt: GetPromptResult) -> ToolOutput {
    let mut all = ToolOutput::default();
    for message in prompt.messages {
        let part = output(rmcp::model::CallToolResult::success(vec![message.content]));
        if !all.text.is_empty() {
            all.text.push('\n');
        }
        all.text.push_str(&part.text);
        all.parts.extend(part.parts);
    }
    all
}
