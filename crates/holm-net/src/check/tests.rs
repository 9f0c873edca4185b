use std::net::IpAddr;

use holm_grants::{DenialSet, GrantPolicy, GrantSet};
use proptest::prelude::*;

use super::admit;
use crate::error::NetError;

fn policy(grants: &[&str]) -> GrantPolicy {
    GrantPolicy { grants: GrantSet::parse(grants.iter().copied()).unwrap(), ..GrantPolicy::default() }
}

fn check(grants: &[&str], url: &str, answer: &[&str], expect: Result<&[&str], &str>) {
    let ips = |texts: &[&str]| texts.iter().map(|ip| ip.parse().unwrap()).collect::<Vec<IpAddr>>();
    let got = admit(&policy(grants), &url.parse().unwrap(), &ips(answer));
    match (got, expect) {
        (Ok(got), Ok(expect)) => assert_eq!(got, ips(expect), "{url} {answer:?}"),
        (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{url} {answer:?}: {error}"),
        (got, _) => panic!("{url} {answer:?}: {got:?}"),
    }
}

#[test]
fn one_bad_address_spoils_the_answer() {
    let any = ["fetch:https://*"];
    check(
        &any,
        "https://a.example/",
        &["93.184.216.34", "2606:4700::1"],
        Ok(&["93.184.216.34", "2606:4700::1"]),
    );
    check(&any, "https://a.example/", &["93.184.216.34", "10.0.0.1"], Err("private network"));
    check(&any, "https://a.example/", &["93.184.216.34", "::1"], Err("this machine"));
    check(&any, "https://a.example/", &["93.184.216.34", "169.254.169.254"], Err("metadata"));
    check(&any, "https://a.example/", &[], Err("empty"));
    check(&any, "https://a.example/", &["93.184.216.34"; 65], Err("more than 64"));
    check(&any, "https://a.example/", &["93.184.216.34"; 64], Ok(&["93.184.216.34"]));
}

#[test]
fn an_address_that_a_network_added_for_translation_is_skipped_when_it_repeats_the_answer() {
    let any = ["fetch:https://*"];
    check(&any, "https://a.example/", &["64:ff9b::5db8:d822", "93.184.216.34"], Ok(&["93.184.216.34"]));
    check(&any, "https://a.example/", &["64:ff9b::a00:1", "93.184.216.34"], Err("carries an IPv4"));
    check(&any, "https://a.example/", &["64:ff9b::5db8:d822"], Err("carries an IPv4"));
    check(&any, "https://a.example/", &["64:ff9b::a00:1", "10.0.0.1"], Err("private network"));
}

#[test]
fn a_private_address_needs_a_grant_that_names_it_or_a_local_name() {
    check(&["fetch:http://nas.lan"], "http://nas.lan/", &["192.168.1.5"], Ok(&["192.168.1.5"]));
    check(&["fetch:http://*.lan"], "http://nas.lan/", &["192.168.1.5"], Err("private network"));
    check(
        &["fetch:http://a.example"],
        "http://a.example/",
        &["192.168.1.5"],
        Err("fetch:http://192.168.1.5"),
    );
    check(
        &["fetch:http://a.example", "fetch:http://192.168.1.5"],
        "http://a.example/",
        &["192.168.1.5"],
        Ok(&["192.168.1.5"]),
    );
    check(&["fetch:http://localhost"], "http://localhost/", &["127.0.0.1", "::1"], Ok(&["127.0.0.1", "::1"]));
    check(&["fetch:http://localhost"], "http://localhost/", &["10.0.0.1"], Err("private network"));
    check(&["fetch:http://localhost"], "http://localhost/", &["93.184.216.34"], Err("public address"));
}

#[test]
fn a_denial_is_final_for_the_name_and_for_the_address() {
    let mut policy = policy(&["fetch:https://*"]);
    policy.denials = DenialSet::parse(["fetch:https://evil.example", "fetch:https://93.184.216.34"]).unwrap();
    let public: IpAddr = "1.1.1.1".parse().unwrap();
    let denied: IpAddr = "93.184.216.34".parse().unwrap();
    let refused = |url: &str, ip| admit(&policy, &url.parse().unwrap(), &[ip]).is_err();
    assert!(refused("https://evil.example/", public));
    assert!(refused("https://a.example/", denied));
    assert!(!refused("https://a.example/", public));
}

proptest! {
    #[test]
    fn whatever_a_name_server_answers_a_wildcard_admits_public_addresses_alone(
        answer in proptest::collection::vec(any::<IpAddr>(), 0..6)
    ) {
        let url = "https://a.example/".parse().unwrap();
        let got = admit(&policy(&["fetch:https://*", "fetch:*://*:*"]), &url, &answer);
        match got {
            Ok(admitted) => {
                prop_assert!(!admitted.is_empty());
                prop_assert!(admitted.iter().all(|ip| holm_grants::address::is_public(*ip)));
            }
            Err(NetError::Refused(refusal)) => {
                let spoils = refusal.address.is_some_and(|ip| !holm_grants::address::is_public(ip));
                prop_assert!(spoils);
            }
            Err(NetError::Unresolved { .. }) => {
                let translated = |ip: &IpAddr| !holm_grants::address::is_public(*ip);
                prop_assert!(answer.iter().all(translated));
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
