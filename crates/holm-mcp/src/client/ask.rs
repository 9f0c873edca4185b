//! What a server wants to know from the person, and what it is never told.

use std::sync::Arc;

use holm_runtime::BoxFuture;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value};

use crate::ServerName;

/// The longest text of a question; a person reads no more.
const LONGEST: usize = 4 * 1024;

/// Words in a field's name by which a form asks for what belongs in nobody's form. A server that must know such things sends
/// the person to a page of its own.
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

/// Asks the person on behalf of servers.
pub trait Asker: Send + Sync {
    /// Shows the question with the name of the server that asks it, and waits for the person.
    fn ask(&self, question: Question) -> BoxFuture<'static, Answer>;
}

/// What a server asks.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Who asks. Shown, so that no server can ask in another's name.
    pub server: ServerName,
    /// Its words; not to be believed.
    pub message: String,
    pub wanted: Wanted,
}

/// What is wanted of the person.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// Answers for these fields, as a JSON schema of an object with plain members.
    Form(Value),
    /// That they open this page in their own browser. Holm never does it for them.
    Visit(String),
}

/// What the person said.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// These values; for a page, nothing. What has a default and no value gets it.
    Given(Map<String, Value>),
    Declined,
    /// Nothing: they went away.
    Cancelled,
}

/// Nobody is there: servers are told that nothing can be asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct NobodyAnswers;

impl Asker for NobodyAnswers {
    fn ask(&self, _: Question) -> BoxFuture<'static, Answer> {
        Box::pin(async { Answer::Declined })
    }
}

/// Carries a server's question to the person and the answer back.
pub(crate) async fn elicit(
    server: &ServerName,
    asker: &Arc<dyn Asker>,
    request: ElicitRequestParams,
) -> ElicitResult {
    let (message, wanted) = match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
            if wants_secrets(&schema) {
                return ElicitResult::new(ElicitationAction::Decline);
            }
            (message, Wanted::Form(schema))
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => (message, Wanted::Visit(url)),
        // A kind that this version does not know cannot be shown.
        _ => return ElicitResult::new(ElicitationAction::Decline),
    };
    let schema = match &wanted {
        Wanted::Form(schema) => Some(schema.clone()),
        Wanted::Visit(_) => None,
    };
    let message = message.get(..message.floor_char_boundary(LONGEST)).unwrap_or_default().to_owned();
    match asker.ask(Question { server: server.clone(), message, wanted }).await {
        Answer::Given(values) => {
            let accepted = ElicitResult::new(ElicitationAction::Accept);
            match schema {
                Some(schema) => accepted.with_content(Value::Object(filled(&schema, values))),
                None => accepted,
            }
        }
        Answer::Declined => ElicitResult::new(ElicitationAction::Decline),
        Answer::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
    }
}

/// The values with defaults for what was left open, and without what nobody asked for.
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

/// Whether a field of the form is for a secret.
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
