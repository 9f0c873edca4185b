//! The tools of a run, by name, in the order in which the model sees them.
//!
//! It checks names, schemas and needs before a run starts. It does not load tools and does not
//! watch folders (`holm-tools/src/registry/` does), and it does not decide which tools a model is
//! offered (`holm-kernel/src/run/catalogue.rs` does). Two tools of one name are an error: a later
//! one must not replace a known tool.

use std::{collections::BTreeMap, fmt, sync::Arc};

use holm_guards::{postcondition::CompiledPostconditions, schema::CompiledSchema};

use super::{IntoTool, Tool};

/// The tools of a run, in the order in which the model sees them.
#[derive(Clone, Default)]
pub struct Toolbox {
    order: Vec<Arc<dyn Tool>>,
    by_name: BTreeMap<String, Arc<dyn Tool>>,
    /// Tools that [`with`](Self::with) added under a taken name;
    /// [`check`](Self::check) reports them.
    duplicates: Vec<String>,
}

impl Toolbox {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. If its name is taken, [`check`](Self::check) reports it; every driver calls
    /// that before a run starts.
    #[must_use]
    pub fn with<M>(mut self, tool: impl IntoTool<M>) -> Self {
        if let Err(ToolboxError::Duplicate { name }) = self.add(tool) {
            self.duplicates.push(name);
        }
        self
    }

    /// Adds a tool to the toolbox.
    ///
    /// # Errors
    /// [`ToolboxError::Duplicate`] if its name is taken; the toolbox is unchanged.
    pub fn add<M>(&mut self, tool: impl IntoTool<M>) -> Result<(), ToolboxError> {
        self.add_shared(Arc::new(tool.into_tool()))
    }

    /// Adds a shared tool to the toolbox.
    ///
    /// # Errors
    /// The same errors as [`add`](Self::add).
    pub fn add_shared(&mut self, tool: Arc<dyn Tool>) -> Result<(), ToolboxError> {
        let name = tool.declaration().name.clone();
        if self.by_name.contains_key(&name) {
            return Err(ToolboxError::Duplicate { name });
        }
        self.order.push(Arc::clone(&tool));
        self.by_name.insert(name, tool);
        Ok(())
    }

    /// Appends the tools of another toolbox.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        for tool in other.order {
            if let Err(ToolboxError::Duplicate { name }) = self.add_shared(tool) {
                self.duplicates.push(name);
            }
        }
        self.duplicates.extend(other.duplicates);
        self
    }

    /// Checks that every tool can be used: unique names that are not reserved, and schemas
    /// and postconditions that compile.
    ///
    /// # Errors
    /// The first [`ToolboxError`].
    pub fn check(&self) -> Result<(), ToolboxError> {
        if let Some(name) = self.duplicates.first() {
            return Err(ToolboxError::Duplicate { name: name.clone() });
        }
        for tool in &self.order {
            let declared = tool.declaration();
            let flawed = |reason: String| ToolboxError::Flawed { name: declared.name.clone(), reason };
            if declared.name.is_empty() {
                return Err(flawed("it has no name".into()));
            }
            let schema =
                CompiledSchema::compile(&declared.schema).map_err(|error| flawed(error.to_string()))?;
            let named = declared.needs.iter().flat_map(holm_grants::NeedTemplate::arguments);
            for argument in named {
                if !schema.properties().any(|(property, _)| property == argument) {
                    let reason =
                        format!("a need names the argument `{argument}`, which is not in the schema");
                    return Err(flawed(reason));
                }
            }
            CompiledPostconditions::compile(&declared.postconditions)
                .map_err(|error| flawed(error.to_string()))?;
        }
        // Last, so that a tool reported here has no other problem: under another name it can be
        // used.
        check_names(self.order.iter().map(|tool| tool.declaration()))
    }

    /// The declarations for a run's configuration.
    pub fn declarations(&self) -> Vec<holm_kernel::ToolSpec> {
        self.order.iter().map(|tool| tool.declaration().clone()).collect()
    }

    /// The tool with this name.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.by_name.get(name)
    }

    /// The tools, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Tool>> {
        self.order.iter()
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether it has no tools.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.order.iter().map(|tool| &tool.declaration().name)).finish()
    }
}

/// Checks that no tool has a reserved name.
pub(crate) fn check_names<'a>(
    tools: impl IntoIterator<Item = &'a holm_kernel::ToolSpec>,
) -> Result<(), ToolboxError> {
    match tools.into_iter().find(|tool| tool.takes_own_name()) {
        Some(tool) => Err(ToolboxError::Reserved { name: tool.name.clone() }),
        None => Ok(()),
    }
}

/// A tool cannot be used, or not together with another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolboxError {
    /// Two tools have the same name.
    #[error("two tools are named `{name}`; rename or remove one")]
    Duplicate { name: String },
    /// A tool has a reserved name.
    #[error("a tool is named `{name}`, a name that Holm reserves; rename it")]
    Reserved { name: String },
    /// A declaration is invalid.
    #[error("the tool `{name}` cannot be used: {reason}")]
    Flawed { name: String, reason: String },
}
