//! Web search through a service that a person has chosen. There is no default service.
//!
//! A service is data ([`SearchService`]): its URL, how it takes the query and the key, and where its
//! JSON response holds the results. Three are defined here (`SearXNG`, Brave, Tavily). Others with
//! the same kind of response take a few lines of configuration. Every request goes through
//! `holm-net` to the service's own origin, under the grant for it. The key is sent nowhere else
//! and appears in no error.
//!
//! Where things are:
//! - `service.rs`: services as data, and the request that a query becomes.
//! - `tool.rs`: the tool, which sends the request.
//! - `answer.rs`: the results in a response.
//!
//! The flag that chooses a service is read in `holm-cli/src/tools/outside_tools.rs`.

mod answer;
mod service;
mod tool;

#[cfg(test)]
mod tests;

pub use service::{QueryEncoding, SearchService, SearchServiceError};
pub use tool::WebSearchTool;
