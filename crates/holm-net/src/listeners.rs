//! Holm's own listening addresses. A model that may connect to localhost must not reach the server
//! that it runs under.
//!
//! It does not open listeners: the servers register theirs. The check is made in `connector.rs`,
//! and no grant overrides it.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, PoisonError};

/// The addresses on which this process listens, shared between the listeners and the connector.
///
/// A listener on every interface (`0.0.0.0`) covers all of this machine's own addresses. An address
/// that a router or a container's host translates back to this machine is not detected; the
/// server's own authentication protects against that.
///
/// ```
/// use holm_net::ListenerRegistry;
/// let listeners = ListenerRegistry::default();
/// let door = listeners.register("127.0.0.1:8123".parse().unwrap());
/// assert!(listeners.own("127.0.0.1:8123".parse().unwrap()));
/// assert!(!listeners.own("127.0.0.1:8124".parse().unwrap()));
/// drop(door);
/// assert!(!listeners.own("127.0.0.1:8123".parse().unwrap()));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ListenerRegistry(Arc<Mutex<BTreeMap<SocketAddr, u32>>>);

/// Keeps a listener registered until it is dropped.
#[derive(Debug)]
#[must_use = "the listener is forgotten when this is dropped"]
pub struct ListenerRegistration {
    listeners: ListenerRegistry,
    address: SocketAddr,
}

impl ListenerRegistry {
    /// Registers a listener by its bound address. Ask the socket for it, because port 0
    /// is not an address.
    pub fn register(&self, bound: SocketAddr) -> ListenerRegistration {
        let address = plain(bound);
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *list.entry(address).or_default() += 1;
        ListenerRegistration { listeners: self.clone(), address }
    }

    /// Whether a connection to `target` would reach one of the listeners.
    #[must_use]
    pub fn own(&self, target: SocketAddr) -> bool {
        let target = plain(target);
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut alike = list.keys().filter(|listener| listener.port() == target.port());
        alike.any(|listener| hears(listener.ip(), target.ip()))
    }
}

impl Drop for ListenerRegistration {
    fn drop(&mut self) {
        let mut list = self.listeners.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = list.get_mut(&self.address) else { return };
        *count -= 1;
        if *count == 0 {
            list.remove(&self.address);
        }
    }
}

/// Whether a listener bound to one address is reachable under the other, on the same port.
fn hears(bound: IpAddr, target: IpAddr) -> bool {
    // All of 127/8 and ::1 count as one place. Refusing a neighbouring address on the same port
    // costs nothing.
    bound == target
        || (bound.is_loopback() && target.is_loopback())
        || (bound.is_unspecified() && is_this_machine(target))
}

/// Whether packets to the address never leave this machine. The system then sends them
/// from that same address.
fn is_this_machine(ip: IpAddr) -> bool {
    if ip.is_loopback() || ip.is_unspecified() {
        return true;
    }
    let any: SocketAddr = match ip {
        IpAddr::V4(_) => ([0, 0, 0, 0], 0).into(),
        IpAddr::V6(_) => ([0_u16; 8], 0).into(),
    };
    // Connecting a datagram socket sends nothing; it only asks for the route of a packet. Any port
    // works.
    let from = UdpSocket::bind(any).and_then(|socket| {
        socket.connect((ip, 9))?;
        socket.local_addr()
    });
    from.is_ok_and(|from| from.ip() == ip)
}

/// Converts an IPv4 address in IPv6 notation back to IPv4.
fn plain(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

#[cfg(test)]
mod tests;
