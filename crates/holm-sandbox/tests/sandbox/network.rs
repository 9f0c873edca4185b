//! The network as guests see it: only through the way out, and only where a grant leads.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use holm_grants::GrantPolicy;
use holm_sandbox::{
    GuestCall, GuestHttpRequest, GuestHttpResponse, OutboundError, OutboundFuture, OutboundNetwork,
};

use crate::http::client;
use crate::kit::{access, load, refusals, run};

/// A way out that answers from memory and remembers what was asked.
#[derive(Default)]
struct Memory {
    asked: Mutex<Vec<String>>,
}

impl OutboundNetwork for Memory {
    fn send<'a>(
        &'a self,
        policy: &'a GrantPolicy,
        request: GuestHttpRequest,
    ) -> OutboundFuture<'a, Result<GuestHttpResponse, OutboundError>> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(format!("{} {}", request.method, request.url));
            let inside: IpAddr = "10.0.0.1".parse().unwrap();
            if request.url.host().to_string().starts_with("inside") {
                policy.reach(&request.url, inside).map_err(|why| OutboundError::Refused(why.to_string()))?;
            }
            let headers = vec![("content-type".to_owned(), b"text/plain".to_vec())];
            let body = Box::new(Some(Bytes::from_static(b"hello from afar")));
            Ok(GuestHttpResponse { status: 200, headers, body })
        })
    }

    fn resolve<'a>(&'a self, name: &'a str) -> OutboundFuture<'a, Result<Vec<IpAddr>, OutboundError>> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(format!("resolve {name}"));
            Ok(vec!["93.184.216.34".parse().unwrap()])
        })
    }
}

fn fetch(grants: &[&str], authority: &str) -> (holm_sandbox::GuestOutcome, Vec<String>) {
    let outbound = Arc::new(Memory::default());
    let call = GuestCall::new(access(grants, &[], None)).outbound(outbound.clone()).input(authority);
    let outcome = run(&load(&client()), call);
    let asked = outbound.asked.lock().unwrap().clone();
    (outcome, asked)
}

/// Where `HTTP-request-denied` stands in the list of errors, as the guest prints it.
const DENIED: &str = "P";

#[test]
fn a_granted_request_is_answered() {
    let (outcome, asked) = fetch(&["fetch:http://example.com"], "example.com");
    assert_eq!(outcome.reply, Some(Ok("hello from afar".to_owned())), "{outcome:?}");
    assert_eq!(asked, ["GET http://example.com/"]);
    assert_eq!(refusals(&outcome), Vec::<String>::new());
}

#[test]
fn what_is_not_granted_never_reaches_the_way_out() {
    for (grants, authority) in [
        (&[][..], "example.com"),
        (&["fetch:https://example.com"], "example.com"),
        (&["fetch:http://example.com"], "example.com:8080"),
        (&["fetch:http://example.com"], "example.com.evil.org"),
        (&["fetch:http://*.example.com"], "example.org"),
    ] {
        let (outcome, asked) = fetch(grants, authority);
        assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{authority}: {outcome:?}");
        assert_eq!(asked, Vec::<String>::new(), "{authority}");
        assert_eq!(refusals(&outcome).len(), 1, "{authority}");
    }
    let (outcome, _) = fetch(&[], "example.com");
    assert_eq!(refusals(&outcome), ["missing grant fetch:http://example.com/"]);
}

#[test]
fn odd_spellings_of_an_address_are_one_address() {
    for authority in ["2130706433", "0x7f.1", "127.1", "017700000001", "127.0.0.1"] {
        let (outcome, asked) = fetch(&["fetch:http://*"], authority);
        assert_ne!(outcome.reply.as_ref().map(Result::is_ok), None, "{authority}: {outcome:?}");
        // Whether it may be reached is the way out's question; that it is this address is already known here.
        assert!(asked.iter().all(|asked| asked == "GET http://127.0.0.1/"), "{authority}: {asked:?}");
    }
}

#[test]
fn what_the_way_out_refuses_is_written_down() {
    let (outcome, asked) = fetch(&["fetch:http://inside.example.com"], "inside.example.com");
    assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{outcome:?}");
    assert_eq!(asked.len(), 1);
    let refusals = refusals(&outcome);
    assert!(refusals[0].starts_with("fetch:http://inside.example.com/ is refused: leads to"), "{refusals:?}");
}

#[test]
fn without_a_way_out_there_is_no_network() {
    let call = GuestCall::new(access(&["fetch:*://*:*"], &[], None)).input("example.com");
    let outcome = run(&load(&client()), call);
    assert_eq!(outcome.reply, Some(Err(DENIED.to_owned())), "{outcome:?}");
    assert_eq!(refusals(&outcome), ["fetch:http://example.com/ is refused: the call has no network"]);
}
