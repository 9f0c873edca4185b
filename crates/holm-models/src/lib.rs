//! Sends the requests of the wire codecs over HTTP, and provides scripted models that need no
//! network. This crate knows no format (that is `holm-wire`) and makes no decisions: the kernel
//! decides whether and when a failed call is retried.
//!
//! ```no_run
//! use holm_kernel::{Config, ModelSpec, Prompt, Started};
//! use holm_models::{ModelClient, ProviderKeys};
//! use holm_runtime::{RunHost, drive};
//! use std::sync::Arc;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = ModelClient::from_name(
//!     "anthropic/claude-sonnet-4-5",
//!     ProviderKeys::from_environment(),
//! )?;
//! let started =
//!     Started::new("run-1", 7, Config::new(ModelSpec::named("anthropic/claude-sonnet-4-5")));
//! let (ending, _) =
//!     drive(started, Prompt::text("Name three rivers."), RunHost::new(Arc::new(client)))
//!         .await?;
//! println!("{ending:?}");
//! # Ok(())
//! # }
//! ```
//!
//! # Secrets
//!
//! A key is a [`SecretString`] from the start: it has no `Debug` form, and it is added to its
//! header at the very last step. Everything that comes back (errors, replies, recorded traffic) is
//! searched for the key before it is shown, including its URL-encoded and base64 forms
//! ([`SecretRedactor`]).
//!
//! # What is bounded
//!
//! Timeouts apply to connecting, to the first byte and between bytes ([`HttpTimeouts`]). Size limits
//! apply to replies, errors and lists. Redirects are not followed, because they would receive the
//! key. Compressed bodies are neither requested nor accepted: a stream gains little from
//! compression, and decompression bombs are a known attack.
//!
//! # Where things are
//!
//! - `client.rs`: providers, keys and connections. `exchange.rs`: one call.
//! - `endpoint.rs`, `keys.rs`, `listing.rs`: a provider, its key and its models.
//! - `transport.rs`: the interface. `http.rs`, `cassette.rs`: real and recorded traffic.
//! - `text_tools.rs`: tool calls as text. `router.rs`, `scripted_model.rs`: other models.

mod cassette;
mod client;
mod endpoint;
mod exchange;
mod http;
mod keys;
mod listing;
mod router;
mod scripted_model;
mod text_tools;
mod transport;

pub use cassette::{Cassette, CassetteError, RecordedExchange, RecordingTransport, ReplayTransport};
pub use client::{ModelClient, ModelClientBuilder, ModelClientError};
pub use endpoint::ModelEndpoint;
pub use holm_runtime::SecretRedactor;
pub use http::{HttpTimeouts, HttpTransport, ProxyPolicy};
pub use keys::{ProviderCredential, ProviderKeys};
pub use listing::{CredentialCheck, ModelListError};
pub use router::ModelRouter;
pub use scripted_model::{AfterScript, ScriptedModel};
pub use secrecy::SecretString;
pub use text_tools::ToolCallMode;
pub use transport::{ResponseBody, Transport, TransportError, TransportRequest, TransportResponse};
