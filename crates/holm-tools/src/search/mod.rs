//! Web search through a service that a person has chosen. No service is built in as the one to use.
//!
//! A service is data ([`Service`]): where it is asked, how the question and the key are handed over, and where in its JSON
//! answer the results stand. Three are written down here (`SearXNG`, Brave, Tavily); others with the same kind of answer are
//! a few lines of configuration. Every request goes through `holm-net` to the service's own origin, under the grant for
//! it; the key goes nowhere else and is in no error.

mod answer;
mod service;
mod tool;

#[cfg(test)]
mod tests;

pub use service::{Asking, Service, ServiceError};
pub use tool::WebSearch;
