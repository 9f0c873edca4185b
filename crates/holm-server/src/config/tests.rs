use super::{BasePath, ServerOptions, TlsFiles};

#[test]
fn a_base_path_is_made_of_plain_names() {
    let check = |text: &str, expect: Option<&str>| {
        let read = text.parse::<BasePath>().ok();
        assert_eq!(read.as_ref().map(BasePath::as_str), expect, "{text}");
    };
    check("", Some(""));
    check("/", Some(""));
    check("/holm", Some("/holm"));
    check("/a/b-c_d.e/", Some("/a/b-c_d.e"));
    for bad in ["holm", "/..", "/a//b", "/a/%2e%2e", "/a b", "/.git", "//host", "/a?b", "/{id}"] {
        check(bad, None);
    }
}

#[test]
fn the_address_for_other_programs_is_the_proxys_name_or_the_servers_own_address() {
    let own = ServerOptions { base: "/holm".parse().unwrap(), ..ServerOptions::new("x") };
    assert_eq!(own.public_url(), "http://127.0.0.1:7417/holm");
    let proxied = ServerOptions { hosts: vec!["holm.example.org".into()], ..own.clone() };
    assert_eq!(proxied.public_url(), "https://holm.example.org/holm");
    let tls = Some(TlsFiles { certificate: "c".into(), key: "k".into() });
    assert_eq!(ServerOptions { tls, ..proxied }.public_url(), "https://holm.example.org:7417/holm");
}
