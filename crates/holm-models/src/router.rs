//! Routes calls to several models by name, so that a run can fall back from one kind of model to
//! another.
//!
//! When a run falls back is decided by the kernel. It opens no connection to a provider: the models
//! that it calls do, such as `client.rs`.

use std::{collections::BTreeMap, sync::Arc};

use holm_kernel::{FailureClass, ModelResult};
use holm_runtime::{BoxFuture, Model, ModelConnection, ModelRequest};
use holm_wire::{classify, provider_model};

/// Sends each call to the model that matches its name: first by the full name,
/// then by the provider.
///
/// ```
/// use std::sync::Arc;
/// use holm_models::{ModelRouter, ScriptedModel};
///
/// let spare = ScriptedModel::says(["I am the spare."]);
/// let _models = ModelRouter::new().with("scripted", Arc::new(spare));
/// ```
#[derive(Clone, Default)]
pub struct ModelRouter {
    models: BTreeMap<String, Arc<dyn Model>>,
}

impl ModelRouter {
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

impl Model for ModelRouter {
    fn open(&self) -> Box<dyn ModelConnection> {
        Box::new(RouterConnection { models: self.models.clone(), lines: BTreeMap::new(), run: None })
    }

    fn open_run(&self, run: &str) -> Box<dyn ModelConnection> {
        let run = Some(run.to_owned());
        Box::new(RouterConnection { models: self.models.clone(), lines: BTreeMap::new(), run })
    }
}

struct RouterConnection {
    models: BTreeMap<String, Arc<dyn Model>>,
    /// Open connections, by the name under which their model is registered.
    lines: BTreeMap<String, Box<dyn ModelConnection>>,
    /// The run that owns the connections.
    run: Option<String>,
}

impl ModelConnection for RouterConnection {
    fn call(&mut self, ask: ModelRequest<'_>) -> BoxFuture<'static, ModelResult> {
        let name = ask.request.model.name.as_str();
        let route =
            [name, provider_model(name).0].into_iter().find_map(|name| self.models.get_key_value(name));
        let Some((key, model)) = route else {
            let message = format!("no model is named {name:?}; add it or its provider");
            let failed = ModelResult::Failed(classify::failure(FailureClass::BadRequest, &message));
            return Box::pin(async { failed });
        };
        let run = self.run.as_deref();
        let open = || run.map_or_else(|| model.open(), |run| model.open_run(run));
        self.lines.entry(key.clone()).or_insert_with(open).call(ask)
    }
}
