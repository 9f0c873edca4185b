use alloc::format;
use alloc::string::{String, ToString};

use super::{HostPattern, UrlHost};
use crate::error::HostError;

fn reads(text: &str, shown: &str) {
    assert_eq!(text.parse::<UrlHost>().map(|host| host.to_string()), Ok(String::from(shown)), "{text}");
}

fn refused(text: &str, error: HostError) {
    assert_eq!(text.parse::<UrlHost>(), Err(error), "{text}");
}

#[test]
fn every_spelling_of_an_address_is_reduced_to_it() {
    for loopback in [
        "127.0.0.1",
        "127.0.0.1.",
        "2130706433",
        "0x7f000001",
        "0X7F000001",
        "017700000001",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0x7f.0.0.0x1",
        "0177.0.0x0.1",
        "127.1",
        "127.0.1",
        "0x7f.1",
        "127.0x1",
        "00000177.0.0.1",
        "%31%32%37.0.0.1",
        "%31%32%37%2e%30%2e%30%2e%31",
        "127%2E1",
    ] {
        reads(loopback, "127.0.0.1");
    }
    reads("0", "0.0.0.0");
    reads("0x", "0.0.0.0");
    reads("0.0.0.0", "0.0.0.0");
    reads("4294967295", "255.255.255.255");
    reads("1.65535", "1.0.255.255");
    reads("1.2.65535", "1.2.255.255");
    reads("[::1]", "[::1]");
    reads("[0:0:0:0:0:0:0:1]", "[::1]");
    reads("[FE80::1]", "[fe80::1]");
    reads("[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]");
    reads("[::ffff:7f00:1]", "[::ffff:127.0.0.1]");
}

#[test]
fn a_host_that_ends_in_a_number_is_an_address_or_nothing() {
    for text in [
        "256.0.0.1",
        "1.2.3.4.5",
        "4294967296",
        "0x100000000",
        "1.2.3.256",
        "1.16777216",
        "1..1",
        "08.0.0.1",
        "foo.0x1",
        "example.1",
        "127.0.0.08",
        "99999999999999999999",
    ] {
        assert!(
            matches!(text.parse::<UrlHost>(), Err(HostError::BadIpv4 | HostError::EmptyLabel)),
            "{text} was read as {:?}",
            text.parse::<UrlHost>()
        );
    }
}

#[test]
fn names_have_one_form() {
    reads("Example.COM", "example.com");
    reads("example.com.", "example.com");
    reads("ex%61mple.com", "example.com");
    reads("xn--bcher-kva.example", "xn--bcher-kva.example");
    reads("_dmarc.example.com", "_dmarc.example.com");
    reads("a.1e100.net", "a.1e100.net");
    reads("0xdefg", "0xdefg");
}

#[test]
fn disguises_are_refused() {
    refused("", HostError::Empty);
    refused(".", HostError::Empty);
    refused("..", HostError::EmptyLabel);
    refused(".example.com", HostError::EmptyLabel);
    refused("example..com", HostError::EmptyLabel);
    refused("example.com..", HostError::EmptyLabel);
    for foreign in [
        "１２７.0.0.1",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "127．0．0．1",
        "bücher.example",
        "exаmple.com",
        "\u{212a}.example",
        "ß.example",
    ] {
        refused(foreign, HostError::NotAscii);
    }
    refused("%EF%BC%91.example", HostError::NotAscii);
    for odd in [
        "a%00b", "a%2fb", "a%40b", "a b", "a%20b", "a_b!c", "a%", "a%zz", "a%2", "a:b", "a%3Ab", "a@b", "*.a",
    ] {
        refused(odd, HostError::BadCharacter);
    }
    for broken in ["[", "[]", "[::1", "[::1]x", "[127.0.0.1]", "[1:2]", "[::g]", "[::1]]", "[[::1]]"] {
        refused(broken, HostError::BadIpv6);
    }
    refused("[fe80::1%25eth0]", HostError::Zone);
    refused("[fe80::1%eth0]", HostError::Zone);
    refused("::1", HostError::BadCharacter);
    refused(&"a".repeat(64), HostError::TooLong);
    refused(&"a.".repeat(128), HostError::TooLong);
    refused(&"%61".repeat(5000), HostError::TooLong);
}

#[test]
fn wildcards_stay_within_their_domain() {
    let check = |pattern: &str, host: &str, expect: bool| {
        let parsed: HostPattern = pattern.parse().unwrap();
        assert_eq!(parsed.admits(&host.parse().unwrap()), expect, "{pattern} on {host}");
        assert_eq!(parsed.to_string().parse(), Ok(parsed), "{pattern} prints as it reads");
    };
    check("*.example.com", "a.example.com", true);
    check("*.example.com", "a.b.example.com", true);
    check("*.example.com", "example.com", false);
    check("*.example.com", "aexample.com", false);
    check("*.example.com", "example.com.evil.net", false);
    check("*.localdomain", "localhost.localdomain", false);
    check("*.google.internal", "metadata.google.internal", false);
    check("*.google.internal", "x.google.internal", true);
    check("*", "example.com", true);
    check("*", "localhost", false);
    check("*", "x.localhost", false);
    check("*", "93.184.216.34", true);
    check("*", "127.0.0.1", false);
    check("*", "10.0.0.1", false);
    check("*", "metadata.google.internal.", false);
    check("localhost", "LOCALHOST.", true);
    check("127.0.0.1", "0x7f.1", true);
    check("[fc00::1]", "[FC00:0::1]", true);
}

#[test]
fn host_patterns_that_would_open_too_much_or_nothing_are_refused() {
    let refused =
        |text: &str, error: HostError| assert_eq!(text.parse::<HostPattern>(), Err(error), "{text}");
    refused("a.*.com", HostError::Wildcard);
    refused("*a.com", HostError::Wildcard);
    refused("**", HostError::Wildcard);
    refused("*.127.0.0.1", HostError::Wildcard);
    refused("*.localhost", HostError::LocalWildcard);
    refused("*.a.localhost", HostError::LocalWildcard);
    refused("[::ffff:10.0.0.1]", HostError::Embedded);
    refused("[2002:a00:1::]", HostError::Embedded);
    for never in [
        "169.254.169.254",
        "metadata.google.internal",
        "Metadata.Google.Internal.",
        "100.100.100.200",
        "168.63.129.16",
        "[fd00:ec2::254]",
        "0.0.0.0",
        "[::]",
        "224.0.0.1",
        "255.255.255.255",
        "169.254.1.1",
    ] {
        assert!(matches!(never.parse::<HostPattern>(), Err(HostError::Never(_))), "{never}");
    }
}

#[test]
fn a_wildcard_leaves_room_for_a_name_beneath_its_domain() {
    let labels = "a".repeat(63);
    let domain = |length: usize| format!("{labels}.{labels}.{labels}.{}", "a".repeat(length - 3 * 64));
    let longest: HostPattern = format!("*.{}", domain(251)).parse().unwrap();
    assert!(longest.admits(&format!("x.{}", domain(251)).parse().unwrap()));
    for length in [252, 253] {
        let domain = domain(length);
        assert!(domain.parse::<UrlHost>().is_ok(), "{length}");
        assert_eq!(format!("*.{domain}").parse::<HostPattern>(), Err(HostError::TooLong), "{length}");
    }
}

#[test]
fn host_containment_follows_the_sets() {
    let check = |a: &str, b: &str, expect: bool| {
        assert_eq!(
            a.parse::<HostPattern>().unwrap().contains(&b.parse().unwrap()),
            expect,
            "{a} contains {b}"
        );
    };
    check("*", "*", true);
    check("*", "*.example.com", true);
    check("*", "example.com", true);
    check("*", "localhost", false);
    check("*", "192.168.0.1", false);
    check("*.example.com", "*.example.com", true);
    check("*.example.com", "*.a.example.com", true);
    check("*.a.example.com", "*.example.com", false);
    check("*.example.com", "*", false);
    check("*.example.com", "example.com", false);
    check("*.ample.com", "*.example.com", false);
    check("example.com", "*.example.com", false);
    check("example.com", "EXAMPLE.com.", true);
}
