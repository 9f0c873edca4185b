//! What is known of a server before anybody has talked with it: how it is reached and what it may use.

mod name;
mod read;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use holm_grants::{Grant, GrantSet, Level};
use holm_jail::Network;
use thiserror::Error;

pub use name::ServerName;

/// One server, as a person wrote it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSpec {
    /// What its tools' names begin with.
    pub name: ServerName,
    /// How it is reached.
    pub reach: Reach,
    /// What it may use: of a program, files and variables; of an address, further addresses for logging in.
    pub grants: GrantSet,
    /// Which era of the protocol is spoken.
    pub era: Era,
    /// Whether what it says about the harmlessness of its tools is believed.
    pub hints: Hints,
    /// What single tools can do at most, on the person's word.
    pub levels: BTreeMap<String, Level>,
    /// The tools that are wanted; empty means all.
    pub tools: Vec<String>,
    /// How long a call may take; none means as long as the run allows.
    pub timeout: Option<Duration>,
    /// Members of its entry that mean nothing here: another program's, or misspelt.
    pub unknown: Vec<String>,
}

impl ServerSpec {
    /// What a person should know of members that mean nothing here; none if there are none.
    #[must_use]
    pub fn unknown_members(&self) -> Option<String> {
        let names: Vec<String> =
            self.unknown.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
        (!names.is_empty()).then(|| format!("its entry has {}, which means nothing here", names.join(", ")))
    }

    /// The folder in which its program starts: the one that its entry names, the workspace where it may see all of that, and else
    /// the root, since a folder of which it may see nothing is no place to start in. None where it is no program.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use holm_grants::GrantSet;
    /// use holm_mcp::{Program, ServerSpec};
    ///
    /// let spec = ServerSpec::program("time", Program::new("uvx").args(["mcp-server-time"]))?;
    /// assert_eq!(spec.starts_in(Path::new("/work")).as_deref(), Some(Path::new("/")));
    /// let spec = spec.grants(GrantSet::parse(["read:./"]).unwrap());
    /// assert_eq!(spec.starts_in(Path::new("/work")).as_deref(), Some(Path::new("/work")));
    /// # Ok::<(), holm_mcp::SpecError>(())
    /// ```
    #[must_use]
    pub fn starts_in(&self, workspace: &Path) -> Option<PathBuf> {
        let Reach::Program(program) = &self.reach else { return None };
        let usual = || if self.sees(workspace) { workspace.to_owned() } else { PathBuf::from("/") };
        // Without the `.` and the last `/` that people write, which a jail would take for no path at all.
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

    /// A program that speaks on its standard streams.
    ///
    /// ```
    /// use holm_mcp::{Program, ServerSpec};
    /// let spec = ServerSpec::program("time", Program::new("uvx").args(["mcp-server-time"]))?;
    /// assert!(spec.grants.is_empty(), "nothing is granted unless it is said");
    /// # Ok::<(), holm_mcp::SpecError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SpecError::Name`] where the name is none.
    pub fn program(name: &str, program: Program) -> Result<Self, SpecError> {
        Ok(Self::new(name.parse()?, Reach::Program(program)))
    }

    /// A server at an address.
    ///
    /// # Errors
    ///
    /// [`SpecError::Name`] where the name is none, [`SpecError::Url`] where the address is none.
    pub fn address(name: &str, url: &str) -> Result<Self, SpecError> {
        Ok(Self::new(name.parse()?, Reach::Address(Address::new(url)?)))
    }

    fn new(name: ServerName, reach: Reach) -> Self {
        Self {
            name,
            reach,
            grants: GrantSet::default(),
            era: Era::default(),
            hints: Hints::default(),
            levels: BTreeMap::new(),
            tools: Vec::new(),
            timeout: None,
            unknown: Vec::new(),
        }
    }

    /// Says what it may use.
    #[must_use]
    pub fn grants(mut self, grants: GrantSet) -> Self {
        self.grants = grants;
        self
    }

    /// Says which era is spoken.
    #[must_use]
    pub fn era(mut self, era: Era) -> Self {
        self.era = era;
        self
    }
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It is a program that is started.
    Program(Program),
    Address(Address),
}

/// A program that speaks MCP on its standard streams.
#[derive(Clone, PartialEq, Eq)]
pub struct Program {
    /// Its path, or its name in the folders of programs.
    pub command: String,
    /// Its arguments, each as it is: nothing is split.
    pub args: Vec<String>,
    /// Its variables. It inherits none.
    pub env: BTreeMap<String, String>,
    /// Where it starts; without one, where it may read nothing.
    pub cwd: Option<String>,
    /// Whether it reaches the network: all of it or nothing, since no jail can hold single hosts.
    pub network: Network,
}

impl Program {
    /// A program without arguments, variables or network.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            network: Network::None,
        }
    }

    /// With these arguments behind the others.
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

impl std::fmt::Debug for Program {
    /// Without the values of variables, which may be keys.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Program")
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
pub struct Address {
    pub url: holm_grants::Url,
    /// Which HTTP it speaks.
    pub http: Http,
    /// Headers that go with every request, such as a key.
    pub headers: BTreeMap<String, String>,
    /// The name under which this client is known to the server's login, with its secret if it has one.
    pub client: Option<(String, Option<String>)>,
}

impl Address {
    /// A server at this address, without headers.
    ///
    /// # Errors
    ///
    /// [`SpecError::Url`] where it is no address for Holm.
    pub fn new(url: &str) -> Result<Self, SpecError> {
        let parsed: holm_grants::Url =
            url.parse().map_err(|error: holm_grants::UrlError| SpecError::Url(error.to_string()))?;
        match parsed.scheme() {
            holm_grants::Scheme::Http | holm_grants::Scheme::Https => {}
            other => return Err(SpecError::Url(format!("{other} is not spoken; write http or https"))),
        }
        Ok(Self { url: parsed, http: Http::default(), headers: BTreeMap::new(), client: None })
    }
}

impl std::fmt::Debug for Address {
    /// Without the values of headers and without the secret.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Address")
            .field("url", &self.url.to_string())
            .field("http", &self.http)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("client", &self.client.as_ref().map(|(id, _)| id))
            .finish()
    }
}

/// Which HTTP a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Http {
    /// The one since 2025-03, in which a question is answered where it was asked; the older one where the server refuses it.
    #[default]
    Newer,
    /// The one before, with one stream for all answers.
    Older,
}

/// Which era of the protocol is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Era {
    /// Whichever the server speaks; the stateless one is tried first.
    #[default]
    Either,
    /// The one with a handshake, up to 2025-11-25.
    Handshake,
    /// The stateless one, from 2026-07-28.
    Stateless,
}

/// Whether a server's word about its own tools counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hints {
    /// It does not: every tool can do anything.
    #[default]
    Ignored,
    /// `readOnlyHint` makes a tool one that reads.
    Believed,
}

/// Why an entry is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    /// A name that could not stand before a tool's name.
    #[error("`{0}` is no name for a server: write letters, digits and hyphens, at most 32")]
    Name(String),
    /// An address that is never fetched.
    #[error("the address cannot be used: {0}")]
    Url(String),
    /// Something else in the entry.
    #[error("{0}")]
    Entry(String),
}
