//! The result of inspecting a WASM file, for its author or a person who wants to use it.

use std::time::Duration;

use holm_sandbox::{GuestEntryPoint, WasmKind};

/// The facts about a WASM file, and its description of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestInspection {
    pub size: usize,
    /// A module or a component.
    pub kind: WasmKind,
    /// How it is called.
    pub entry: GuestEntryPoint,
    /// The functions that it imports.
    pub imports: Vec<String>,
    /// How long it took until it could be called, compiling included; little where the code was cached.
    pub loading: Duration,
    /// How long describing it took.
    pub describing: Duration,
    /// Where the description comes from.
    pub said_by: DescriptionSource,
    /// Its version, where it says so.
    pub version: Option<String>,
    /// The needs of each call.
    pub asks: Vec<String>,
    /// Who named these needs.
    pub asked_by: NeedsSource,
    /// Problems that its author may want to fix.
    pub warnings: Vec<String>,
}

/// Who named the needs of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedsSource {
    /// Its description of itself.
    Tool,
    /// The sidecar beside it.
    Sidecar,
    /// Holm, from the names of its arguments.
    Proposal,
}

/// The source of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptionSource {
    /// The text that it prints for `--help`.
    Help,
    /// Its custom section `holm:tool`.
    Section,
    Interface,
}

impl DescriptionSource {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Help => "its help text",
            Self::Section => "its section holm:tool",
            Self::Interface => "its interface holm:tool/description",
        }
    }
}
