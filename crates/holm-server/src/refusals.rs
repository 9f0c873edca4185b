//! Adds the error responses that every route may give to the OpenAPI document, so that all of them
//! have one form.

use utoipa::{
    Modify,
    openapi::{
        Content, Header, OpenApi, Ref, ResponseBuilder,
        path::{Operation, PathItem},
        schema::{ObjectBuilder, Type},
    },
};

/// Errors that any request may get.
const ANYBODY: [(&str, &str); 10] = [
    ("400", "A name, a path or a query that is none, or a body that cannot be read."),
    ("401", "No token, or a wrong one."),
    ("403", "The token is not for this, or a page of another origin asks."),
    ("404", "There is no such thing, or not for this user."),
    ("405", "The path does not answer this method."),
    ("408", "The request took too long to arrive."),
    ("421", "The request was sent to another name."),
    ("429", "Too much at once."),
    ("500", "The server cannot, and it is not the client's doing."),
    ("507", "The store is full."),
];

/// Further errors of requests with a body.
const SENDERS: [(&str, &str); 4] = [
    ("409", "It does not fit what is there now."),
    ("413", "The body is too large."),
    ("415", "The body is not said to be JSON."),
    ("422", "The body does not fit."),
];

/// Adds the common error responses to every operation that does not define them itself.
pub(crate) struct Refusals;

impl Modify for Refusals {
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
    for (status, why) in refusals {
        let known = &mut operation.responses.responses;
        known.entry((*status).to_owned()).or_insert_with(|| refusal(status, why).into());
    }
}

fn refusal(status: &str, why: &str) -> ResponseBuilder {
    let problem = Content::new(Some(Ref::from_schema_name("Problem")));
    let refusal = ResponseBuilder::new().description(why).content("application/json", problem);
    let header = |kind: Type| Header::new(ObjectBuilder::new().schema_type(kind).build());
    match status {
        "401" => refusal.header("www-authenticate", header(Type::String)),
        "429" => refusal.header("retry-after", header(Type::Integer)),
        _ => refusal,
    }
}

#[cfg(test)]
mod tests;
