//! Raw connections of guests take the same way as all others: looked up, checked and only then opened.

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;

use holm_grants::{GrantPolicy, GrantSet};
use holm_net::{
    Connector, HostName, HostResolver, HttpClient, ListenerRegistry, ResolveFuture, TlsConfig, TunnelProxy,
};
use holm_sandbox::{GuestAccess, GuestCall, GuestOutcome};
use holm_tools::wasm::{GuestNetwork, WasmHost, WasmSettings};

use crate::wasm::kit::sandbox;
use crate::wasm::socket_guests::{connects, looks_up};

/// Resolves every name to this machine.
struct Here;

impl HostResolver for Here {
    fn resolve<'a>(&'a self, _: &'a HostName) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) })
    }
}

fn connector() -> Connector {
    Connector::new(Arc::new(Here))
}

/// Runs a guest with the way out that tools have.
fn run(wat: &str, connector: Connector, grants: &[&str], input: &str) -> GuestOutcome {
    let network = GuestNetwork::new(HttpClient::new(connector, TlsConfig::platform().unwrap()));
    let settings = WasmSettings { outbound: Some(Arc::new(network)), ..WasmSettings::default() };
    let host = WasmHost::new(sandbox(), settings);
    let guest = host.sandbox().load(&wat::parse_str(wat).unwrap(), &mut |_| {}).unwrap();
    let policy =
        GrantPolicy { grants: GrantSet::parse(grants.iter().copied()).unwrap(), ..GrantPolicy::default() };
    let call = GuestCall::new(GuestAccess::open(policy, None).unwrap());
    host.sandbox().run_here(&guest, call.outbound(host.outbound().unwrap()).input(input))
}

/// How it was refused, where nothing else was.
#[track_caller]
fn refused(outcome: &GuestOutcome, expect: &str) {
    assert_eq!(outcome.reply, Some(Err("B".to_owned())), "access is denied: {outcome:?}");
    let [refusal] = outcome.refusals.as_slice() else { panic!("{outcome:?}") };
    assert!(refusal.to_string().contains(expect), "{refusal}");
}

#[test]
fn a_guest_connects_to_the_host_and_port_that_were_granted_and_to_no_other() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (wat, exact) = (connects([127, 0, 0, 1], port), format!("fetch:tcp://127.0.0.1:{port}"));
    let outcome = run(&wat, connector(), &[&exact], "");
    assert_eq!(outcome.reply, Some(Ok("ok".to_owned())), "{outcome:?}");
    listener.accept().unwrap();
    listener.set_nonblocking(true).unwrap();
    let missing = format!("missing grant fetch:tcp://127.0.0.1:{port}");
    refused(&run(&wat, connector(), &["fetch:tcp://127.0.0.1:1"], ""), &missing);
    refused(&run(&wat, connector(), &["fetch:tcp://db.example.com:*"], ""), &missing);
    // What only this path knows: doors of our own, and a proxy that a guest's socket would go past.
    let doors = ListenerRegistry::default();
    let _door = doors.register(listener.local_addr().unwrap());
    refused(&run(&wat, connector().with_listeners(doors), &[&exact], ""), "127.0.0.1");
    let proxied = connector().with_proxy(TunnelProxy::http("127.0.0.1:1".parse().unwrap()));
    refused(&run(&wat, proxied, &[&exact], ""), "cannot use a proxy");
    assert!(listener.accept().is_err(), "somebody connected");
}

#[test]
fn a_name_is_looked_up_by_the_same_path_and_leads_nowhere_inside() {
    let grants = ["fetch:tcp://db.example.com:*"];
    let outcome = run(&looks_up(), connector(), &grants, "db.example.com");
    assert_eq!(outcome.reply, Some(Ok("\u{7f}\0\0\u{1}".to_owned())), "{outcome:?}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let wat = crate::wasm::socket_guests::looks_up_and_connects([127, 0, 0, 1], port);
    let outcome = run(&wat, connector(), &grants, "db.example.com");
    refused(&outcome, "is refused");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "somebody connected");
}
