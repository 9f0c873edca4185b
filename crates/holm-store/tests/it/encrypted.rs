//! TLS to a database: whose certificate is believed, and what is never said in the clear.

use std::{path::Path, sync::Arc};

use base64::Engine as _;
use holm_store::{Store, StoreError};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};

/// What a client asks first that wants TLS: eight bytes, and the number of this question.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
/// What the server says once it has heard who wants in.
const HEARD: &str = "heard over TLS";

/// A certificate for `localhost`, also in a file.
fn certificate(file: &Path) -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let text = base64::engine::general_purpose::STANDARD.encode(made.cert.der());
    std::fs::write(file, format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"))
        .unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// The beginning of a database server that has TLS, or has none: where it listens, and what it
/// hears after the question about TLS.
async fn server(tls: Option<TlsAcceptor>) -> (u16, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let hearing = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut asked = [0; 8];
        stream.read_exact(&mut asked).await.unwrap();
        assert_eq!(asked, SSL_REQUEST);
        match tls {
            Some(tls) => over_tls(stream, tls).await,
            None => {
                stream.write_all(b"N").await.unwrap();
                let mut heard = Vec::new();
                // A client that goes at once may do so without a farewell.
                let _ = stream.read_to_end(&mut heard).await;
                heard
            }
        }
    });
    (port, hearing)
}

async fn over_tls(mut stream: TcpStream, tls: TlsAcceptor) -> Vec<u8> {
    stream.write_all(b"S").await.unwrap();
    let Ok(mut stream) = tls.accept(stream).await else { return Vec::new() };
    let Ok(length) = stream.read_u32().await else { return Vec::new() };
    let mut heard = vec![0; usize::try_from(length).unwrap() - 4];
    stream.read_exact(&mut heard).await.unwrap();
    let fields = format!("SFATAL\0VFATAL\0C28000\0M{HEARD}\0\0");
    let mut answer = vec![b'E'];
    answer.extend(u32::try_from(fields.len() + 4).unwrap().to_be_bytes());
    answer.extend(fields.as_bytes());
    stream.write_all(&answer).await.unwrap();
    let _ = stream.shutdown().await;
    heard
}

/// What opening a store comes to.
async fn opened(port: u16, words: &str) -> String {
    let address =
        format!("host=localhost hostaddr=127.0.0.1 port={port} user=holm password=hunter2 dbname=x {words}");
    match Store::postgres(&address).await.map(|_| ()) {
        Err(StoreError::System { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_certificate_that_is_trusted_is_spoken_with() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("root.pem");
    let (port, hearing) = server(Some(certificate(&file))).await;
    let words = format!("sslmode=verify-full sslrootcert='{}'", file.display());
    assert_eq!(opened(port, &words).await, HEARD);
    let heard = String::from_utf8_lossy(&hearing.await.unwrap()).into_owned();
    assert!(heard.contains("user\0holm") && !heard.contains("hunter2"), "{heard:?}");
}

#[tokio::test]
async fn another_certificate_is_not_whatever_word_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (folder.path().join("own.pem"), folder.path().join("other.pem"));
    let _ = certificate(&other);
    for mode in ["prefer", "require", "verify-full"] {
        let (port, hearing) = server(Some(certificate(&own))).await;
        let reason = opened(port, &format!("sslmode={mode} sslrootcert='{}'", other.display())).await;
        assert!(reason.contains("TLS"), "{mode}: {reason}");
        assert_eq!(hearing.await.unwrap(), b"", "{mode}: nothing was said to it");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_told_nothing() {
    let (port, hearing) = server(None).await;
    let reason = opened(port, "sslmode=require").await;
    assert!(reason.contains("TLS"), "{reason}");
    assert_eq!(hearing.await.unwrap(), b"");
}

#[tokio::test]
async fn a_file_without_certificates_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.pem");
    std::fs::write(&file, "").unwrap();
    let reason = opened(1, &format!("sslmode=require sslrootcert='{}'", file.display())).await;
    assert!(reason.contains("empty.pem"), "{reason}");
}
