//! The one resolve-check-connect path: every outgoing connection that a model can cause goes through it.
//!
//! This crate does **not** read the environment, follow proxies that nobody passed, open a browser's worth of protocols
//! or decide what is granted. `holm-grants` decides; this crate sees to it that what was decided about is what is
//! connected to:
//!
//! 1. A URL that no grant admits is refused before its name is looked up, because a lookup already tells somebody.
//! 2. The name is resolved **once**, and every address of the answer is checked. One bad address spoils the answer.
//! 3. The connection goes to a checked address. No library below resolves again: HTTP is spoken on a stream that was
//!    opened here.
//! 4. Holm's own [`Listeners`] are never reached, whatever is granted.
//! 5. A redirect starts over at 1. A pooled connection is checked again for whoever wants to use it.
//!
//! [`Connector`] opens raw connections (sandboxed sockets, MCP); [`Client`] speaks HTTP/1.1 and HTTP/2 over them, under
//! [`Limits`] of size, time, decompression and media type. Errors name the grant that is missing, if one could help.
//!
//! ```
//! use std::net::IpAddr;
//! use std::sync::Arc;
//! use holm_grants::{GrantSet, Policy};
//! use holm_net::{Answer, Connector, HostName, NetError, Resolver};
//!
//! /// A name server that was bought by an attacker.
//! struct Hostile;
//! impl Resolver for Hostile {
//!     fn resolve<'a>(&'a self, _: &'a HostName) -> Answer<'a> {
//!         Box::pin(async { Ok(vec![IpAddr::from([169, 254, 169, 254])]) })
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let policy = Policy { grants: GrantSet::parse(["fetch:https://*"])?, ..Policy::default() };
//! let connector = Connector::new(Arc::new(Hostile));
//! let refused = connector.check(&"https://weather.example/".parse()?, &policy).await;
//! assert!(matches!(refused, Err(NetError::Refused(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

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
pub use client::Client;
pub use connector::{Connection, Connector, Patience, Route};
pub use error::{NetError, Refusal, Stage};
pub use holm_grants::HostName;
pub use limits::Limits;
pub use listeners::{Listeners, Registered};
pub use mime::Mimes;
pub use proxy::Proxy;
pub use request::HttpRequest;
pub use resolver::{Answer, Resolver, SystemResolver};
pub use response::HttpResponse;
pub use tls::Tls;
