//! A compiled and linked guest. A call only has to make an instance.
//!
//! It finds the entry point and links the functions that a guest may import; those are in `p1/` and
//! `p2/`. Loading code is in `artifact.rs`, running it in `run.rs`. A guest that imports anything
//! else is refused, so a new import must be added to a linker on purpose. Nothing of a call is kept
//! here: clones are used by many calls at once.

use std::sync::Arc;

use thiserror::Error;
use wasmtime::component::{Component, ComponentExportIndex};
use wasmtime::{Engine, Module, ModuleExport};

use crate::cache::TrustedCode;
use crate::compile::CompileError;
use crate::state::GuestState;
use crate::wasm_shape::{WasmKind, WasmShape, WasmShapeError};
use crate::{artifact, p1, p2};

/// The call of the text world, as `wit/tool.wit` has it.
const CALL: &str = "holm:tool/call@0.1.0";
const DESCRIPTION: &str = "holm:tool/description@0.1.0";
/// The same for a module without a component around it, as the canonical ABI names its functions.
const PLAIN_CALL: &str = "holm:tool/call@0.1.0#run";
const PLAIN_DESCRIPTION: &str = "holm:tool/description@0.1.0#describe";
const REALLOC: &str = "cabi_realloc";
const MEMORY: &str = "memory";
/// The function that a module without its own entry point needs called first.
const INITIALIZE: &str = "_initialize";
/// The prefix of the name of a command's only function; any version of WASI 0.2 is accepted.
const RUN: &str = "wasi:cli/run@0.2.";

/// Code that can be called, any number of times and by many at once. Clones are the same guest.
#[derive(Clone)]
pub struct Guest(pub(crate) Arc<LoadedGuest>);

pub(crate) struct LoadedGuest {
    pub(crate) shape: WasmShape,
    pub(crate) hash: [u8; 32],
    pub(crate) code: GuestCode,
}

pub(crate) enum GuestCode {
    Command { pre: wasmtime::component::InstancePre<GuestState>, run: ComponentExportIndex },
    Text(TextComponent),
    Plain(TextModule),
    Module { pre: wasmtime::InstancePre<GuestState>, start: ModuleExport },
}

pub(crate) struct TextComponent {
    pub(crate) pre: wasmtime::component::InstancePre<GuestState>,
    pub(crate) run: ComponentExportIndex,
    pub(crate) describe: Option<ComponentExportIndex>,
    pub(crate) waits: ImportWaiting,
}

/// A plain module of the text world, without a component around it. It imports only WASI 0.1.
///
/// A component with files consists of four instances and a table, most of which only lead from one
/// to the other. For a guest that works for a few microseconds, creating and clearing them takes
/// longer than the work.
pub(crate) struct TextModule {
    pub(crate) pre: wasmtime::InstancePre<GuestState>,
    pub(crate) run: ModuleExport,
    pub(crate) describe: Option<ModuleExport>,
    pub(crate) realloc: ModuleExport,
    pub(crate) memory: ModuleExport,
    pub(crate) initialize: Option<ModuleExport>,
}

/// Whether a guest's imports can make it wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImportWaiting {
    /// It imports a function that may wait, so it runs where waiting can be cut short.
    Maybe,
    /// It imports nothing of that kind, so it needs no separate stack.
    Never,
}

/// The entry point of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuestEntryPoint {
    /// By a command line, as a component of WASI 0.2.
    Command,
    /// By a command line, as a module of WASI 0.1.
    Module,
    /// By one text, as a component of the world `holm:tool`, or as the module that such a
    /// component is made of.
    Text,
}

/// Why bytes did not become a guest.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GuestLoadError {
    /// They were refused at first sight.
    #[error(transparent)]
    Shape(#[from] WasmShapeError),
    /// They could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The bytes import a function that the sandbox does not offer.
    #[error("it imports something that Holm does not provide: {0}")]
    Import(String),
    /// The bytes have no entry point.
    #[error("it exports neither wasi:cli/run nor holm:tool/call nor _start")]
    NoEntry,
    /// It needs more instances, memories or tables than one guest may have.
    #[error("its interface does not match: {0}")]
    Unsuitable(String),
}

impl Guest {
    /// The entry point of the guest.
    #[must_use]
    pub fn entry(&self) -> GuestEntryPoint {
        match self.0.code {
            GuestCode::Command { .. } => GuestEntryPoint::Command,
            GuestCode::Text(_) | GuestCode::Plain(_) => GuestEntryPoint::Text,
            GuestCode::Module { .. } => GuestEntryPoint::Module,
        }
    }

    /// The shape of its code.
    #[must_use]
    pub fn shape(&self) -> &WasmShape {
        &self.0.shape
    }

    /// The SHA-256 of its bytes, which identifies a changed guest.
    #[must_use]
    pub fn hash(&self) -> &[u8; 32] {
        &self.0.hash
    }

    /// Whether it can describe itself; see [`crate::Sandbox::describe`].
    #[must_use]
    pub fn describes_itself(&self) -> bool {
        match &self.0.code {
            GuestCode::Text(text) => text.describe.is_some(),
            GuestCode::Plain(plain) => plain.describe.is_some(),
            GuestCode::Command { .. } | GuestCode::Module { .. } => false,
        }
    }
}

impl std::fmt::Debug for Guest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guest")
            .field("entry", &self.entry())
            .field("size", &self.0.shape.size)
            .finish_non_exhaustive()
    }
}

/// The linkers for guests, created once.
pub(crate) struct GuestLinkers {
    component: wasmtime::component::Linker<GuestState>,
    /// The part of it that never waits.
    prompt: wasmtime::component::Linker<GuestState>,
    module: wasmtime::Linker<GuestState>,
}

impl GuestLinkers {
    pub(crate) fn new(engine: &Engine) -> wasmtime::Result<Self> {
        let mut component = wasmtime::component::Linker::new(engine);
        p2::link(&mut component)?;
        let mut prompt = wasmtime::component::Linker::new(engine);
        p2::link_prompt(&mut prompt)?;
        let mut module = wasmtime::Linker::new(engine);
        p1::link(&mut module)?;
        Ok(Self { component, prompt, module })
    }

    /// Links compiled code and finds the entry point. The outer error means that the code cannot be
    /// loaded by this engine.
    pub(crate) fn link(
        &self,
        engine: &Engine,
        kind: WasmKind,
        code: &TrustedCode,
    ) -> Result<Result<GuestCode, GuestLoadError>, wasmtime::Error> {
        Ok(match kind {
            WasmKind::Component => self.link_component(&artifact::component(engine, code)?),
            WasmKind::Module => self.link_module(&artifact::module(engine, code)?),
        })
    }

    fn link_component(&self, component: &Component) -> Result<GuestCode, GuestLoadError> {
        let function = |instance: &str, name: &str| {
            let instance = component.get_export_index(None, instance)?;
            component.get_export_index(Some(&instance), name)
        };
        if let Some(run) = function(CALL, "run") {
            let describe = function(DESCRIPTION, "describe");
            let (pre, waits) = match self.prompt.instantiate_pre(component) {
                Ok(pre) => (pre, ImportWaiting::Never),
                Err(_) => (self.component.instantiate_pre(component).map_err(import)?, ImportWaiting::Maybe),
            };
            return Ok(GuestCode::Text(TextComponent { pre, run, describe, waits }));
        }
        let pre = self.component.instantiate_pre(component).map_err(import)?;
        let exports = component.component_type();
        let run = exports
            .exports(component.engine())
            .map(|(name, _)| name)
            .find(|name| name.starts_with(RUN))
            .and_then(|name| function(name, "run"));
        run.map(|run| GuestCode::Command { pre, run }).ok_or(GuestLoadError::NoEntry)
    }

    fn link_module(&self, module: &Module) -> Result<GuestCode, GuestLoadError> {
        let pre = self.module.instantiate_pre(module).map_err(import)?;
        let export = |name: &str| module.get_export_index(name);
        if let (Some(run), Some(realloc), Some(memory)) =
            (export(PLAIN_CALL), export(REALLOC), export(MEMORY))
        {
            let (describe, initialize) = (export(PLAIN_DESCRIPTION), export(INITIALIZE));
            return Ok(GuestCode::Plain(TextModule { pre, run, describe, realloc, memory, initialize }));
        }
        let start = module.get_export_index("_start").ok_or(GuestLoadError::NoEntry)?;
        Ok(GuestCode::Module { pre, start })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of map_err")]
fn import(error: wasmtime::Error) -> GuestLoadError {
    GuestLoadError::Import(format!("{error:#}"))
}

#[cfg(test)]
mod tests;
