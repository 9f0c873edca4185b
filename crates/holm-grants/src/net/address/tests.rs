use core::net::{IpAddr, Ipv4Addr};

use super::{AddressClass, AddressReach, embedded, is_public};

fn check(name: &str, ip: &str, class: AddressClass) {
    let ip: IpAddr = ip.parse().unwrap();
    assert_eq!(AddressClass::of(ip), class, "{name}: {ip}");
    assert_eq!(is_public(ip), class == AddressClass::Public, "{name}: {ip}");
}

/// First and last address of each range that leads inside or nowhere, and the
/// neighbours that are public.
#[test]
fn every_range_is_known_to_its_last_address() {
    for (name, first, last, class) in [
        ("this network", "0.0.0.0", "0.255.255.255", AddressClass::Unspecified),
        ("private ten", "10.0.0.0", "10.255.255.255", AddressClass::Private),
        ("shared", "100.64.0.0", "100.127.255.255", AddressClass::Shared),
        ("loopback", "127.0.0.0", "127.255.255.255", AddressClass::Loopback),
        ("link-local", "169.254.0.0", "169.254.255.255", AddressClass::LinkLocal),
        ("private 172", "172.16.0.0", "172.31.255.255", AddressClass::Private),
        ("protocol assignments", "192.0.0.0", "192.0.0.255", AddressClass::Reserved),
        ("documentation one", "192.0.2.0", "192.0.2.255", AddressClass::Reserved),
        ("6to4 relay", "192.88.99.0", "192.88.99.255", AddressClass::Reserved),
        ("private 192.168", "192.168.0.0", "192.168.255.255", AddressClass::Private),
        ("benchmark", "198.18.0.0", "198.19.255.255", AddressClass::Benchmark),
        ("documentation two", "198.51.100.0", "198.51.100.255", AddressClass::Reserved),
        ("documentation three", "203.0.113.0", "203.0.113.255", AddressClass::Reserved),
        ("multicast", "224.0.0.0", "239.255.255.255", AddressClass::Multicast),
        ("future use and broadcast", "240.0.0.0", "255.255.255.255", AddressClass::Reserved),
        ("mapped", "::ffff:0.0.0.0", "::ffff:255.255.255.255", AddressClass::Embedded),
        ("compatible", "::2", "::255.255.255.255", AddressClass::Embedded),
        ("translated", "::ffff:0:0.0.0.0", "::ffff:0:255.255.255.255", AddressClass::Embedded),
        ("nat64", "64:ff9b::", "64:ff9b::ffff:ffff", AddressClass::Embedded),
        ("local nat64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", AddressClass::Embedded),
        ("discard", "100::", "100::ffff:ffff:ffff:ffff", AddressClass::Reserved),
        ("teredo", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", AddressClass::Embedded),
        (
            "ipv6 protocol assignments",
            "2001:1::",
            "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
            AddressClass::Reserved,
        ),
        (
            "ipv6 documentation",
            "2001:db8::",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            AddressClass::Reserved,
        ),
        ("6to4", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", AddressClass::Embedded),
        ("newer documentation", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", AddressClass::Reserved),
        ("segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", AddressClass::Reserved),
        ("unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", AddressClass::Private),
        ("ipv6 link-local", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", AddressClass::LinkLocal),
        ("site-local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", AddressClass::Private),
        ("ipv6 multicast", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", AddressClass::Multicast),
    ] {
        check(name, first, class);
        check(name, last, class);
    }
    check("unspecified", "::", AddressClass::Unspecified);
    check("ipv6 loopback", "::1", AddressClass::Loopback);
    check("isatap", "2606:4700::5efe:a00:1", AddressClass::Embedded);
}

#[test]
fn neighbours_of_the_ranges_are_public() {
    for ip in [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.3.0",
        "192.88.98.255",
        "192.88.100.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2000::1",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2003::1",
        "2606:4700::1111",
        "3ffe:ffff::1",
    ] {
        check("neighbour", ip, AddressClass::Public);
    }
}

#[test]
fn metadata_services_are_known_and_never_reached() {
    for ip in [
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
    ] {
        check("metadata", ip, AddressClass::Metadata);
    }
    assert_eq!(AddressClass::Metadata.reach(), AddressReach::Never);
}

#[test]
fn only_addresses_that_a_person_may_mean_can_be_named() {
    let named = |ip: &str| AddressClass::of(ip.parse().unwrap()).reach() == AddressReach::Named;
    for ip in ["127.0.0.1", "10.1.2.3", "192.168.1.1", "100.64.0.1", "::1", "fd12::1", "198.18.0.1"] {
        assert!(named(ip), "{ip}");
    }
    for ip in ["0.0.0.0", "::", "169.254.1.1", "fe80::1", "224.0.0.1", "255.255.255.255", "::ffff:127.0.0.1"]
    {
        assert!(!named(ip), "{ip}");
    }
}

#[test]
fn the_address_inside_an_address_is_found() {
    let inner = Some(Ipv4Addr::new(127, 0, 0, 1));
    for ip in [
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::7f00:1",
        "2002:7f00:1::",
        "2001:0:1:2:3:4:80ff:fffe",
        "fe80::5efe:127.0.0.1",
        "fe80::200:5efe:127.0.0.1",
    ] {
        assert_eq!(embedded(ip.parse().unwrap()), inner, "{ip}");
    }
    for ip in ["::", "::1", "2001:4860::1", "fc00::7f00:1"] {
        assert_eq!(embedded(ip.parse().unwrap()), None, "{ip}");
    }
}
