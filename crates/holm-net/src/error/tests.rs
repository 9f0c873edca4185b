use holm_grants::{AddressDenied, GrantPolicy, GrantSet, Url, address::AddressClass};

use super::{ConnectionDenied, NetError};

fn refusal(url: &str, address: Option<&str>, reason: AddressDenied) -> ConnectionDenied {
    let url: Url = url.parse().unwrap();
    ConnectionDenied::new(&url, address.map(|ip| ip.parse().unwrap()), reason)
}

#[test]
fn a_missing_grant_is_named_so_that_granting_it_helps() {
    let check = |url: &str, address: &str, why: AddressDenied, grant: Option<&str>| {
        let refusal = refusal(url, Some(address), why);
        assert_eq!(refusal.missing.as_ref().map(ToString::to_string).as_deref(), grant, "{url}");
        if let Some(missing) = refusal.missing {
            let own = format!("fetch:{}", refusal.origin);
            let grants = GrantSet::parse([own.as_str(), &missing.to_string()]).unwrap();
            let policy = GrantPolicy { grants, ..GrantPolicy::default() };
            assert_eq!(policy.reach(&url.parse().unwrap(), address.parse().unwrap()), Ok(()), "{url}");
        }
    };
    let inside = AddressDenied::NotNamed(AddressClass::Private);
    check(
        "https://a.example/x?key=1",
        "93.184.216.34",
        AddressDenied::NotGranted,
        Some("fetch:https://a.example"),
    );
    check(
        "https://a.example:8443/",
        "93.184.216.34",
        AddressDenied::NotGranted,
        Some("fetch:https://a.example:8443"),
    );
    check("http://a.example/", "10.0.0.1", inside, Some("fetch:http://10.0.0.1"));
    check("http://a.example:81/", "fd12::1", inside, Some("fetch:http://[fd12::1]:81"));
    check("http://a.example/", "169.254.169.254", AddressDenied::Never(AddressClass::Metadata), None);
    check("http://a.example/", "10.0.0.1", AddressDenied::Denied, None);
}

#[test]
fn a_message_shows_the_origin_and_never_the_path_or_the_query() {
    let refusal = refusal(
        "https://a.example/secret-path?token=abc",
        Some("10.0.0.1"),
        AddressDenied::NotNamed(AddressClass::Private),
    );
    let text = NetError::from(refusal).to_string();
    assert_eq!(
        text,
        "https://a.example is refused: leads to an address of a private network; only a grant that names the address \
         opens it (it led to 10.0.0.1); missing grant fetch:https://10.0.0.1"
    );
}

#[test]
fn where_a_server_led_to_is_in_no_message_and_no_log() {
    let led = ConnectionDenied {
        led_to: Some("https://a.example/secret-path?token=abc".parse().unwrap()),
        ..refusal("https://a.example/secret-path?token=abc", None, AddressDenied::NotGranted)
    };
    for text in [led.to_string(), format!("{led:?}"), format!("{:?}", NetError::from(led.clone()))] {
        assert!(text.contains("https://a.example") && !text.contains("secret-path"), "{text}");
    }
}
