//! Reads one entry in the format of other programs' `mcpServers` and of `<name>.mcp.json`. Whole
//! files are read in `import.rs` and `loader/mod.rs`. A variable without a value is an error and
//! never an empty text, because it may be a key. Unknown members are reported and otherwise
//! ignored.

use std::collections::BTreeMap;
use std::time::Duration;

use holm_grants::{GrantSet, Level};
use holm_jail::JailNetwork;
use serde::Deserialize;

use super::{
    HintTrust, HttpVariant, McpServerSpec, ProtocolEra, ServerAddress, ServerEndpoint, ServerName,
    ServerProgram, ServerSpecError,
};

/// The members that Holm knows, including alternative names from other programs and the switches
/// that disable a server.
const MEMBERS: [&str; 21] = [
    "type",
    "transport",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "serverUrl",
    "httpUrl",
    "headers",
    "grants",
    "network",
    "era",
    "hints",
    "levels",
    "tools",
    "timeout",
    "clientId",
    "clientSecret",
    "disabled",
    "enabled",
];

/// An entry as written. Unknown members are reported and otherwise ignored, because every
/// program adds its own.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawServerEntry {
    #[serde(rename = "type", alias = "transport")]
    kind: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    // The following members exist only in Holm.
    #[serde(default)]
    grants: Vec<String>,
    #[serde(default)]
    network: Option<String>,
    #[serde(default)]
    era: Option<String>,
    #[serde(default)]
    hints: Option<String>,
    #[serde(default)]
    levels: BTreeMap<String, String>,
    #[serde(default)]
    tools: Vec<String>,
    timeout: Option<u64>,
    #[serde(default)]
    client_id: Option<String>,
    #[serde(default)]
    client_secret: Option<String>,
}

impl McpServerSpec {
    /// Reads an entry. `env` gives the value of `${NAME}` in variables, headers and arguments. An
    /// unknown name is an error, and never an empty text.
    ///
    /// # Errors
    ///
    /// [`ServerSpecError`] if the entry is invalid, with the reason.
    pub fn read(
        name: ServerName,
        entry: &serde_json::Value,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ServerSpecError> {
        let written: RawServerEntry = serde_json::from_value(entry.clone())
            .map_err(|error| ServerSpecError::Entry(error.to_string()))?;
        let reach = written.reach(env)?;
        let grants = GrantSet::parse(written.grants.iter().map(String::as_str))
            .map_err(|error| ServerSpecError::Entry(format!("grants: {error}")))?;
        let mut spec = Self::new(name, reach).grants(grants);
        spec.era = choice(
            written.era.as_deref(),
            "era",
            &[
                ("either", ProtocolEra::Either),
                ("handshake", ProtocolEra::Handshake),
                ("stateless", ProtocolEra::Stateless),
            ],
        )?;
        spec.hints = choice(
            written.hints.as_deref(),
            "hints",
            &[("ignored", HintTrust::Ignored), ("believed", HintTrust::Believed)],
        )?;
        for (tool, level) in written.levels {
            let level: Level = level
                .parse()
                .map_err(|_| ServerSpecError::Entry(format!("levels: `{level}` is not a level")))?;
            spec.levels.insert(tool, level);
        }
        spec.tools = written.tools;
        spec.timeout = written.timeout.map(Duration::from_secs);
        let members = entry.as_object().into_iter().flatten().map(|(name, _)| name);
        spec.unknown = members.filter(|name| !MEMBERS.contains(&name.as_str())).cloned().collect();
        Ok(spec)
    }
}

impl RawServerEntry {
    fn reach(&self, env: &dyn Fn(&str) -> Option<String>) -> Result<ServerEndpoint, ServerSpecError> {
        let expanded = |map: &BTreeMap<String, String>| -> Result<BTreeMap<String, String>, ServerSpecError> {
            map.iter().map(|(name, value)| Ok((name.clone(), expand(value, env)?))).collect()
        };
        match (&self.command, &self.url, self.kind.as_deref()) {
            (Some(_), Some(_), _) => {
                Err(ServerSpecError::Entry("it has both a command and an address; use one of them".into()))
            }
            (Some(command), None, None | Some("stdio")) => {
                let args: Result<Vec<_>, _> = self.args.iter().map(|word| expand(word, env)).collect();
                let network = choice(
                    self.network.as_deref(),
                    "network",
                    &[("none", JailNetwork::None), ("open", JailNetwork::Open)],
                )?;
                Ok(ServerEndpoint::Program(ServerProgram {
                    command: expand(command, env)?,
                    args: args?,
                    env: expanded(&self.env)?,
                    cwd: self.cwd.clone(),
                    network,
                }))
            }
            (
                None,
                Some(url),
                kind @ (None
                | Some("http" | "sse" | "streamable-http" | "streamableHttp" | "streamable_http")),
            ) => {
                let mut address = ServerAddress::new(&expand(url, env)?)?;
                if kind == Some("sse") {
                    address.http = HttpVariant::Older;
                }
                address.headers = expanded(&self.headers)?;
                if let Some(id) = &self.client_id {
                    let secret =
                        self.client_secret.as_deref().map(|secret| expand(secret, env)).transpose()?;
                    address.client = Some((id.clone(), secret));
                }
                Ok(ServerEndpoint::Address(address))
            }
            (_, _, Some(kind)) => Err(ServerSpecError::Entry(format!(
                "`{kind}` does not work with these fields; write a command or a url"
            ))),
            (None, None, None) => Err(ServerSpecError::Entry("it has neither a command nor a url".into())),
        }
    }
}

fn choice<T: Copy + Default>(
    word: Option<&str>,
    field: &str,
    choices: &[(&str, T)],
) -> Result<T, ServerSpecError> {
    let Some(word) = word else { return Ok(T::default()) };
    choices.iter().find(|(name, _)| *name == word).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        ServerSpecError::Entry(format!("{field}: `{word}` is not one of {}", names.join(", ")))
    })
}

/// Expands variables: `${NAME}`, and `${env:NAME}` as some programs write it.
fn expand(text: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<String, ServerSpecError> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inside, behind)) = after.split_once('}') else {
            return Err(ServerSpecError::Entry("`${` without `}`".into()));
        };
        let name = inside.strip_prefix("env:").unwrap_or(inside);
        let (name, otherwise) = match name.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise.to_owned())),
            None => (name, None),
        };
        let value = env(name).or(otherwise);
        let value = value.ok_or_else(|| ServerSpecError::Entry(format!("the variable {name} is not set")))?;
        out.push_str(&value);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}
