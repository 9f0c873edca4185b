//! TLS with a certificate, and no unencrypted listener beyond this machine.

use std::{net::Ipv4Addr, sync::Arc};

use base64::Engine as _;
use holm_server::{ServerError, TlsFiles};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self,
        pki_types::{CertificateDer, ServerName},
    },
};

use crate::stage::Stage;

/// What a certificate or a key looks like in a file.
fn pem(label: &str, bytes: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_is_spoken_with() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, pem("CERTIFICATE", made.cert.der())).unwrap();
    std::fs::write(&key, pem("PRIVATE KEY", &made.signing_key.serialize_der())).unwrap();
    let stage = Stage::with(|config| config.tls = Some(TlsFiles { certificate, key })).await;
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from(made.cert.der().to_vec())).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = tokio::net::TcpStream::connect(stage.serving.address()).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    let head = stage.http().header("host", "localhost").head("GET", "/health");
    stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    // A server that closes without a farewell is no error here: the answer has come.
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_machines_are_not_spoken_with_in_clear() {
    let stage = Stage::new().await;
    let mut config = stage.serving.server().config().clone();
    config.listen = (Ipv4Addr::UNSPECIFIED, 0).into();
    let shop = crate::stage::shop(&stage);
    let refused = holm_server::serve(config, shop).await.unwrap_err();
    assert!(matches!(refused, ServerError::Exposed(_)), "{refused}");
}
