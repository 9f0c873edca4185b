//! Web search through a service that a person has chosen. There is no default service.
//!
//! A service is data ([`SearchService`]): its URL, how it takes the query and the key, and where its
//! JSON response holds the results. Three are defined here (`SearXNG`, Brave, Tavily). Others with
//! the same kind of response take a few lines of configuration. Every request goes through
//! `holm-net` to the service's own origin, under the grant for it. The key is sent nowhere else
//! and appears in no error.

mod answer;
mod service;
mod tool;

#[cfg(test)]
mod tests;

pub use service::{QueryEncoding, SearchService, SearchServiceError};
pub use tool::WebSearchTool;
