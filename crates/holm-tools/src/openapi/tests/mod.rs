//! Documents as tools: schemas, requests, keys, and calls to servers on this machine.

mod calls;
mod generated;
mod keys;
mod reading;
mod server;

use std::sync::Arc;

use holm_guards::json::Json;
use holm_kernel::ToolOutput;
use holm_net::HttpClient;
use holm_runtime::{Tool, ToolInvocation};
use secrecy::SecretString;

use super::{OpenApiError, OpenApiKeyStore, OpenApiToolbox, OpenApiTools};
use crate::fetch::tests::reach::client;
use crate::registry::ToolSidecar;

/// Keys by the names under which they are stored.
#[derive(Default)]
pub(super) struct Keys(pub(super) Vec<(String, String)>);

impl OpenApiKeyStore for Keys {
    fn stored(&self, name: &str) -> Result<Option<SecretString>, String> {
        Ok(self.0.iter().find(|(known, _)| known == name).map(|(_, key)| key.clone().into()))
    }

    fn variable(&self, name: &str) -> Option<SecretString> {
        (name == "API_KEY").then(|| "key-of-the-environment".into())
    }
}

pub(super) fn net() -> HttpClient {
    client(Arc::default())
}

pub(super) fn tools_with(document: &str, sidecar: &str, keys: Keys) -> Result<OpenApiTools, OpenApiError> {
    let sidecar = ToolSidecar::parse(sidecar).expect("a sidecar");
    OpenApiToolbox::new("shop", net(), Arc::new(keys)).sidecar(sidecar).tools(document.as_bytes())
}

pub(super) fn tools(document: &str) -> Result<OpenApiTools, OpenApiError> {
    tools_with(document, "", Keys::default())
}

/// A document with these paths, at this server.
pub(super) fn document(server: &str, paths: &str) -> String {
    format!(
        r#"{{"openapi": "3.1.0", "info": {{"title": "Shop", "version": "1"}}, "servers": [{{"url": "{server}"}}], "paths": {paths}}}"#
    )
}

/// Calls a tool as the kernel would: its needs are made of the arguments.
pub(super) async fn call(tools: &OpenApiTools, name: &str, arguments: &str) -> ToolOutput {
    let tool = tools.offers.iter().map(|offer| &offer.tool).find(|tool| tool.declaration().name == name);
    let tool = tool.unwrap_or_else(|| panic!("no tool {name}"));
    allowed(tool.as_ref(), arguments).await
}

pub(super) async fn allowed(tool: &dyn Tool, arguments: &str) -> ToolOutput {
    let values = Json::parse(arguments).expect("arguments");
    let text = |name: &str| -> Vec<String> {
        match values.get(name) {
            Some(Json::String(text)) => vec![text.clone()],
            Some(other) => vec![other.canonical()],
            None => Vec::new(),
        }
    };
    let mut needs = Vec::new();
    for template in &tool.declaration().needs {
        let names: Vec<(String, Vec<String>)> =
            template.arguments().map(|name| (name.to_owned(), text(name))).collect();
        let lookup = |name: &str| {
            let found = names.iter().find(|(known, _)| known == name);
            found.map(|(_, texts)| texts.iter().map(String::as_str).collect::<Vec<_>>()).unwrap_or_default()
        };
        match template.needs(lookup) {
            Ok(found) => needs.extend(found),
            Err(error) => return ToolOutput::failed(format!("not run: {error}")),
        }
    }
    let mut job = ToolInvocation::alone(values.canonical());
    job.needs = needs.into();
    tool.run(job).await
}
