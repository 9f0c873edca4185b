use holm_grants::{DenialSet, GrantSet};

use super::*;
use crate::lease::HandleLeases;

/// A way out that leads nowhere, for asking who would be let out.
struct Nowhere;

impl OutboundNetwork for Nowhere {
    fn send<'a>(
        &'a self,
        _: &'a GrantPolicy,
        _: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        Box::pin(async { Err(OutboundError::TimedOut) })
    }

    fn resolve<'a>(&'a self, name: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        Box::pin(async move { Err(OutboundError::NoSuchHost(name.to_owned())) })
    }
}

fn net(
    grants: &[&str],
    denials: &[&str],
    outbound: Option<Arc<dyn OutboundNetwork>>,
) -> (CallNetwork, DenialLog) {
    let policy = GrantPolicy {
        grants: GrantSet::parse(grants.iter().copied()).unwrap(),
        denials: DenialSet::parse(denials.iter().copied()).unwrap(),
    };
    let audit = DenialLog::default();
    (CallNetwork::new(Arc::new(policy), audit.clone(), outbound, HandleLeases::new(64)), audit)
}

fn texts(audit: &DenialLog) -> Vec<String> {
    audit.take().0.iter().map(ToString::to_string).collect()
}

#[test]
fn without_a_way_out_nothing_passes() {
    let (net, audit) = net(&["fetch:*://*:*"], &[], None);
    assert!(net.admit(&"https://example.com/".parse().unwrap()).is_none());
    assert!(net.admit_lookup("example.com").is_none());
    assert!(!net.admit_socket("93.184.216.34:80".parse().unwrap(), SocketAddrUse::TcpConnect));
    assert_eq!(texts(&audit).len(), 3);
}

#[test]
fn a_raw_connection_is_decided_by_the_names_that_led_to_it() {
    let (net, audit) = net(&["fetch:tcp://db.example.com:5432"], &[], Some(Arc::new(Nowhere)));
    let address: SocketAddr = "93.184.216.34:5432".parse().unwrap();
    assert!(!net.admit_socket(address, SocketAddrUse::TcpConnect));
    assert!(net.admit_lookup("db.example.com").is_some());
    assert!(net.admit_lookup("evil.example.org").is_none());
    net.looked_up("db.example.com", &[address.ip(), "93.184.216.35".parse().unwrap()]);
    assert!(net.admit_socket(address, SocketAddrUse::TcpConnect));
    // Another port, and an address inside that no grant names.
    assert!(!net.admit_socket("93.184.216.34:22".parse().unwrap(), SocketAddrUse::TcpConnect));
    assert!(!net.admit_socket("10.0.0.1:5432".parse().unwrap(), SocketAddrUse::TcpConnect));
    let texts = texts(&audit);
    assert_eq!(texts[1], "missing grant fetch:tcp://evil.example.org:*");
    assert_eq!(texts[3], "missing grant fetch:tcp://10.0.0.1:5432");
}

#[test]
fn an_answer_with_one_address_inside_is_spoilt_as_a_whole() {
    let (net, audit) = net(&["fetch:tcp://db.example.com:5432"], &[], Some(Arc::new(Nowhere)));
    let address: SocketAddr = "93.184.216.34:5432".parse().unwrap();
    net.looked_up("db.example.com", &[address.ip()]);
    assert!(net.admit_socket(address, SocketAddrUse::TcpConnect));
    // Also where it comes with a later answer.
    net.looked_up("db.example.com", &["10.0.0.1".parse().unwrap()]);
    assert!(!net.admit_socket(address, SocketAddrUse::TcpConnect));
    assert!(texts(&audit)[0].contains("fetch:tcp://93.184.216.34:5432 is refused"), "{audit:?}");
}

#[test]
fn an_answer_without_end_leads_nowhere() {
    let (net, _) = net(&["fetch:tcp://db.example.com:5432"], &[], Some(Arc::new(Nowhere)));
    let many: Vec<IpAddr> = (0..100).map(|last| IpAddr::from([93, 184, 216, last])).collect();
    net.looked_up("db.example.com", &many);
    assert!(!net.admit_socket("93.184.216.34:5432".parse().unwrap(), SocketAddrUse::TcpConnect));
}

/// A way out that has the last word.
struct Never;

impl OutboundNetwork for Never {
    fn send<'a>(
        &'a self,
        _: &'a GrantPolicy,
        _: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        Box::pin(async { Err(OutboundError::TimedOut) })
    }

    fn resolve<'a>(&'a self, name: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        Box::pin(async move { Err(OutboundError::NoSuchHost(name.to_owned())) })
    }

    fn admit(&self, _: &GrantPolicy, _: &Url, _: &[IpAddr]) -> Result<Vec<IpAddr>, OutboundError> {
        Err(OutboundError::Refused("nobody leaves".to_owned()))
    }
}

#[test]
fn the_way_out_has_the_last_word_about_a_raw_connection() {
    let (net, audit) = net(&["fetch:tcp://93.184.216.34:80"], &[], Some(Arc::new(Never)));
    assert!(!net.admit_socket("93.184.216.34:80".parse().unwrap(), SocketAddrUse::TcpConnect));
    assert_eq!(texts(&audit), ["fetch:tcp://93.184.216.34:80 is refused: nobody leaves"]);
}

#[test]
fn mapped_addresses_are_reduced_first() {
    let (net, _) = net(&["fetch:tcp://*:*"], &[], Some(Arc::new(Nowhere)));
    for address in ["[::ffff:127.0.0.1]:80", "[::ffff:169.254.169.254]:80", "127.0.0.1:80", "[::1]:80"] {
        assert!(!net.admit_socket(address.parse().unwrap(), SocketAddrUse::TcpConnect), "{address}");
    }
    assert!(net.admit_socket("[::ffff:93.184.216.34]:80".parse().unwrap(), SocketAddrUse::TcpConnect));
}

#[test]
fn nobody_listens() {
    let (net, audit) = net(&["fetch:*://*:*"], &[], Some(Arc::new(Nowhere)));
    for used in [
        SocketAddrUse::TcpListen,
        SocketAddrUse::TcpAccept,
        SocketAddrUse::UdpBind,
        SocketAddrUse::UdpSend,
        SocketAddrUse::UdpReceive,
    ] {
        assert!(!net.admit_socket("0.0.0.0:0".parse().unwrap(), used));
    }
    assert!(!net.admit_socket("0.0.0.0:8080".parse().unwrap(), SocketAddrUse::TcpBind));
    assert!(!net.admit_socket("127.0.0.1:0".parse().unwrap(), SocketAddrUse::TcpBind));
    assert!(net.admit_socket("0.0.0.0:0".parse().unwrap(), SocketAddrUse::TcpBind));
    assert!(texts(&audit).contains(&"refused to listen at 0.0.0.0:8080".to_owned()));
}

#[test]
fn a_denied_name_is_not_even_looked_up() {
    let (net, _) = net(&["fetch:*://*:*"], &["fetch:*://bad.example.com:*"], Some(Arc::new(Nowhere)));
    assert!(net.admit_lookup("bad.example.com").is_none());
    assert!(net.admit_lookup("good.example.com").is_some());
}

#[test]
fn a_request_shows_no_field_values() {
    let request = GuestHttpRequest {
        method: "GET".into(),
        url: "https://example.com/".parse().unwrap(),
        headers: vec![("authorization".into(), b"token".to_vec())],
        body: Bytes::new(),
    };
    let text = format!("{request:?}");
    assert!(text.contains("authorization") && !text.contains("token"), "{text}");
}

#[test]
fn all_requests_of_a_call_share_one_room() {
    let (net, _) = net(&[], &[], None);
    let (mut first, mut second) = (net.body_room(), net.body_room());
    assert!(first.grow(MAX_BODIES - 1) && !second.grow(2) && second.grow(1) && !second.grow(1));
    drop(first);
    assert!(second.grow(MAX_BODIES - 1), "what was sent is free again");
}
