//! Classifies addresses: the table of ranges that lead to internal networks, to nothing, or to
//! credentials.
//!
//! A model can make Holm connect. Hosts that only Holm's machine can reach must not become
//! reachable for the model. So an address is public only if no range here claims it, and for IPv6
//! only inside the allocated part.
//!
//! This file only classifies numbers. Names of metadata services are in `net/host.rs`, and whether
//! a grant opens an address is decided in `set.rs`. A new range may close addresses; a range that
//! opens some needs a reason, because models can then reach them.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The class of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressClass {
    /// An ordinary address of the public internet.
    Public,
    /// This machine: `127.0.0.0/8`, `::1`.
    Loopback,
    /// A private network: `10/8`, `172.16/12`, `192.168/16`, `fc00::/7`, `fec0::/10`.
    Private,
    /// Shared by a provider's customers: `100.64/10`.
    Shared,
    /// Reserved for measuring networks: `198.18/15`.
    Benchmark,
    /// Neighbours on the same wire: `169.254/16`, `fe80::/10`. Clouds put credentials
    /// here under many addresses.
    LinkLocal,
    /// A cloud's metadata service.
    Metadata,
    /// Not a destination: `0/8`, `::`. Some systems connect to themselves instead.
    Unspecified,
    /// Many receivers: `224/4`, `ff00::/8`.
    Multicast,
    /// Set aside by a standard: protocol assignments, relays,
    /// discard-only, documentation, future use.
    Reserved,
    /// An IPv6 address that carries an IPv4 one, so that a translator decides where it leads.
    Embedded,
}

/// Which grants may open an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressReach {
    /// Any grant that admits the host.
    Public,
    /// Only a grant that names the address, or a local name, literally.
    Named,
    /// No grant can allow it.
    Never,
}

impl AddressClass {
    /// The class of an address.
    ///
    /// ```
    /// use holm_grants::address::AddressClass;
    /// assert_eq!(AddressClass::of("93.184.216.34".parse()?), AddressClass::Public);
    /// assert_eq!(AddressClass::of("169.254.169.254".parse()?), AddressClass::Metadata);
    /// assert_eq!(AddressClass::of("::ffff:10.0.0.1".parse()?), AddressClass::Embedded);
    /// # Ok::<(), core::net::AddrParseError>(())
    /// ```
    #[must_use]
    pub fn of(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(ip) => of_v4(ip),
            IpAddr::V6(ip) => of_v6(ip),
        }
    }

    /// Which grants may open an address of this class.
    #[must_use]
    pub fn reach(self) -> AddressReach {
        match self {
            Self::Public => AddressReach::Public,
            Self::Loopback | Self::Private | Self::Shared | Self::Benchmark => AddressReach::Named,
            Self::LinkLocal
            | Self::Metadata
            | Self::Unspecified
            | Self::Multicast
            | Self::Reserved
            | Self::Embedded => AddressReach::Never,
        }
    }

    /// The class in words, for messages.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Public => "a public address",
            Self::Loopback => "an address of this machine",
            Self::Private => "an address of a private network",
            Self::Shared => "an address of a provider's shared network",
            Self::Benchmark => "an address for measuring networks",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "a metadata service that hands out credentials",
            Self::Unspecified => "an address that names no machine",
            Self::Multicast => "a multicast address",
            Self::Reserved => "an address reserved by a standard",
            Self::Embedded => "an IPv6 address that carries an IPv4 address",
        }
    }
}

/// Whether an address belongs to the public internet.
#[must_use]
pub fn is_public(ip: IpAddr) -> bool {
    AddressClass::of(ip) == AddressClass::Public
}

/// The IPv4 address that an IPv6 address carries: mapped, compatible, translated, NAT64,
/// 6to4, Teredo or ISATAP.
///
/// Such an address is never reached, for any inner address; the inner address is for the message.
///
/// ```
/// use core::net::Ipv4Addr;
/// use holm_grants::address::embedded;
/// assert_eq!(embedded("64:ff9b::a00:1".parse()?), Some(Ipv4Addr::new(10, 0, 0, 1)));
/// assert_eq!(embedded("2606:4700::1".parse()?), None);
/// # Ok::<(), core::net::AddrParseError>(())
/// ```
#[must_use]
pub fn embedded(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match ip.segments() {
        // `::` and `::1` are themselves, not IPv4-compatible addresses.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x64, 0xff9b, 1, _, _, _, high, low]
        | [0x2002, high, low, _, _, _, _, _]
        | [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(join(high, low)),
        // Teredo hides the client's address by inverting it.
        [0x2001, 0, _, _, _, _, high, low] => Some(join(!high, !low)),
        _ => None,
    }
}

fn of_v4(ip: Ipv4Addr) -> AddressClass {
    match ip.octets() {
        // Shared by most clouds, then Amazon's containers, Alibaba, Azure, Oracle. Azure's looks
        // like any public address.
        [169, 254, 169, 254]
        | [169, 254, 170, 2 | 23]
        | [100, 100, 100, 200]
        | [168, 63, 129, 16]
        | [192, 0, 0, 192] => AddressClass::Metadata,
        [0, ..] => AddressClass::Unspecified,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => AddressClass::Private,
        [100, 64..=127, ..] => AddressClass::Shared,
        [127, ..] => AddressClass::Loopback,
        [169, 254, ..] => AddressClass::LinkLocal,
        [198, 18 | 19, ..] => AddressClass::Benchmark,
        [224..=239, ..] => AddressClass::Multicast,
        // Protocol assignments, documentation, the 6to4 relay, AS112, AMT, documentation again,
        // future use.
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [192, 31, 196, _] | [192, 52, 193, _] | [192, 175, 48, _] => {
            AddressClass::Reserved
        }
        [198, 51, 100, _] | [203, 0, 113, _] | [240..=255, ..] => AddressClass::Reserved,
        _ => AddressClass::Public,
    }
}

fn of_v6(ip: Ipv6Addr) -> AddressClass {
    match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => return AddressClass::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => return AddressClass::Loopback,
        // Amazon's and Google's metadata services.
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, ..] => return AddressClass::Metadata,
        _ => {}
    }
    if embedded(ip).is_some() {
        return AddressClass::Embedded;
    }
    match ip.segments() {
        [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] => AddressClass::Private,
        [0xfe80..=0xfebf, ..] => AddressClass::LinkLocal,
        [0xff00..=0xffff, ..] => AddressClass::Multicast,
        // Protocol assignments 2001::/23, documentation 2001:db8::/32 and 3fff::/20, AS112.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] | [0x2620, 0x4f, 0x8000, ..] => {
            AddressClass::Reserved
        }
        [0x2000..=0x3fff, ..] => AddressClass::Public,
        _ => AddressClass::Reserved,
    }
}

#[cfg(test)]
mod tests;
