//! Routes calls to several models by name, so that a run can fall back from one kind of model to
//! another.

use std::{collections::BTreeMap, sync::Arc};

use holm_kernel::{FailureClass, ModelResult};
use holm_runtime::{Ask, BoxFuture, Line, Model};
use holm_wire::{classify, provider_model};

/// Sends each call to the model that matches its name: first by the full name,
/// then by the provider.
///
/// ```
/// use std::sync::Arc;
/// use holm_models::{Router, ScriptedModel};
///
/// let spare = ScriptedModel::says(["I am the spare."]);
/// let _models = Router::new().with("scripted", Arc::new(spare));
/// ```
#[derive(Clone, Default)]
pub struct Router {
    models: BTreeMap<String, Arc<dyn Model>>,
}

impl Router {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a model under `provider/model`, or under a provider's name for all of its models.
    #[must_use]
    pub fn with(mut self, name: &str, model: Arc<dyn Model>) -> Self {
        self.models.insert(name.to_owned(), model);
        self
    }
}

impl Model for Router {
    fn open(&self) -> Box<dyn Line> {
        Box::new(RouterLine { models: self.models.clone(), lines: BTreeMap::new(), run: None })
    }

    fn open_run(&self, run: &str) -> Box<dyn Line> {
        let run = Some(run.to_owned());
        Box::new(RouterLine { models: self.models.clone(), lines: BTreeMap::new(), run })
    }
}

struct RouterLine {
    models: BTreeMap<String, Arc<dyn Model>>,
    /// Open connections, by the name under which their model is registered.
    lines: BTreeMap<String, Box<dyn Line>>,
    /// The run that owns the connections.
    run: Option<String>,
}

impl Line for RouterLine {
    fn call(&mut self, ask: Ask<'_>) -> BoxFuture<'static, ModelResult> {
        let name = ask.request.model.name.as_str();
        let place =
            [name, provider_model(name).0].into_iter().find_map(|name| self.models.get_key_value(name));
        let Some((key, model)) = place else {
            let message = format!("no model is named {name:?}; add it or its provider");
            let failed = ModelResult::Failed(classify::failure(FailureClass::BadRequest, &message));
            return Box::pin(async { failed });
        };
        let run = self.run.as_deref();
        let open = || run.map_or_else(|| model.open(), |run| model.open_run(run));
        self.lines.entry(key.clone()).or_insert_with(open).call(ask)
    }
}
