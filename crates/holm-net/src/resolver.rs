//! Where addresses come from. A trait, so that tests can be the name server that an attacker owns.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

use holm_grants::HostName;

/// What a lookup gives: the addresses in the order of preference.
pub type Answer<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a name. Whatever it answers is checked, so it need not be trusted.
///
/// Addresses written as such are never asked about, and a name is asked about once for each connection.
pub trait Resolver: Send + Sync {
    /// Looks the name up.
    fn resolve<'a>(&'a self, name: &'a HostName) -> Answer<'a>;
}

/// The system's own resolver, with its hosts file and search list.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a HostName) -> Answer<'a> {
        Box::pin(async move {
            // The port plays no part in a lookup; the call wants one.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
