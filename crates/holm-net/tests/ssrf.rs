//! The attack cases of server-side request forgery, each by name, against the whole path up to the connection.
//!
//! The grants are as wide as anybody would write them: every public host on every port, by every scheme. So what is
//! refused here is refused by the class of the address or by the spelling of the URL, not for want of a grant.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use holm_grants::{AddressDenied, GrantPolicy, GrantSet, Url};
use holm_net::{Connector, HostName, HostResolver, NetError, ResolveFuture};

/// What must come of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// The text is no URL for Holm.
    Unread,
    /// It is one, and refused before anything is looked up.
    Unasked,
    /// The name was looked up once, and its address refused.
    Refused,
    /// The one that must pass, so that the rest means something.
    Admitted,
}
use Held::{Admitted, Refused, Unasked, Unread};

/// Answers every name with the addresses that are written into it, as the public services of that kind do.
#[derive(Default)]
struct Hostile {
    asked: AtomicUsize,
}

impl HostResolver for Hostile {
    fn resolve<'a>(&'a self, name: &'a HostName) -> ResolveFuture<'a> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let written = name.as_str().split('.').map(|label| label.replace('q', ".").replace('z', ":"));
            let ips: Vec<IpAddr> = written.filter_map(|ip| ip.parse().ok()).collect();
            if ips.is_empty() { Err(io::Error::other("no such name")) } else { Ok(ips) }
        })
    }
}

/// A name that leads to these addresses; no address holds a q or a z.
fn leading(ips: &[&str]) -> String {
    let labels: Vec<_> = ips.iter().map(|ip| ip.replace('.', "q").replace(':', "z")).collect();
    format!("https://{}.example.com/", labels.join("."))
}

async fn hold(name: &str, text: &str, expect: Held) {
    let grants = ["fetch:*://*:*", "fetch:http://*", "fetch:https://*"];
    let policy = GrantPolicy { grants: GrantSet::parse(grants).unwrap(), ..GrantPolicy::default() };
    let resolver = Arc::new(Hostile::default());
    let got = match text.parse::<Url>() {
        Err(_) => Unread,
        Ok(url) => {
            let checked = Connector::new(resolver.clone()).check(&url, &policy).await;
            match (checked, resolver.asked.load(Ordering::Relaxed)) {
                (Ok(_), 0 | 1) => Admitted,
                (Err(NetError::Refused(_) | NetError::Port(_)), 0) => Unasked,
                (Err(NetError::Refused(_)), 1) => Refused,
                (other, asked) => panic!("{name}: {text}: {other:?} after {asked} lookups"),
            }
        }
    };
    assert_eq!(got, expect, "{name}: {text}");
}

/// Every range that leads inside, nowhere or to credentials, with an address at each end of it.
const INSIDE: &[(&str, &[&str])] = &[
    ("this network", &["0.0.0.0", "0.0.0.1", "0.255.255.255"]),
    ("loopback", &["127.0.0.0", "127.0.0.1", "127.1.2.3", "127.255.255.255"]),
    ("private 10/8", &["10.0.0.0", "10.0.0.1", "10.255.255.255"]),
    ("private 172.16/12", &["172.16.0.0", "172.20.1.1", "172.31.255.255"]),
    ("private 192.168/16", &["192.168.0.0", "192.168.1.1", "192.168.255.255"]),
    ("link-local", &["169.254.0.0", "169.254.1.1", "169.254.255.255"]),
    ("shared", &["100.64.0.0", "100.100.0.1", "100.127.255.255"]),
    ("protocol assignments", &["192.0.0.0", "192.0.0.8", "192.0.0.255"]),
    ("benchmark", &["198.18.0.0", "198.19.255.255"]),
    ("6to4 relay", &["192.88.99.0", "192.88.99.255"]),
    ("documentation", &["192.0.2.1", "198.51.100.1", "203.0.113.1"]),
    ("multicast", &["224.0.0.0", "224.0.0.251", "239.255.255.255"]),
    ("future use", &["240.0.0.0", "255.255.255.254"]),
    ("broadcast", &["255.255.255.255"]),
    ("metadata of most clouds", &["169.254.169.254"]),
    ("metadata of containers", &["169.254.170.2", "169.254.170.23"]),
    ("metadata of Alibaba", &["100.100.100.200"]),
    ("metadata of Azure", &["168.63.129.16"]),
    ("metadata of Oracle", &["192.0.0.192"]),
    ("IPv6 unspecified", &["::"]),
    ("IPv6 loopback", &["::1"]),
    (
        "IPv4-mapped",
        &["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:93.184.216.34"],
    ),
    ("IPv4-compatible", &["::127.0.0.1", "::10.0.0.1"]),
    ("IPv4-translated", &["::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1"]),
    ("NAT64", &["64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::5db8:d822"]),
    ("local NAT64", &["64:ff9b:1::7f00:1", "64:ff9b:1:ffff::a00:1"]),
    ("6to4", &["2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::"]),
    ("Teredo", &["2001::1", "2001:0:53aa:64c:0:0:80ff:fffe"]),
    ("ISATAP", &["2606:4700::5efe:127.0.0.1"]),
    ("unique local", &["fc00::", "fd00::1", "fdff:ffff::1"]),
    ("IPv6 link-local", &["fe80::", "fe80::1", "febf::1"]),
    ("site-local", &["fec0::", "fec0::1", "feff::1"]),
    ("IPv6 multicast", &["ff00::", "ff02::1", "ffff::1"]),
    ("IPv6 documentation", &["2001:db8::1", "3fff::1"]),
    ("IPv6 discard", &["100::1"]),
    ("metadata of Amazon over IPv6", &["fd00:ec2::254"]),
    ("metadata of Google over IPv6", &["fd20:ce::254"]),
];

#[tokio::test]
async fn no_inside_address_is_reached_however_it_is_come_by() {
    for (name, ips) in INSIDE {
        for ip in *ips {
            let host = if ip.contains(':') { format!("[{ip}]") } else { (*ip).to_owned() };
            hold(name, &format!("http://{host}/"), Unasked).await;
            hold(name, &format!("https://{host}:8443/latest/meta-data"), Unasked).await;
            hold(&format!("{name}, by a name"), &leading(&[ip]), Refused).await;
            hold(&format!("{name}, first of two"), &leading(&[ip, "1.1.1.1"]), Refused).await;
            hold(&format!("{name}, second of two"), &leading(&["1.1.1.1", ip]), Refused).await;
            hold(&format!("{name}, beside IPv6"), &leading(&["2606:4700::1", ip]), Refused).await;
        }
    }
}

#[tokio::test]
async fn odd_spellings_are_read_as_what_they_are_or_not_at_all() {
    const CASES: &[(&str, &str, Held)] = &[
        ("decimal", "http://2130706433/", Unasked),
        ("hexadecimal", "http://0x7f000001/", Unasked),
        ("hexadecimal, capital", "http://0X7F000001/", Unasked),
        ("octal", "http://017700000001/", Unasked),
        ("dotted octal", "http://0177.0.0.01/", Unasked),
        ("dotted hexadecimal", "http://0x7f.0x0.0x0.0x1/", Unasked),
        ("mixed", "http://0x7f.0.0.01/", Unasked),
        ("two parts", "http://127.1/", Unasked),
        ("three parts", "http://127.0.1/", Unasked),
        ("one zero", "http://0/", Unasked),
        ("hexadecimal zero", "http://0x/", Unasked),
        ("trailing dot", "http://127.0.0.1./", Unasked),
        ("decimal metadata", "http://2852039166/", Unasked),
        ("short private", "http://10.1/", Unasked),
        ("overflowing part", "http://127.0.0.256/", Unread),
        ("overflowing number", "http://4294967296/", Unread),
        ("five parts", "http://127.0.0.0.1/", Unread),
        ("percent-encoded digits", "http://%31%32%37.0.0.1/", Unasked),
        ("percent-encoded dot", "http://127%2e0%2e0%2e1/", Unasked),
        ("percent-encoded twice", "http://%2531/", Unread),
        ("full-width digits", "http://１２７.0.0.1/", Unread),
        ("circled digits", "http://①②⑦.0.0.1/", Unread),
        ("full-width dot", "http://127。0。0。1/", Unread),
        ("international name", "http://exämple.com/", Unread),
        ("soft hyphen", "http://local\u{ad}host/", Unread),
        ("zero-width space", "http://local\u{200b}host/", Unread),
        ("zone", "http://[fe80::1%25eth0]/", Unread),
        ("zone, plain", "http://[fe80::1%eth0]/", Unread),
        ("IPv6 without brackets", "http://::1/", Unread),
        ("IPv6 in full", "http://[0:0:0:0:0:0:0:1]/", Unasked),
        ("IPv6 mapped in hexadecimal", "http://[::ffff:7f00:1]/", Unasked),
        ("localhost", "http://localhost/", Unasked),
        ("localhost, capital", "http://LOCALHOST/", Unasked),
        ("localhost, trailing dot", "http://localhost./", Unasked),
        ("beneath localhost", "http://a.localhost/", Unasked),
        ("metadata by name", "http://metadata.google.internal/", Unasked),
        ("metadata by name, trailing dot", "http://metadata.google.internal./", Unasked),
        ("metadata by name, capital", "http://Metadata.Google.Internal/", Unasked),
        ("metadata, short", "http://metadata/", Unasked),
        ("metadata, Amazon's name", "http://instance-data/", Unasked),
        ("user information", "http://a.example@127.0.0.1/", Unread),
        ("user and password", "http://a:b@127.0.0.1/", Unread),
        ("backslash", "http://a.example\\@127.0.0.1/", Unread),
        ("fragment before @", "http://127.0.0.1#@a.example/", Unasked),
        ("query before @", "http://127.0.0.1?@a.example/", Unasked),
        ("tab", "http://127.0.\t0.1/", Unread),
        ("newline", "http://a.example/\r\nHost: evil", Unread),
        ("leading space", " http://127.0.0.1/", Unread),
        ("NUL", "http://127.0.0.1\0.example/", Unread),
        ("no slashes", "http:127.0.0.1/", Unread),
        ("three slashes", "http:///127.0.0.1/", Unread),
        ("no scheme", "//127.0.0.1/", Unread),
        ("port zero", "http://a.example:0/", Unread),
        ("port overflow", "http://a.example:65617/", Unread),
        ("port with sign", "http://a.example:+80/", Unread),
        ("mail port", "http://1.1.1.1:25/", Unasked),
        ("shell port", "http://1.1.1.1:22/", Unasked),
        ("file", "file:///etc/passwd", Unread),
        ("gopher", "gopher://127.0.0.1:6379/_INFO", Unread),
        ("ftp", "ftp://127.0.0.1/", Unread),
        ("data", "data:text/plain,hello", Unread),
        ("unix", "unix:///var/run/docker.sock", Unread),
        ("dict", "dict://127.0.0.1:11211/stats", Unread),
        ("jar", "jar:http://127.0.0.1!/", Unread),
        ("javascript", "javascript:fetch('http://127.0.0.1')", Unread),
        ("a public address", "https://1.1.1.1/", Admitted),
        ("a public IPv6 address", "https://[2606:4700::1111]/", Admitted),
        ("a public name", "https://1q1q1q1.example.com/", Admitted),
    ];
    for (name, text, expect) in CASES {
        hold(name, text, *expect).await;
    }
}

/// Answers from a list, a new answer each time, as a name with a lifetime of zero does.
struct Turning {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl HostResolver for Turning {
    fn resolve<'a>(&'a self, _: &'a HostName) -> ResolveFuture<'a> {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(
            async move { self.answers.get(turn).cloned().ok_or_else(|| io::Error::other("asked too often")) },
        )
    }
}

#[tokio::test]
async fn a_name_that_turns_between_check_and_connection_is_asked_once() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // The good answer comes first. A client that resolved again would get the next address.
    let answers = vec![vec!["127.0.0.1".parse().unwrap()], vec!["127.0.0.2".parse().unwrap()]];
    let resolver = Arc::new(Turning { answers, asked: AtomicUsize::new(0) });
    let grants = GrantSet::parse([format!("fetch:tcp://box.lan:{port}").as_str()]).unwrap();
    let policy = GrantPolicy { grants, ..GrantPolicy::default() };
    let connector = Connector::new(resolver.clone());
    let url = format!("tcp://box.lan:{port}").parse().unwrap();
    let connection = connector.connect(&url, &policy).await.unwrap();
    assert_eq!(connection.peer, connection.stream.peer_addr().unwrap());
    assert_eq!(connection.peer.ip().to_string(), "127.0.0.1");
    assert_eq!(resolver.asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn what_is_not_granted_is_not_even_looked_up() {
    let resolver = Arc::new(Hostile::default());
    let policy = GrantPolicy {
        grants: GrantSet::parse(["fetch:https://a.example"]).unwrap(),
        ..GrantPolicy::default()
    };
    let url: Url = "https://stolen-data.evil.example/".parse().unwrap();
    let refused = Connector::new(resolver.clone()).check(&url, &policy).await;
    let Err(NetError::Refused(refusal)) = refused else { panic!("{refused:?}") };
    assert_eq!(refusal.why, AddressDenied::NotGranted);
    assert_eq!(refusal.missing.unwrap().to_string(), "fetch:https://stolen-data.evil.example");
    assert_eq!(resolver.asked.load(Ordering::Relaxed), 0);
}

/// Independent of the grants, no other address is connected to, and no other name is looked up.
#[tokio::test]
async fn a_connector_for_this_machine_alone_goes_nowhere_else() {
    let grants = ["fetch:*://*:*", "fetch:http://*", "fetch:http://localhost:*", "fetch:http://127.0.0.1:*"];
    let grants = grants.into_iter().chain(["fetch:http://10.0.0.7:*", "fetch:http://[::1]:*"]);
    let policy = GrantPolicy { grants: GrantSet::parse(grants).unwrap(), ..GrantPolicy::default() };
    let resolver = Arc::new(Hostile::default());
    let connector = Connector::new(resolver.clone()).to_loopback_alone();
    for url in ["http://127.0.0.1:8080/", "http://[::1]:8080/"] {
        assert!(connector.check(&url.parse().unwrap(), &policy).await.is_ok(), "{url}");
    }
    let elsewhere = [
        "http://93.184.216.34/",
        "http://10.0.0.7:8080/",
        "https://example.com/",
        &leading(&["93.184.216.34"]),
    ];
    for url in elsewhere {
        let found = connector.check(&url.parse().unwrap(), &policy).await;
        assert!(matches!(found, Err(NetError::Offline(_))), "{url}: {found:?}");
    }
    assert_eq!(resolver.asked.load(Ordering::Relaxed), 0, "nothing was looked up");
}
