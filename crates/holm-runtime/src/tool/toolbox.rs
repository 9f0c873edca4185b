//! The tools of a run, by name.

use std::{collections::BTreeMap, fmt, sync::Arc};

use holm_guards::{postcondition::Postconditions, schema::Schema};

use super::{IntoTool, Tool};

/// The tools of a run, in the order in which the model sees them.
#[derive(Clone, Default)]
pub struct Toolbox {
    order: Vec<Arc<dyn Tool>>,
    by_name: BTreeMap<String, Arc<dyn Tool>>,
    /// What was added by [`with`](Self::with) under a name that was taken; told by [`check`](Self::check).
    duplicates: Vec<String>,
}

impl Toolbox {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. That a name is taken already is told by [`check`](Self::check), which every driver asks before a
    /// run begins.
    #[must_use]
    pub fn with<M>(mut self, tool: impl IntoTool<M>) -> Self {
        if let Err(ToolboxError::Duplicate { name }) = self.add(tool) {
            self.duplicates.push(name);
        }
        self
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// [`ToolboxError::Duplicate`] if its name is taken; the toolbox stays as it was.
    pub fn add<M>(&mut self, tool: impl IntoTool<M>) -> Result<(), ToolboxError> {
        self.add_shared(Arc::new(tool.into_tool()))
    }

    /// Adds a tool that others hold too.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_shared(&mut self, tool: Arc<dyn Tool>) -> Result<(), ToolboxError> {
        let name = tool.declaration().name.clone();
        if self.by_name.contains_key(&name) {
            return Err(ToolboxError::Duplicate { name });
        }
        self.order.push(Arc::clone(&tool));
        self.by_name.insert(name, tool);
        Ok(())
    }

    /// Adds the tools of another toolbox behind these.
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

    /// Whether every tool can be used: names that are unique and not the run's own, schemas and promises that compile.
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
            let schema = Schema::compile(&declared.schema).map_err(|error| flawed(error.to_string()))?;
            let named = declared.needs.iter().flat_map(holm_grants::Template::arguments);
            for argument in named {
                if !schema.properties().any(|(property, _)| property == argument) {
                    let reason = format!(
                        "it needs something of its argument `{argument}`, which its schema does not have"
                    );
                    return Err(flawed(reason));
                }
            }
            Postconditions::compile(&declared.postconditions).map_err(|error| flawed(error.to_string()))?;
        }
        // Last, so that a tool of which this is told has no other flaw: under another name it can be used.
        check_names(self.order.iter().map(|tool| tool.declaration()))
    }

    /// What a run's configuration says of them.
    pub fn declarations(&self) -> Vec<holm_kernel::Tool> {
        self.order.iter().map(|tool| tool.declaration().clone()).collect()
    }

    /// The tool of a name.
    pub fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.by_name.get(name)
    }

    /// The tools, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Tool>> {
        self.order.iter()
    }

    /// How many there are.
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

/// Whether no tool has the name of one that a run carries out itself.
pub(crate) fn check_names<'a>(
    tools: impl IntoIterator<Item = &'a holm_kernel::Tool>,
) -> Result<(), ToolboxError> {
    match tools.into_iter().find(|tool| tool.takes_own_name()) {
        Some(tool) => Err(ToolboxError::Reserved { name: tool.name.clone() }),
        None => Ok(()),
    }
}

/// Tools cannot be used together, or one of them not at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolboxError {
    /// Two tools have one name.
    #[error("two tools are named `{name}`; the model could not tell them apart: rename one or leave it out")]
    Duplicate {
        name: String,
    },
    /// A tool has a name that belongs to a run itself.
    #[error("a tool is named `{name}`, which every run answers itself; call it something else")]
    Reserved {
        name: String,
    },
    /// A declaration does not hold together.
    #[error("the tool `{name}` cannot be used: {reason}")]
    Flawed {
        name: String,
        reason: String,
    },
}
