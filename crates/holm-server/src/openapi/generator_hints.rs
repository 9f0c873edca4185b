//! Prepares the OpenAPI document for programs that generate clients from it: unique operation ids,
//! names for the variants of a type, descriptions without Rust examples, and an example of every
//! body.
//!
//! The routes (`routes/`) describe themselves; this file only adds what a macro cannot know. The
//! stored document is served in `openapi.rs`, and error responses are added in
//! `error_responses.rs`.

use serde_json::{Value, json};
use utoipa::{
    Modify,
    openapi::{
        OpenApi, RefOr, Schema,
        path::{Operation, PathItem},
        schema::Object,
    },
};

use crate::error_responses::{ANYBODY, SENDERS};

/// Descriptions of responses whose route gives none.
const RESPONSES: [(&str, &str); 11] = [
    ("101", "The connection is a WebSocket from here on."),
    ("200", "Success."),
    ("201", "Created."),
    ("202", "Accepted; the work goes on after this response."),
    ("204", "Success, without a body."),
    ("402", "The budget of the user is used up."),
    ("412", "The stored version is not the one that the client has read."),
    ("426", "The request is not a WebSocket request."),
    ("428", "The request needs an `if-match` or `if-none-match` header."),
    ("502", "The provider of the model failed."),
    ("503", "The server cannot do this now; try again later."),
];

/// Adds the hints to the document.
pub(crate) struct GeneratorHints;

impl Modify for GeneratorHints {
    fn modify(&self, document: &mut OpenApi) {
        for (path, item) in &mut document.paths.paths {
            for operation in operations(item) {
                name(operation);
                describe(operation);
                add_example(path, operation);
            }
        }
        let schemas = document.components.as_mut().map(|components| &mut components.schemas);
        for (name, schema) in schemas.into_iter().flatten() {
            if let RefOr::T(schema) = schema {
                name_variants(name, schema);
                drop_doctest(schema);
            }
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, head, .. } = item;
    [get, put, post, delete, patch, head].into_iter().filter_map(Option::as_mut)
}

/// The id of an operation is its module and its function, which are unique together.
fn name(operation: &mut Operation) {
    let tag = operation.tags.as_ref().and_then(|tags| tags.first());
    let (Some(tag), Some(id)) = (tag, &operation.operation_id) else { return };
    if tag != id {
        operation.operation_id = Some(format!("{tag}_{id}"));
    }
}

fn describe(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let mut known = RESPONSES.iter().chain(&ANYBODY).chain(&SENDERS);
        if let RefOr::T(response) = response
            && response.description.is_empty()
            && let Some((_, text)) = known.find(|(known, _)| known == status)
        {
            response.description = (*text).to_owned();
        }
    }
}

/// Names each variant after its type, so that generators need not make up names that clash.
fn name_variants(name: &str, schema: &mut Schema) {
    let Schema::OneOf(variants) = schema else { return };
    for variant in &mut variants.items {
        let RefOr::T(Schema::Object(variant)) = variant else { continue };
        let Some(own) = variant_name(variant) else { continue };
        let title = format!("{name}{}", capitalized(&own));
        if let Some(RefOr::T(Schema::Object(content))) = variant.properties.get_mut(&own)
            && !content.properties.is_empty()
        {
            content.title = Some(format!("{title}Content"));
        }
        variant.title = Some(title);
    }
}

/// The tag of a variant: its only member, or its only value.
fn variant_name(variant: &Object) -> Option<String> {
    let values = variant.enum_values.as_deref().unwrap_or_default();
    match (variant.properties.keys().collect::<Vec<_>>().as_slice(), values) {
        ([member], []) => Some((*member).clone()),
        ([], [Value::String(value)]) => Some(value.clone()),
        _ => None,
    }
}

/// `over_budget` as `OverBudget`.
fn capitalized(name: &str) -> String {
    let words = name.split(['_', '-']).map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

/// Cuts the Rust example that ends a description.
fn drop_doctest(schema: &mut Schema) {
    let description = match schema {
        Schema::Object(schema) => &mut schema.description,
        Schema::OneOf(schema) => &mut schema.description,
        _ => return,
    };
    if let Some((text, _)) = description.as_deref().and_then(|text| text.split_once("\n\n```")) {
        *description = Some(text.to_owned());
    }
}

fn add_example(path: &str, operation: &mut Operation) {
    let Some(body) = &mut operation.request_body else { return };
    for content in body.content.values_mut() {
        let schema = match &content.schema {
            Some(RefOr::Ref(reference)) => reference.ref_location.rsplit('/').next(),
            Some(RefOr::T(_)) | None => None,
        };
        content.example = schema.map_or_else(|| path_example(path), schema_example);
    }
}

/// An example of a body that has its own type.
fn schema_example(schema: &str) -> Option<Value> {
    let nightly = || json!({ "when": { "cron": { "pattern": "30 2 * * *", "zone": "Europe/Berlin" } }, "prompt": "Write the report." });
    Some(match schema {
        "AgentText" => {
            json!({ "text": "---\nname: reviewer\ndescription: Reviews changes.\n---\nYou review.\n" })
        }
        "ForkAt" => json!({ "at": 12 }),
        "Move" => json!({ "from": "notes.txt", "to": "old-notes.txt" }),
        "NewBackup" => json!({ "name": "before-upgrade" }),
        "NewBudget" => json!({ "nano_usd": 5_000_000_000_u64 }),
        "NewFolder" => json!({ "path": "reports" }),
        "NewJob" => json!({ "id": "nightly", "spec": nightly() }),
        "NewKey" => json!({ "old_for_s": 86_400 }),
        "NewServer" => json!({ "name": "files", "entry": { "command": "mcp-files", "args": ["."] } }),
        "NewSession" => json!({ "prompt": "What does this project do?" }),
        "NewSite" => json!({ "name": "docs", "folder": "site", "place": { "host": "docs.localhost" } }),
        "NewFolderLevel" => json!({ "level": "look" }),
        "NewToken" => json!({ "user": "ada", "role": "operator" }),
        "ProviderKey" => json!({ "provider": "openai", "key": "sk-example" }),
        "Reply" => json!({ "question": 1, "answer": "once" }),
        "Spec" => nightly(),
        "Stop" => json!({ "reason": "no longer needed" }),
        "Title" => json!({ "title": "Report of May" }),
        "Trial" => json!({ "arguments": { "path": "notes.txt" }, "grants": ["read:notes.txt"] }),
        "Words" => json!({ "text": "Use the other folder." }),
        _ => return None,
    })
}

/// An example of a body whose format is another project's, or free.
fn path_example(path: &str) -> Option<Value> {
    Some(match path {
        "/api/files" => json!("Something to read.\n"),
        "/api/jobs/{id}" => json!({ "timeout_s": 900 }),
        "/hooks/{user}/{job}" => json!({ "ref": "refs/heads/main" }),
        "/v1/chat/completions" => {
            json!({ "model": "holm", "messages": [{ "role": "user", "content": "What is 2 + 2?" }] })
        }
        "/v1/responses" => json!({ "model": "holm", "input": "What is 2 + 2?" }),
        _ => return None,
    })
}
