use tokio_postgres::config::SslMode;

use super::{ConnectionParameters, DatabaseAddress, RootCertificates, decoded, from_pairs, from_url};
use crate::StoreError;

#[test]
fn a_password_goes_through_a_network_in_the_clear_only_if_somebody_says_so() {
    for (address, expect) in [
        ("host=/run/postgresql user=a password=x", SslMode::Disable),
        ("host=/run/postgresql user=a sslmode=require", SslMode::Disable),
        ("host=/run/postgresql,db.example user=a", SslMode::Require),
        ("host=/run/postgresql,localhost user=a sslmode=require", SslMode::Require),
        ("host=localhost user=a password=x", SslMode::Disable),
        ("host=127.0.0.1 user=a password=x", SslMode::Disable),
        ("host=::1 user=a sslmode=require", SslMode::Require),
        ("host=localhost user=a sslmode=prefer", SslMode::Prefer),
        ("host=db.example user=a", SslMode::Require),
        ("host=db.example user=a sslmode=prefer", SslMode::Prefer),
        ("host=db.example user=a password=x sslmode=prefer", SslMode::Require),
        ("host=db.example user=a password=x sslmode=verify-full", SslMode::Require),
        ("host=db.example user=a password=x sslmode=disable", SslMode::Disable),
        ("host=localhost,db.example user=a password=x", SslMode::Require),
        ("host=localhost hostaddr=10.0.0.1 user=a password=x", SslMode::Require),
        ("postgresql://a:x@db.example/holm", SslMode::Require),
        ("postgresql://a:x@db.example/holm?sslmode=disable", SslMode::Disable),
        ("postgres://a:x@127.0.0.1/holm", SslMode::Disable),
    ] {
        let read = DatabaseAddress::read(address).unwrap();
        assert_eq!(read.config.get_ssl_mode(), expect, "{address}");
        assert_eq!(read.tls == RootCertificates::None, expect == SslMode::Disable, "{address}");
    }
}

#[test]
fn certificates_are_believed_by_the_file_that_was_named() {
    for (address, expect) in [
        ("host=db.example", RootCertificates::System),
        ("host=db.example sslrootcert=system", RootCertificates::System),
        (
            "host=db.example sslrootcert='/etc/a b.pem' sslmode=verify-full",
            RootCertificates::File("/etc/a b.pem".into()),
        ),
        ("postgresql://db.example/x?sslrootcert=%2Fetc%2Fa.pem", RootCertificates::File("/etc/a.pem".into())),
    ] {
        assert_eq!(DatabaseAddress::read(address).unwrap().tls, expect, "{address}");
    }
}

#[test]
fn words_that_nobody_knows_are_refused() {
    for address in ["host=a sslmode=allow", "host=a sslmode=verify-ca", "host", "host='a", "host=a sslmode"] {
        let read = DatabaseAddress::read(address).map(|_| ());
        assert!(matches!(read, Err(StoreError::BadLabel { .. })), "{address}: {read:?}");
    }
}

#[test]
fn everything_else_reaches_the_driver_as_it_was_written() {
    let (rest, words) = from_pairs(r"user = 'o\'brien' sslmode=require password=a\ b\\c dbname=''").unwrap();
    assert_eq!(rest, r"user='o\'brien' password='a b\\c' dbname='' ");
    assert_eq!(
        words,
        ConnectionParameters { mode: Some("require".into()), ..ConnectionParameters::default() }
    );
    let (rest, words) = from_url("postgresql://a@b/c?x=1&sslmode=require&y=2");
    assert_eq!((rest.as_str(), words.mode.as_deref()), ("postgresql://a@b/c?x=1&y=2", Some("require")));
    assert_eq!(from_url("postgresql://a@b/c?sslmode=require").0, "postgresql://a@b/c");
    for (text, expect) in [("a%2Fb", "a/b"), ("%", "%"), ("%zz", "%zz"), ("100%25", "100%"), ("", "")] {
        assert_eq!(decoded(text), expect, "{text}");
    }
}
