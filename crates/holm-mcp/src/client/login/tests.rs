use std::net::IpAddr;

use holm_grants::GrantSet;

use super::{policy, scope_of};
use crate::{McpServerSpec, ServerAddress};

fn may(server: &str, grants: &[&str], url: &str, ip: &str) -> bool {
    let address = ServerAddress::new(server).unwrap();
    let grants = GrantSet::parse(grants.iter().copied()).unwrap();
    let spec = McpServerSpec::address("x", server).unwrap().grants(grants);
    let ip: IpAddr = ip.parse().unwrap();
    policy(&spec, &address).reach(&url.parse().unwrap(), ip).is_ok()
}

#[test]
fn metadata_leads_to_public_addresses_and_to_nothing_inside() {
    let server = "https://mcp.example/mcp";
    assert!(may(server, &[], "https://login.example/token", "93.184.216.34"));
    assert!(may(server, &[], "https://mcp.example/token", "93.184.216.34"));
    for (url, ip) in [
        ("https://login.example/token", "10.0.0.1"),
        ("https://login.example/token", "127.0.0.1"),
        ("https://login.example/token", "169.254.169.254"),
        ("https://login.example/token", "::1"),
        ("http://login.example/token", "93.184.216.34"),
        ("https://127.0.0.1/token", "127.0.0.1"),
        ("https://metadata.google.internal/token", "169.254.169.254"),
    ] {
        assert!(!may(server, &[], url, ip), "{url} at {ip}");
    }
}

#[test]
fn what_is_inside_is_reached_where_the_entry_names_it() {
    let grants = ["fetch:http://localhost:9000"];
    assert!(may("https://mcp.example/mcp", &grants, "http://localhost:9000/token", "127.0.0.1"));
    assert!(!may("https://mcp.example/mcp", &grants, "http://localhost:9001/token", "127.0.0.1"));
}

#[test]
fn a_server_here_opens_no_other_port_here() {
    let server = "http://localhost:8000/mcp";
    assert!(may(server, &[], "http://localhost:8000/token", "127.0.0.1"));
    assert!(!may(server, &[], "http://localhost:8001/token", "127.0.0.1"));
    assert!(
        !may(server, &[], "https://login.example/token", "93.184.216.34"),
        "open HTTP is for this machine"
    );
}

#[test]
fn scopes_are_read_from_a_challenge() {
    let check = |text: &str, expect: Option<&str>| assert_eq!(scope_of(text).as_deref(), expect, "{text}");
    check(r#"Bearer error="insufficient_scope", scope="a b""#, Some("a b"));
    check("Bearer scope=a, error=x", Some("a"));
    check(r#"Bearer scope="""#, None);
    check(r#"Bearer scope="a"#, None);
    check("Bearer", None);
}
