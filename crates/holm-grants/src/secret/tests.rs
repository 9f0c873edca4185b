use super::{SecretPattern, SecretUse};
use crate::error::{GrantError, HostError, UrlError};

fn check(pattern: &str, used: &str, expect: bool) {
    let parsed: SecretPattern = pattern.parse().unwrap();
    assert_eq!(parsed.admits(&used.parse().unwrap()), expect, "{pattern} on {used}");
}

#[test]
fn a_secret_goes_only_to_the_hosts_it_names() {
    check("github@api.github.com", "github@api.github.com", true);
    check("github@api.github.com", "gitlab@api.github.com", false);
    check("github@api.github.com", "github@github.com", false);
    check("github@*.github.com", "github@api.github.com", true);
    check("github@*.github.com", "github@github.com.evil.net", false);
    check("lab@10.0.0.7", "lab@0xa000007", true);
}

#[test]
fn a_secret_without_a_host_of_its_own_is_refused() {
    let refused =
        |text: &str, error: GrantError| assert_eq!(text.parse::<SecretPattern>(), Err(error), "{text}");
    refused("github", GrantError::SecretWithoutHost);
    refused("github@*", GrantError::SecretForAnyHost);
    refused("github@a@b", GrantError::Url(UrlError::Host(HostError::BadCharacter)));
    assert!("@host".parse::<SecretPattern>().is_err());
    assert!("x@169.254.169.254".parse::<SecretPattern>().is_err());
}

#[test]
fn the_offered_pattern_is_the_use_itself() {
    let used: SecretUse = "github@API.github.com.".parse().unwrap();
    assert_eq!(SecretPattern::exactly(&used), "github@api.github.com".parse());
}

#[test]
fn a_denied_secret_is_denied_in_any_case() {
    let denied: SecretPattern = "GitHub@*.github.com".parse().unwrap();
    assert!(denied.denies(&"github@api.github.com".parse().unwrap()));
    assert!(!denied.denies(&"github@example.com".parse().unwrap()));
}
