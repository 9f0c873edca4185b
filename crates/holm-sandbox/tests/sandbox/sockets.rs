//! Raw sockets and names: connections go where a grant leads, guests never listen, and only granted
//! names are looked up.

use std::net::{IpAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use holm_grants::GrantPolicy;
use holm_sandbox::{
    GuestCall, GuestHttpRequest, GuestHttpResponse, GuestOutcome, OutboundError, OutboundFuture,
    OutboundNetwork,
};

use crate::kit::{access, load, refusals, run};
use crate::socket_guests::{address, connects, looks_up, looks_up_and_connects, with_socket, with_sockets};

/// A way out that knows one name.
#[derive(Default)]
struct OneName {
    asked: Mutex<Vec<String>>,
}

impl OutboundNetwork for OneName {
    fn send<'a>(
        &'a self,
        _: &'a GrantPolicy,
        _: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        Box::pin(async { Err(OutboundError::Failed("no http here".to_owned())) })
    }

    fn resolve<'a>(&'a self, name: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(name.to_owned());
            // Later, so that the guest has to wait.
            tokio::time::sleep(Duration::from_millis(5)).await;
            match name {
                "db.example.com" => Ok(vec!["65.66.67.68".parse().unwrap()]),
                _ => Err(OutboundError::NoSuchHost(name.to_owned())),
            }
        })
    }
}

fn ask(wat: &str, grants: &[&str], input: &str) -> (GuestOutcome, Vec<String>) {
    let outbound = Arc::new(OneName::default());
    let call = GuestCall::new(access(grants, &[], None)).outbound(outbound.clone()).input(input);
    let outcome = run(&load(wat), call);
    let asked = outbound.asked.lock().unwrap().clone();
    (outcome, asked)
}

const DENIED: &str = "B";
const INVALID_STATE: &str = "J";
const UNRESOLVABLE: &str = "S";

#[test]
fn a_granted_name_is_looked_up_through_the_way_out() {
    let (outcome, asked) = ask(&looks_up(), &["fetch:tcp://*.example.com:5432"], "db.example.com");
    assert_eq!(outcome.reply, Some(Ok("ABCD".to_owned())), "{outcome:?}");
    assert_eq!(asked, ["db.example.com"]);
    let (outcome, _) = ask(&looks_up(), &["fetch:tcp://*.example.com:5432"], "no.example.com");
    assert_eq!(outcome.reply, Some(Err(UNRESOLVABLE.to_owned())), "{outcome:?}");
}

#[test]
fn other_names_are_not_even_asked_about() {
    for name in ["evil.example.org", "secret-in-a-name.evil.org", "localhost"] {
        let (outcome, asked) = ask(&looks_up(), &["fetch:tcp://*.example.com:5432"], name);
        assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{outcome:?}");
        assert_eq!(asked, Vec::<String>::new());
        assert_eq!(refusals(&outcome), [format!("missing grant fetch:tcp://{name}:*")]);
    }
}

#[test]
fn a_connection_goes_where_a_grant_names_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let wat = connects([127, 0, 0, 1], port);
    let (outcome, _) = ask(&wat, &[&format!("fetch:tcp://127.0.0.1:{port}")], "");
    assert_eq!(outcome.reply, Some(Ok("ok".to_owned())), "{outcome:?}");
    listener.accept().unwrap();
    listener.set_nonblocking(true).unwrap();
    // A wildcard never opens an inside address, a different port needs a different grant, and
    // without a grant there is nothing.
    for grants in [&["fetch:tcp://*:*"][..], &["fetch:tcp://127.0.0.1:1"], &["fetch:http://127.0.0.1"], &[]] {
        let (outcome, _) = ask(&wat, grants, "");
        assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{grants:?}: {outcome:?}");
        assert_eq!(refusals(&outcome).len(), 1, "{grants:?}");
        assert!(listener.accept().is_err(), "{grants:?}: somebody connected");
    }
}

#[test]
fn a_name_that_led_elsewhere_opens_no_other_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let wat = looks_up_and_connects([127, 0, 0, 1], port);
    let (outcome, asked) = ask(&wat, &["fetch:tcp://db.example.com:*"], "db.example.com");
    assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{outcome:?}");
    assert_eq!(asked, ["db.example.com"]);
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "somebody connected");
}

#[test]
fn without_a_way_out_nothing_connects() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let access = access(&[&format!("fetch:tcp://127.0.0.1:{port}")], &[], None);
    let outcome = run(&load(&connects([127, 0, 0, 1], port)), GuestCall::new(access));
    assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{outcome:?}");
    assert!(refusals(&outcome)[0].ends_with("the call has no network"), "{outcome:?}");
}

#[test]
fn nobody_binds_or_listens_whatever_is_granted() {
    let grants = ["fetch:*://*:*", "fetch:tcp://127.0.0.1:*", "fetch:tcp://0.0.0.0:*"];
    let grants: Vec<&str> =
        grants.into_iter().filter(|grant| holm_grants::GrantSet::parse([*grant]).is_ok()).collect();
    for (to, port) in [([127, 0, 0, 1], 0), ([0, 0, 0, 0], 8080), ([0, 0, 0, 0], 0)] {
        let bind = format!(
            r"(call $bind (local.get $it) (local.get $net) {} (i32.const 1024))
              (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1025))))))
              (call $block (call $wait (local.get $it)))
              (call $bound (local.get $it) (i32.const 1024))
              (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1025))))))",
            address(to, port)
        );
        let (outcome, _) = ask(&with_socket(&bind), &grants, "");
        assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{to:?}: {outcome:?}");
        assert!(refusals(&outcome)[0].starts_with("refused to listen at"), "{outcome:?}");
    }
    // What was never bound does not listen.
    let listen = r"(call $listen (local.get $it) (i32.const 1024))
        (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1025))))))";
    let (outcome, _) = ask(&with_socket(listen), &grants, "");
    assert_eq!(outcome.reply, Some(Err(INVALID_STATE.to_owned())), "{outcome:?}");
}

#[test]
fn there_are_no_datagrams_whatever_is_granted() {
    let wat = with_sockets(
        r"(call $datagrams (i32.const 0) (i32.const 1024))
          (if (i32.load8_u (i32.const 1024)) (then (return (call $fail (i32.load8_u (i32.const 1028))))))
          (call $answer (i32.const 0) (i32.const 100) (i32.const 0))",
    );
    let (outcome, _) = ask(&wat, &["fetch:tcp://*:*", "fetch:https://*"], "");
    assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{outcome:?}");
    assert_eq!(refusals(&outcome), ["refused to send datagrams"]);
}
