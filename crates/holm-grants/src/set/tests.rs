use alloc::string::String;
use alloc::vec::Vec;

use super::{AddressDenied, GrantSet, MAX_GRANTS};
use crate::error::GrantError;
use crate::net::Url;
use crate::net::address::AddressClass;

fn set(texts: &[&str]) -> GrantSet {
    GrantSet::parse(texts.iter().copied()).unwrap()
}

#[test]
fn a_set_is_ordered_and_holds_each_grant_once() {
    let grants = set(&["tool:grep", "read:src/", "tool:grep", "read:a"]);
    let json = serde_json::to_string(&grants).unwrap();
    assert_eq!(json, r#"["read:a","read:src/","tool:grep"]"#);
    assert_eq!(serde_json::from_str::<GrantSet>(&json).unwrap(), grants);
}

#[test]
fn one_bad_text_spoils_the_list() {
    assert!(GrantSet::parse(["read:a", "nonsense"]).is_err());
    assert!(serde_json::from_str::<GrantSet>(r#"["read:a", "read:../b"]"#).is_err());
}

#[test]
fn a_list_beyond_the_limit_is_refused() {
    let texts: Vec<String> = (0..=MAX_GRANTS).map(|i| alloc::format!("read:{i}")).collect();
    let parsed = GrantSet::parse(texts.iter().map(String::as_str));
    assert_eq!(parsed, Err(GrantError::TooMany { max: 1024 }));
    let json = serde_json::to_string(&texts).unwrap();
    assert!(serde_json::from_str::<GrantSet>(&json).is_err());
}

#[test]
fn a_child_never_holds_more_than_its_parent() {
    let check = |parent: &[&str], wish: &[&str], child: &[&str]| {
        let parent = set(parent);
        let got = parent.meet(&set(wish));
        assert_eq!(got, set(child));
        assert!(parent.contains_all(&got));
    };
    check(&["read:src/**"], &["read:src/a"], &["read:src/a"]);
    check(&["read:src/**"], &["read:**"], &["read:src/**"]);
    check(&["read:src/**"], &["write:src/a", "exec:sh"], &[]);
    check(&["read:a*"], &["read:*b"], &[]);
    check(&["read:src/", "exec:git"], &["read:src/**", "exec:*"], &["read:src/", "read:src/**", "exec:git"]);
    check(&[], &["read:**"], &[]);
    check(&["fetch:https://*.example.com"], &["fetch:https://*"], &["fetch:https://*.example.com"]);
}

#[test]
fn what_only_several_grants_cover_together_is_refused() {
    let both = set(&["read:.", "read:*/**"]);
    assert!(!both.contains(&"read:**".parse().unwrap()));
    assert!(both.contains(&"read:a/**".parse().unwrap()));
}

#[test]
fn nothing_is_admitted_by_nothing() {
    let none = GrantSet::new();
    for text in
        ["read:.", "write:a", "fetch:https://example.com", "env:LANG", "exec:git", "tool:x", "spawn:x"]
    {
        assert!(!none.admits(&text.parse().unwrap()), "{text}");
    }
}

fn reach(grants: &[&str], url: &str, ip: &str) -> Result<(), AddressDenied> {
    let url: Url = url.parse().unwrap();
    set(grants).reach(&url, ip.parse().unwrap())
}

/// Each way to lead a granted public name inside, with the address that a resolver would give.
#[test]
fn a_granted_name_cannot_be_led_inside() {
    let everything = &["fetch:*://*:*", "fetch:https://api.example.com"];
    for (name, ip) in [
        ("loopback", "127.0.0.1"),
        ("other loopback", "127.255.0.9"),
        ("unspecified", "0.0.0.0"),
        ("this network", "0.1.2.3"),
        ("private ten", "10.0.0.1"),
        ("private 172", "172.16.0.1"),
        ("private 192.168", "192.168.1.1"),
        ("link-local", "169.254.0.1"),
        ("shared", "100.64.0.1"),
        ("protocol assignments", "192.0.0.8"),
        ("benchmark", "198.18.0.1"),
        ("6to4 relay", "192.88.99.1"),
        ("multicast", "224.0.0.251"),
        ("future use", "240.0.0.1"),
        ("broadcast", "255.255.255.255"),
        ("documentation", "203.0.113.5"),
        ("metadata", "169.254.169.254"),
        ("container metadata", "169.254.170.2"),
        ("alibaba metadata", "100.100.100.200"),
        ("azure metadata", "168.63.129.16"),
        ("oracle metadata", "192.0.0.192"),
        ("ipv6 unspecified", "::"),
        ("ipv6 loopback", "::1"),
        ("mapped loopback", "::ffff:127.0.0.1"),
        ("mapped public", "::ffff:93.184.216.34"),
        ("compatible", "::127.0.0.1"),
        ("translated", "::ffff:0:127.0.0.1"),
        ("nat64", "64:ff9b::7f00:1"),
        ("nat64 of a public address", "64:ff9b::5db8:d822"),
        ("local nat64", "64:ff9b:1::a00:1"),
        ("6to4", "2002:7f00:1::"),
        ("teredo", "2001:0:4136:e378:8000:63bf:80ff:fffe"),
        ("unique local", "fc00::1"),
        ("ipv6 link-local", "fe80::1"),
        ("site-local", "fec0::1"),
        ("ipv6 multicast", "ff02::1"),
        ("ipv6 metadata", "fd00:ec2::254"),
        ("ipv6 documentation", "2001:db8::1"),
        ("discard", "100::1"),
    ] {
        let got = reach(everything, "https://api.example.com/", ip);
        assert!(matches!(got, Err(AddressDenied::NotNamed(_) | AddressDenied::Never(_))), "{name}: {got:?}");
    }
}

#[test]
fn a_granted_name_reaches_public_addresses() {
    for ip in ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "2001:4860:4860::8888"] {
        assert_eq!(reach(&["fetch:https://api.example.com"], "https://api.example.com/", ip), Ok(()), "{ip}");
    }
    let other = reach(&["fetch:https://api.example.com"], "https://other.example/", "93.184.216.34");
    assert_eq!(other, Err(AddressDenied::NotGranted));
}

#[test]
fn a_private_address_is_reached_only_when_it_is_named() {
    let check = |grants: &[&str], url: &str, ip: &str, expect: bool| {
        assert_eq!(reach(grants, url, ip).is_ok(), expect, "{grants:?} {url} {ip}");
    };
    check(&["fetch:http://10.0.0.7"], "http://10.0.0.7/", "10.0.0.7", true);
    check(&["fetch:http://10.0.0.7"], "http://0xa.7/", "10.0.0.7", true);
    check(&["fetch:http://10.0.0.7"], "http://10.0.0.8/", "10.0.0.8", false);
    let status = &["fetch:http://*", "fetch:http://10.0.0.7/status"];
    check(status, "http://10.0.0.7.nip.io/status/now", "10.0.0.7", true);
    check(status, "http://10.0.0.7.nip.io/admin", "10.0.0.7", false);
    check(status, "http://10.0.0.7.nip.io/status/%2e%2e/admin", "10.0.0.7", false);
    check(&["fetch:http://localhost:3000"], "http://localhost:3000/", "127.0.0.1", true);
    check(&["fetch:http://localhost:3000"], "http://localhost:3000/", "::1", true);
    check(&["fetch:http://localhost:3000"], "http://localhost:3000/", "10.0.0.1", false);
    check(&["fetch:http://localhost:3000"], "http://localhost:3000/", "93.184.216.34", false);
    check(&["fetch:http://localhost:3000"], "http://localhost:3001/", "127.0.0.1", false);
    check(&["fetch:http://nas.lan"], "http://nas.lan/", "192.168.1.5", true);
    check(&["fetch:http://*.lan"], "http://nas.lan/", "192.168.1.5", false);
    check(&["fetch:http://nas.lan"], "http://nas.lan/", "169.254.169.254", false);
    check(&["fetch:https://git.example.com"], "https://git.example.com/", "10.0.0.7", false);
    // A public name that leads inside on purpose: the address is named as well.
    let both = &["fetch:https://git.example.com", "fetch:https://10.0.0.7"];
    check(both, "https://git.example.com/", "10.0.0.7", true);
    check(both, "https://git.example.com/", "10.0.0.8", false);
    check(
        &["fetch:https://git.example.com", "fetch:http://10.0.0.7"],
        "https://git.example.com/",
        "10.0.0.7",
        false,
    );
    check(&["fetch:https://10.0.0.7"], "https://git.example.com/", "10.0.0.7", false);
}

#[test]
fn names_that_spell_an_address_lead_nowhere_by_wildcard() {
    for (url, ip) in [
        ("http://127.0.0.1.nip.io/", "127.0.0.1"),
        ("http://localtest.me/", "127.0.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://metadata.google.internal/", "169.254.169.254"),
        ("http://metadata.google.internal./", "93.184.216.34"),
    ] {
        assert!(reach(&["fetch:*://*:*"], url, ip).is_err(), "{url}");
    }
}

#[test]
fn the_refusal_says_where_it_would_have_led() {
    let error = reach(&["fetch:https://a.example"], "https://a.example", "10.0.0.1").unwrap_err();
    assert_eq!(error, AddressDenied::NotNamed(AddressClass::Private));
    assert_eq!(
        alloc::format!("{error}"),
        "leads to an address of a private network; only a grant that names the address opens it"
    );
}

#[test]
fn a_list_says_which_of_its_entries_is_wrong() {
    let told = |texts: &[&str]| GrantSet::parse(texts.iter().copied()).unwrap_err();
    let told = |texts: &[&str]| alloc::format!("{}", told(texts));
    assert_eq!(
        told(&["read:src/**", "exec:git", "raed:docs"]),
        "entry 3 (\"raed:docs\"): unknown grant kind; use read, write, fetch, env, exec, secret, spawn or tool"
    );
    assert_eq!(
        told(&["exec:"]),
        "entry 1 (\"exec:\"): nothing after exec:; write a name, for example exec:git"
    );
    let long = alloc::format!("nonsense\n{}", "x".repeat(500));
    assert!(told(&[&long]).len() < 200, "a hostile text is not repeated");
}
