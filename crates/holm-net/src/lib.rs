//! The only path for outgoing connections that a model can cause: it resolves, checks, and
//! connects.
//!
//! This crate does **not** read the environment, use proxies that the caller did not pass, support
//! a browser's range of protocols, or decide what is granted. `holm-grants` decides. This crate
//! guarantees that the connection goes to the address that was decided about:
//!
//! 1. A URL that no grant admits is refused before its name is looked up, because the lookup itself
//!    already reveals the name.
//! 2. The name is resolved **once**, and every address of the answer is checked. One bad address
//!    makes the whole answer invalid.
//! 3. The connection goes to a checked address. The HTTP library does not resolve again: it uses a
//!    stream that was opened here.
//! 4. Holm's own [`ListenerRegistry`] are never reached, even if they are granted.
//! 5. A redirect starts again at step 1. A pooled connection is checked again for each request that
//!    wants to use it.
//!
//! [`Connector`] opens raw connections for sandboxed sockets and MCP. [`HttpClient`] sends HTTP/1.1
//! and HTTP/2 requests over them, with [`ExchangeLimits`] on size, time, decompression and media
//! type. Errors name the missing grant, if a grant could help.
//!
//! ```
//! use std::net::IpAddr;
//! use std::sync::Arc;
//! use holm_grants::{GrantSet, GrantPolicy};
//! use holm_net::{ResolveFuture, Connector, HostName, NetError, HostResolver};
//!
//! /// A name server that was bought by an attacker.
//! struct Hostile;
//! impl HostResolver for Hostile {
//!     fn resolve<'a>(&'a self, _: &'a HostName) -> ResolveFuture<'a> {
//!         Box::pin(async { Ok(vec![IpAddr::from([169, 254, 169, 254])]) })
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let policy = GrantPolicy { grants: GrantSet::parse(["fetch:https://*"])?, ..GrantPolicy::default() };
//! let connector = Connector::new(Arc::new(Hostile));
//! let refused = connector.check(&"https://weather.example/".parse()?, &policy).await;
//! assert!(matches!(refused, Err(NetError::Refused(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! Where things are:
//! - `connector.rs`: resolves, checks and connects. `check.rs`, `port.rs`, `listeners.rs`: the
//!   checks. `resolver.rs`, `proxy.rs`: names and proxies.
//! - `client.rs`, `pool.rs`, `redirect.rs`, `tls.rs`: HTTP. `request.rs`, `response.rs`,
//!   `decode.rs`, `mime.rs`, `limits.rs`: one exchange.
//! - `error.rs`: why something failed.

mod check;
mod client;
mod connector;
mod decode;
mod error;
mod limits;
mod listeners;
mod mime;
mod pool;
mod port;
mod proxy;
mod redirect;
mod request;
mod resolver;
mod response;
mod tls;

pub use check::admit;
pub use client::HttpClient;
pub use connector::{CheckedConnection, CheckedRoute, ConnectTimeouts, Connector};
pub use error::{ConnectionDenied, ExchangeStage, NetError};
pub use holm_grants::HostName;
pub use limits::ExchangeLimits;
pub use listeners::{ListenerRegistration, ListenerRegistry};
pub use mime::MimeFilter;
pub use proxy::TunnelProxy;
pub use request::HttpClientRequest;
pub use resolver::{HostResolver, ResolveFuture, SystemResolver};
pub use response::HttpClientResponse;
pub use tls::TlsConfig;
