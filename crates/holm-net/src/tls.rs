//! Adds TLS to an open stream, for the host name that was checked. It opens no connection:
//! `connector.rs` does. Session tickets are never shared between clients, so that a server cannot
//! link them; only the trusted certificates are.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use holm_grants::{Url, UrlHost};
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::{NetError, origin};

/// The certificates that the operating system trusts, loaded on first use.
static TRUSTED: OnceLock<Arc<Verifier>> = OnceLock::new();

/// The number of session tickets that a client keeps: eight for each of the few servers that an
/// agent talks to. A Holm server has thousands of sessions with several clients each, and every
/// client allocates room for all of its tickets at the start.
const REMEMBERED: usize = 4 * 8;

/// The trusted certificates. A certificate must be valid for the URL's host, however
/// its address was found.
#[derive(Clone, Debug)]
pub struct TlsConfig(Arc<ClientConfig>);

impl TlsConfig {
    /// Trusts what the operating system trusts. The certificates are loaded once per process,
    /// on first use, because each of a server's thousands of sessions would otherwise load and
    /// keep some hundred of them. Nothing else is shared, so a server cannot link two clients
    /// by their session tickets.
    ///
    /// # Errors
    ///
    /// [`NetError::NoRoots`] if the system has no trusted certificates.
    pub fn platform() -> Result<Self, NetError> {
        let provider = Arc::new(ring::default_provider());
        let no_roots = |error: rustls::Error| NetError::NoRoots(error.to_string());
        let verifier = match TRUSTED.get() {
            Some(verifier) => Arc::clone(verifier),
            None => {
                let read = Verifier::new(Arc::clone(&provider)).map_err(no_roots)?;
                Arc::clone(TRUSTED.get_or_init(|| Arc::new(read)))
            }
        };
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(no_roots)?
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        config.resumption = Resumption::in_memory_sessions(REMEMBERED);
        Ok(Self::with_config(config))
    }

    /// Trusts what `config` trusts. This function sets the protocols that the client offers.
    #[must_use]
    pub fn with_config(mut config: ClientConfig) -> Self {
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self(Arc::new(config))
    }

    /// Performs the TLS handshake for the URL's host.
    pub(crate) async fn secure(
        &self,
        url: &Url,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, NetError> {
        let failed = |reason: String| NetError::Tls { origin: origin(url), why: reason };
        let name = server_name(url.host())
            .ok_or_else(|| failed("the host is not a valid name for a certificate".into()))?;
        TlsConnector::from(Arc::clone(&self.0))
            .connect(name, stream)
            .await
            .map_err(|error| failed(error.to_string()))
    }
}

/// Whether the peer chose HTTP/2.
pub(crate) fn chose_h2(stream: &TlsStream<TcpStream>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(b"h2")
}

fn server_name(host: &UrlHost) -> Option<ServerName<'static>> {
    match host {
        UrlHost::Name(name) => ServerName::try_from(name.as_str().to_owned()).ok(),
        UrlHost::Address(IpAddr::V4(ip)) => Some(ServerName::IpAddress((*ip).into())),
        UrlHost::Address(IpAddr::V6(ip)) => Some(ServerName::IpAddress((*ip).into())),
    }
}
