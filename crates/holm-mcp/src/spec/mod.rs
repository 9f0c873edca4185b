//! The configuration of a server: how to reach it, and what it may use. It is data: nothing is
//! started or connected here (`client/remote_server.rs` does that). Entries are parsed in
//! `read.rs`, and names in `name.rs`. Nothing is granted by default, and `Debug` never shows a
//! header, a variable or a secret.

mod name;
mod read;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use holm_grants::{Grant, GrantSet, Level};
use holm_jail::JailNetwork;
use thiserror::Error;

pub use name::ServerName;

/// One server, as configured by a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServerSpec {
    /// The prefix of its tools' names.
    pub name: ServerName,
    /// How it is reached.
    pub reach: ServerEndpoint,
    /// What it may use. A program is granted files and variables; an address is granted further
    /// addresses for its login.
    pub grants: GrantSet,
    /// The era of the protocol that is spoken.
    pub era: ProtocolEra,
    /// Whether Holm trusts the server's hints about harmless tools.
    pub hints: HintTrust,
    /// The highest level of single tools, as set by the user.
    pub levels: BTreeMap<String, Level>,
    /// The tools to use; empty means all of them.
    pub tools: Vec<String>,
    /// The timeout of a call. `None` means as long as the run allows.
    pub timeout: Option<Duration>,
    /// Members of the entry that Holm does not know: misspelt, or meant for another program.
    pub unknown: Vec<String>,
}

impl McpServerSpec {
    /// A message about unknown members, or `None` if there are none.
    #[must_use]
    pub fn unknown_members(&self) -> Option<String> {
        let names: Vec<String> =
            self.unknown.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
        (!names.is_empty()).then(|| format!("its entry has {}, which Holm does not know", names.join(", ")))
    }

    /// The folder in which the program starts. It is the folder that the entry names, or the
    /// workspace if the server may read all of it. Otherwise it is the root, because a program
    /// should not start in a folder that it cannot read. `None` if the server is not a program.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use holm_grants::GrantSet;
    /// use holm_mcp::{ServerProgram, McpServerSpec};
    ///
    /// let spec = McpServerSpec::program("time", ServerProgram::new("uvx").args(["mcp-server-time"]))?;
    /// assert_eq!(spec.starts_in(Path::new("/work")).as_deref(), Some(Path::new("/")));
    /// let spec = spec.grants(GrantSet::parse(["read:./"]).unwrap());
    /// assert_eq!(spec.starts_in(Path::new("/work")).as_deref(), Some(Path::new("/work")));
    /// # Ok::<(), holm_mcp::ServerSpecError>(())
    /// ```
    #[must_use]
    pub fn starts_in(&self, workspace: &Path) -> Option<PathBuf> {
        let ServerEndpoint::Program(program) = &self.reach else { return None };
        let usual = || if self.sees(workspace) { workspace.to_owned() } else { PathBuf::from("/") };
        // A jail does not accept the `.` components and the final `/` that people write.
        let named = |cwd: &String| workspace.join(cwd).components().collect::<PathBuf>();
        Some(program.cwd.as_ref().map_or_else(usual, named))
    }

    /// Whether it may read the whole workspace.
    fn sees(&self, workspace: &Path) -> bool {
        self.grants.iter().any(|grant| match grant {
            Grant::Read(pattern) => match pattern.to_string().as_str() {
                "**" | "./" => true,
                text => text.strip_suffix("**").or(text.strip_suffix('/')).is_some_and(|folder| {
                    folder.starts_with('/') && workspace.starts_with(folder.trim_end_matches('/'))
                }),
            },
            _ => false,
        })
    }

    /// A server that is a program and uses its standard streams.
    ///
    /// ```
    /// use holm_mcp::{ServerProgram, McpServerSpec};
    /// let spec = McpServerSpec::program("time", ServerProgram::new("uvx").args(["mcp-server-time"]))?;
    /// assert!(spec.grants.is_empty(), "nothing is granted unless it is said");
    /// # Ok::<(), holm_mcp::ServerSpecError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ServerSpecError::Name`] if the name is invalid.
    pub fn program(name: &str, program: ServerProgram) -> Result<Self, ServerSpecError> {
        Ok(Self::new(name.parse()?, ServerEndpoint::Program(program)))
    }

    /// A server at an address.
    ///
    /// # Errors
    ///
    /// [`ServerSpecError::Name`] if the name is invalid, [`ServerSpecError::Url`] if
    /// the URL is invalid.
    pub fn address(name: &str, url: &str) -> Result<Self, ServerSpecError> {
        Ok(Self::new(name.parse()?, ServerEndpoint::Address(ServerAddress::new(url)?)))
    }

    fn new(name: ServerName, reach: ServerEndpoint) -> Self {
        Self {
            name,
            reach,
            grants: GrantSet::default(),
            era: ProtocolEra::default(),
            hints: HintTrust::default(),
            levels: BTreeMap::new(),
            tools: Vec::new(),
            timeout: None,
            unknown: Vec::new(),
        }
    }

    /// Sets what the server may use.
    #[must_use]
    pub fn grants(mut self, grants: GrantSet) -> Self {
        self.grants = grants;
        self
    }

    /// Sets the protocol era.
    #[must_use]
    pub fn era(mut self, era: ProtocolEra) -> Self {
        self.era = era;
        self
    }
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEndpoint {
    /// Holm starts it as a program.
    Program(ServerProgram),
    Address(ServerAddress),
}

/// A program that speaks MCP on its standard streams.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerProgram {
    /// Its path, or its name in the search path.
    pub command: String,
    /// Its arguments. They are passed unchanged, and never split.
    pub args: Vec<String>,
    /// Its environment variables. It inherits none.
    pub env: BTreeMap<String, String>,
    /// The folder in which it starts. Without one, Holm chooses the workspace or the root.
    pub cwd: Option<String>,
    /// Whether it has network access: all or nothing, since a jail cannot limit it to single hosts.
    pub network: JailNetwork,
}

impl ServerProgram {
    /// A program without arguments, variables or network.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            network: JailNetwork::None,
        }
    }

    /// Appends these arguments to the command line.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }
}

impl std::fmt::Debug for ServerProgram {
    /// Hides the values of variables, which may be keys.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ServerProgram")
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .field("network", &self.network)
            .finish()
    }
}

/// A server that is reached over HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    pub url: holm_grants::Url,
    /// The HTTP transport that it uses.
    pub http: HttpVariant,
    /// Headers sent with every request, such as a key.
    pub headers: BTreeMap<String, String>,
    /// The OAuth client id registered at the server's issuer, with its secret if it has one.
    pub client: Option<(String, Option<String>)>,
}

impl ServerAddress {
    /// Creates an address without headers.
    ///
    /// # Errors
    ///
    /// [`ServerSpecError::Url`] if Holm does not accept the URL.
    pub fn new(url: &str) -> Result<Self, ServerSpecError> {
        let parsed: holm_grants::Url =
            url.parse().map_err(|error: holm_grants::UrlError| ServerSpecError::Url(error.to_string()))?;
        match parsed.scheme() {
            holm_grants::UrlScheme::Http | holm_grants::UrlScheme::Https => {}
            other => {
                return Err(ServerSpecError::Url(format!("{other} is not supported; use http or https")));
            }
        }
        Ok(Self { url: parsed, http: HttpVariant::default(), headers: BTreeMap::new(), client: None })
    }
}

impl std::fmt::Debug for ServerAddress {
    /// Hides the values of headers and the secret.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ServerAddress")
            .field("url", &self.url.to_string())
            .field("http", &self.http)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("client", &self.client.as_ref().map(|(id, _)| id))
            .finish()
    }
}

/// The HTTP transport of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HttpVariant {
    /// The transport since 2025-03, where each request is answered on its own connection. If the
    /// server refuses it, Holm uses the older one.
    #[default]
    Newer,
    /// The older transport, with one stream for all answers.
    Older,
}

/// The era of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProtocolEra {
    /// Whichever era the server speaks; the stateless one is tried first.
    #[default]
    Either,
    /// The era with a handshake, up to 2025-11-25.
    Handshake,
    /// The stateless era, from 2026-07-28.
    Stateless,
}

/// Whether Holm trusts a server's hints about its own tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintTrust {
    /// Hints are ignored: every tool is assumed to be able to do anything.
    #[default]
    Ignored,
    /// `readOnlyHint` marks a tool as one that only reads.
    Believed,
}

/// Why an entry is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ServerSpecError {
    /// The name cannot be the prefix of a tool's name.
    #[error("`{0}` is not a valid server name: use letters, digits and hyphens, at most 32")]
    Name(String),
    /// Holm never connects to this URL.
    #[error("the address cannot be used: {0}")]
    Url(String),
    /// Another part of the entry is invalid.
    #[error("{0}")]
    Entry(String),
}
