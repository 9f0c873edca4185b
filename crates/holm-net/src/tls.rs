//! TLS on a stream that is already open, for the name that was checked.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use holm_grants::{Host, Url};
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::{NetError, origin};

/// Whom the operating system trusts, once somebody has asked.
static TRUSTED: OnceLock<Arc<Verifier>> = OnceLock::new();

/// Tickets by which a client goes on with servers that it knows, eight for each: an agent speaks with a few of them. There
/// are several clients in each of a server's thousands of sessions, and each has room for all of its tickets from the start.
const REMEMBERED: usize = 4 * 8;

/// Whom to trust. The certificate must be for the URL's host, however its address was found.
#[derive(Clone, Debug)]
pub struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Trusts what the operating system trusts. That is read once for the process, when somebody first asks: a server has
    /// thousands of sessions, and each would read and keep some hundred certificates. Nothing else is shared, so no two
    /// clients can be told to be one by what is remembered of a connection.
    ///
    /// # Errors
    ///
    /// [`NetError::NoRoots`] where the system trusts nobody.
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

    /// Trusts what `config` trusts. The protocols that it offers are set here.
    #[must_use]
    pub fn with_config(mut config: ClientConfig) -> Self {
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self(Arc::new(config))
    }

    /// Secures a stream to the URL's host.
    pub(crate) async fn secure(
        &self,
        url: &Url,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, NetError> {
        let failed = |why: String| NetError::Tls { origin: origin(url), why };
        let name =
            server_name(url.host()).ok_or_else(|| failed("the host is no name for a certificate".into()))?;
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

fn server_name(host: &Host) -> Option<ServerName<'static>> {
    match host {
        Host::Name(name) => ServerName::try_from(name.as_str().to_owned()).ok(),
        Host::Address(IpAddr::V4(ip)) => Some(ServerName::IpAddress((*ip).into())),
        Host::Address(IpAddr::V6(ip)) => Some(ServerName::IpAddress((*ip).into())),
    }
}
