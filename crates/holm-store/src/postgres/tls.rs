//! TLS to the server. The server's certificate is always verified, whichever `sslmode` was given,
//! because an unverified certificate protects nothing.
//!
//! Whether TLS is used at all is decided in `postgres/address.rs`. Never add a mode without
//! verification here.
//!
//! Connections are opened in `postgres/connector.rs`.

use std::{
    io,
    path::{Path, PathBuf},
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
};

use holm_runtime::BoxFuture;
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::{
    Socket,
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream},
};
use tokio_rustls::{
    TlsConnector, client,
    rustls::{
        ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier,
        crypto::{CryptoProvider, ring},
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};

use crate::StoreError;

/// The root certificates that are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RootCertificates {
    /// No certificates: the connection is not encrypted.
    None,
    /// Whom the operating system trusts.
    System,
    /// The certificates in a file.
    File(PathBuf),
}

#[derive(Clone)]
pub(super) struct PostgresTls(Option<Arc<ClientConfig>>);

/// The TLS configuration with the system's certificates. Read once for all stores: on a server
/// each user has one, and the system lists hundreds. Certificates that are added later are read
/// at the next start.
static SYSTEM: OnceLock<Arc<ClientConfig>> = OnceLock::new();

impl PostgresTls {
    pub(super) fn new(roots: RootCertificates) -> Result<Self, StoreError> {
        Ok(Self(match roots {
            RootCertificates::None => None,
            RootCertificates::System => Some(system()?),
            RootCertificates::File(path) => Some(named(&path)?),
        }))
    }
}

/// Trusts the operating system's certificates. A failure is not remembered: the
/// next store tries again.
fn system() -> Result<Arc<ClientConfig>, StoreError> {
    if let Some(config) = SYSTEM.get() {
        return Ok(Arc::clone(config));
    }
    let (provider, builder) = begun()?;
    let verifier = Verifier::new(provider).map_err(|error| wrong(&error.to_string()))?;
    let config =
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
    Ok(Arc::clone(SYSTEM.get_or_init(|| Arc::new(config))))
}

/// Trusts the certificates in a file.
fn named(path: &Path) -> Result<Arc<ClientConfig>, StoreError> {
    let in_file = |reason: String| wrong(&format!("{}: {reason}", path.display()));
    let read = CertificateDer::pem_file_iter(path).map_err(|error| in_file(error.to_string()))?;
    let mut store = RootCertStore::empty();
    for root in read {
        let root = root.map_err(|error| in_file(error.to_string()))?;
        store.add(root).map_err(|error| in_file(error.to_string()))?;
    }
    if store.is_empty() {
        return Err(in_file("it contains no certificate".into()));
    }
    let (_, builder) = begun()?;
    Ok(Arc::new(builder.with_root_certificates(store).with_no_client_auth()))
}

/// The TLS configuration without the root certificates.
fn begun() -> Result<(Arc<CryptoProvider>, ConfigBuilder<ClientConfig, WantsVerifier>), StoreError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&error.to_string()))?;
    Ok((provider, builder))
}

fn wrong(reason: &str) -> StoreError {
    StoreError::System { reason: format!("no TLS: {reason}") }
}

impl MakeTlsConnect<Socket> for PostgresTls {
    type Stream = PostgresTlsStream;
    type TlsConnect = TlsHandshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<TlsHandshake, io::Error> {
        // Sockets have no name; whether one is needed is known later.
        let name = ServerName::try_from(domain.to_owned()).ok();
        Ok(TlsHandshake { config: self.0.clone(), name })
    }
}

pub(super) struct TlsHandshake {
    config: Option<Arc<ClientConfig>>,
    name: Option<ServerName<'static>>,
}

impl TlsConnect<Socket> for TlsHandshake {
    type Stream = PostgresTlsStream;
    type Error = io::Error;
    type Future = BoxFuture<'static, Result<PostgresTlsStream, io::Error>>;

    fn connect(self, stream: Socket) -> Self::Future {
        Box::pin(async move {
            let (Some(config), Some(name)) = (self.config, self.name) else {
                return Err(io::Error::other("the host is not a valid name for a certificate"));
            };
            Ok(PostgresTlsStream(Box::new(TlsConnector::from(config).connect(name, stream).await?)))
        })
    }
}

/// A connection that is secured.
pub(super) struct PostgresTlsStream(Box<client::TlsStream<Socket>>);

impl TlsStream for PostgresTlsStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for PostgresTlsStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(context, into)
    }
}

impl AsyncWrite for PostgresTlsStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_shutdown(context)
    }
}
