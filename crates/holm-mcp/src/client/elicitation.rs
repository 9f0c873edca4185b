//! Passes a server's questions (MCP elicitation) to the user. It never asks the user for secrets on
//! a server's behalf.
//!
//! How often a server may ask is limited in `notification_handler.rs`. How a question is shown is
//! up to the [`ElicitationHandler`]. Holm never opens a page for a server.
//!
//! Terminals and editors implement the handler in `holm-cli`; approvals of calls are not asked here
//! but by the kernel.

use std::sync::Arc;

use holm_runtime::BoxFuture;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value};

use crate::ServerName;

/// The longest text of a question. A person would not read more.
const LONGEST: usize = 4 * 1024;

/// Words in a field name which show that a form asks for a secret. Holm refuses such forms; a
/// server that needs a secret must send the user to its own web page.
const SECRETS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "credential",
    "privatekey",
    "private_key",
    "cvv",
    "pin_code",
    "seed_phrase",
];

/// Asks the user questions on behalf of servers.
pub trait ElicitationHandler: Send + Sync {
    /// Shows the question together with the name of the server that asks it, and
    /// waits for the user.
    fn ask(&self, question: ServerQuestion) -> BoxFuture<'static, ServerAnswer>;
}

/// A question from a server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerQuestion {
    /// The server that asks. The user sees its name, so no server can ask in another's name.
    pub server: ServerName,
    /// The server's message; it is untrusted.
    pub message: String,
    pub wanted: ServerQuestionKind,
}

/// What the server wants from the user.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerQuestionKind {
    /// Values for these fields, given as the JSON schema of a flat object.
    Form(Value),
    /// The server wants the user to open this page. Holm never opens it for them.
    Visit(String),
}

/// What the user answered to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerAnswer {
    /// The values of the form; empty for a page. Fields with a default and no
    /// value get the default.
    Given(Map<String, Value>),
    Declined,
    /// The user gave no answer.
    Cancelled,
}

/// Used when no user is present: servers learn that they cannot ask questions.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoElicitation;

impl ElicitationHandler for NoElicitation {
    fn ask(&self, _: ServerQuestion) -> BoxFuture<'static, ServerAnswer> {
        Box::pin(async { ServerAnswer::Declined })
    }
}

/// Carries a server's question to the user and returns the answer.
pub(crate) async fn elicit(
    server: &ServerName,
    asker: &Arc<dyn ElicitationHandler>,
    request: ElicitRequestParams,
) -> ElicitResult {
    let (message, wanted) = match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
            if wants_secrets(&schema) {
                return ElicitResult::new(ElicitationAction::Decline);
            }
            (message, ServerQuestionKind::Form(schema))
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            (message, ServerQuestionKind::Visit(url))
        }
        // This version cannot show an unknown kind of question.
        _ => return ElicitResult::new(ElicitationAction::Decline),
    };
    let schema = match &wanted {
        ServerQuestionKind::Form(schema) => Some(schema.clone()),
        ServerQuestionKind::Visit(_) => None,
    };
    let message = message.get(..message.floor_char_boundary(LONGEST)).unwrap_or_default().to_owned();
    match asker.ask(ServerQuestion { server: server.clone(), message, wanted }).await {
        ServerAnswer::Given(values) => {
            let accepted = ElicitResult::new(ElicitationAction::Accept);
            match schema {
                Some(schema) => accepted.with_content(Value::Object(filled(&schema, values))),
                None => accepted,
            }
        }
        ServerAnswer::Declined => ElicitResult::new(ElicitationAction::Decline),
        ServerAnswer::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
    }
}

/// Fills in the defaults of missing fields and removes fields that the form does not have.
fn filled(schema: &Value, mut values: Map<String, Value>) -> Map<String, Value> {
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return Map::new() };
    values.retain(|name, _| fields.contains_key(name));
    for (name, field) in fields {
        if let Some(default) = field.get("default").filter(|_| !values.contains_key(name)) {
            values.insert(name.clone(), default.clone());
        }
    }
    values
}

/// Whether a field of the form asks for a secret.
fn wants_secrets(schema: &Value) -> bool {
    let fields = schema.get("properties").and_then(Value::as_object);
    fields.into_iter().flatten().any(|(name, field)| {
        let title = field.get("title").and_then(Value::as_str).unwrap_or_default();
        let hidden = field.get("format").and_then(Value::as_str) == Some("password");
        let named = |text: &str| {
            let text = text.to_ascii_lowercase();
            SECRETS.iter().any(|word| text.contains(word))
        };
        hidden || named(name) || named(title)
    })
}

#[cfg(test)]
mod tests;
