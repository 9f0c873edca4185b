//! Resolves names to addresses. It is a trait, so that tests can act as a name server of an
//! attacker.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

use holm_grants::HostName;

/// The result of a lookup: the addresses in the order of preference.
pub type ResolveFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Looks up the addresses of a name. Every answer is checked, so the resolver need not be trusted.
///
/// Literal addresses are never looked up, and a name is looked up once for each connection.
pub trait HostResolver: Send + Sync {
    /// Looks the name up.
    fn resolve<'a>(&'a self, name: &'a HostName) -> ResolveFuture<'a>;
}

/// The resolver of the operating system, with its hosts file and search list.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl HostResolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a HostName) -> ResolveFuture<'a> {
        Box::pin(async move {
            // The lookup ignores the port, but the function requires one.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
