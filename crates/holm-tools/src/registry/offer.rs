//! The offer of a source: a tool, and what the registry must know about it beyond its declaration.
//! It also defines the ranks of sources. Their order is the precedence of names: a project cannot
//! take a name from the program or from its user.
//!
//! It only holds data: names are given in `catalogue/naming.rs`, and offers are collected in
//! `list.rs`. Files become offers in `folders.rs`, tools of MCP servers in
//! `holm-mcp/src/client/remote_server.rs`.

use std::fmt;
use std::sync::Arc;

use holm_runtime::Tool;

use crate::catalogue::SchemaDisclosure;

/// A tool as its source offers it. Its name
/// is only a request: see [`RegistrySnapshot`](super::RegistrySnapshot).
#[derive(Clone)]
pub struct ToolOffer {
    pub tool: Arc<dyn Tool>,
    /// Words under which it is found.
    pub keywords: Vec<String>,
    /// The name it wants if another tool has the name of its declaration.
    pub if_taken: Option<String>,
    /// When a model sees its schema.
    pub disclosure: SchemaDisclosure,
    /// Notes for a person, such as that the tool lost what it asks for.
    pub notes: Vec<String>,
}

impl ToolOffer {
    /// A tool without keywords, shown from the start.
    pub fn new(tool: Arc<dyn Tool>) -> Self {
        Self {
            tool,
            keywords: Vec::new(),
            if_taken: None,
            disclosure: SchemaDisclosure::Full,
            notes: Vec::new(),
        }
    }

    /// Says under which words it is found.
    #[must_use]
    pub fn keywords<S: Into<String>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.keywords = words.into_iter().map(Into::into).collect();
        self
    }

    /// Says under which name it is offered if another tool has the name of its declaration.
    #[must_use]
    pub fn if_taken(mut self, name: impl Into<String>) -> Self {
        self.if_taken = Some(name.into());
        self
    }

    /// Adds a note for a person.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says when a model sees its schema.
    #[must_use]
    pub fn disclosure(mut self, disclosure: SchemaDisclosure) -> Self {
        self.disclosure = disclosure;
        self
    }
}

impl From<Arc<dyn Tool>> for ToolOffer {
    fn from(tool: Arc<dyn Tool>) -> Self {
        Self::new(tool)
    }
}

impl fmt::Debug for ToolOffer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ToolOffer").field("tool", &self.tool.declaration().name).finish_non_exhaustive()
    }
}

/// A source of tools. The order is the precedence: if two tools want one name, the tool of the
/// earlier source gets it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolSource {
    pub rank: SourceRank,
    /// Its name for people: a file, a server, `built in`.
    pub origin: String,
}

impl ToolSource {
    pub fn new(rank: SourceRank, origin: impl Into<String>) -> Self {
        Self { rank, origin: origin.into() }
    }
}

/// The owner of a source. A project cannot take a name from the program or from its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceRank {
    /// Part of the program.
    BuiltIn,
    /// It belongs to the person who runs Holm.
    User,
    /// It belongs to the current project.
    Project,
    /// It belongs to a remote server.
    Server,
}
