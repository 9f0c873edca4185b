//! Adds the error responses that every route may give to the OpenAPI document, so that all of them
//! have one form.
//!
//! It only describes: the responses themselves are made in `api_error.rs`. A route that defines a
//! status itself keeps its own text.

use utoipa::{
    Modify,
    openapi::{
        Content, Header, OpenApi, Ref, ResponseBuilder,
        path::{Operation, PathItem},
        schema::{ObjectBuilder, Type},
    },
};

/// Errors that any request may get.
pub(crate) const ANYBODY: [(&str, &str); 10] = [
    ("400", "An invalid name, path or query, or an unreadable body."),
    ("401", "A missing or invalid token."),
    ("403", "The token does not allow this, or the request comes from a page of another origin."),
    ("404", "Not found, or not visible to this user."),
    ("405", "The path does not support this method."),
    ("408", "The request took too long to arrive."),
    ("421", "The request was sent to an unknown host name."),
    ("429", "Too many requests or runs at once."),
    ("500", "An internal server error."),
    ("507", "The store is full."),
];

/// Further errors of requests with a body.
pub(crate) const SENDERS: [(&str, &str); 4] = [
    ("409", "A conflict with the current state."),
    ("413", "The body is too large."),
    ("415", "The body is not declared as JSON."),
    ("422", "The body does not match the schema."),
];

/// Adds the common error responses to every operation that does not define them itself.
pub(crate) struct ErrorResponses;

impl Modify for ErrorResponses {
    fn modify(&self, document: &mut OpenApi) {
        for item in document.paths.paths.values_mut() {
            let senders = [item.put.as_mut(), item.post.as_mut(), item.delete.as_mut(), item.patch.as_mut()];
            senders.into_iter().flatten().for_each(|operation| add(operation, &SENDERS));
            all(item).for_each(|operation| add(operation, &ANYBODY));
        }
    }
}

fn all(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, head, .. } = item;
    [get, put, post, delete, patch, head].into_iter().filter_map(Option::as_mut)
}

fn add(operation: &mut Operation, refusals: &[(&str, &str)]) {
    for (status, description) in refusals {
        let known = &mut operation.responses.responses;
        known.entry((*status).to_owned()).or_insert_with(|| refusal(status, description).into());
    }
}

fn refusal(status: &str, description: &str) -> ResponseBuilder {
    let problem = Content::new(Some(Ref::from_schema_name("Problem")));
    let refusal = ResponseBuilder::new().description(description).content("application/json", problem);
    let header = |kind: Type| Header::new(ObjectBuilder::new().schema_type(kind).build());
    match status {
        "401" => refusal.header("www-authenticate", header(Type::String)),
        "429" => refusal.header("retry-after", header(Type::Integer)),
        _ => refusal,
    }
}

#[cfg(test)]
mod tests;
