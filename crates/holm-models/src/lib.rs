//! Carries the wire codecs' requests over HTTP, and plays models that need no network. This crate knows no format
//! (that is `holm-wire`) and decides nothing: whether a failed call is tried again, and when, is the kernel's decision.
//!
//! ```no_run
//! use std::sync::Arc;
//! use holm_kernel::{Config, Model, Prompt, Started};
//! use holm_models::{Client, Keys};
//! use holm_runtime::{Host, drive};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::from_name("anthropic/claude-sonnet-4-5", Keys::from_environment())?;
//! let started = Started::new("run-1", 7, Config::new(Model::named("anthropic/claude-sonnet-4-5")));
//! let (ending, _) = drive(started, Prompt::text("Name three rivers."), Host::new(Arc::new(client))).await?;
//! println!("{ending:?}");
//! # Ok(())
//! # }
//! ```
//!
//! # Secrets
//!
//! A key is a [`SecretString`] from the moment it enters: it has no `Debug` form, it is put into its header at the very
//! last step, and whatever comes back (errors, replies, recorded traffic) is searched for it, also for its URL-encoded
//! and base64 forms, before anybody sees it ([`Secrets`]).
//!
//! # What is bounded
//!
//! Time to connect, to the first byte and between bytes ([`Timeouts`]); the bytes of a reply, of an error and of a list.
//! Redirects are not followed, because the key would go along. Compressed bodies are neither asked for nor accepted: a
//! stream gains little from compression, and a small body that unpacks to a large one is a known attack.

mod cassette;
mod client;
mod endpoint;
mod exchange;
mod http;
mod keys;
mod listing;
mod router;
mod scripted;
mod text_tools;
mod transport;

pub use cassette::{BadCassette, Cassette, Exchange, Player, Recorder};
pub use client::{Builder, Client, ClientError};
pub use endpoint::Endpoint;
pub use holm_runtime::Secrets;
pub use http::{Http, Proxies, Timeouts};
pub use keys::{Key, Keys};
pub use listing::{Credentials, ListError};
pub use router::Router;
pub use scripted::{AfterScript, ScriptedModel};
pub use secrecy::SecretString;
pub use text_tools::ToolCalls;
pub use transport::{Body, Incoming, Outgoing, Transport, TransportError};
