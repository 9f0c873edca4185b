//! Servers that say one thing, and name servers that lead to them.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use holm_grants::{GrantPolicy, GrantSet};
use holm_net::{Connector, HostName, HostResolver, HttpClient, ResolveFuture, TlsConfig};
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Every name leads to this machine.
pub(crate) struct Names;

impl HostResolver for Names {
    fn resolve<'a>(&'a self, _: &'a HostName) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![IpAddr::from([127, 0, 0, 1])]) })
    }
}

pub(crate) struct Silent;

impl HostResolver for Silent {
    fn resolve<'a>(&'a self, _: &'a HostName) -> ResolveFuture<'a> {
        Box::pin(std::future::pending())
    }
}

pub(crate) fn policy(grants: &[&str]) -> GrantPolicy {
    GrantPolicy { grants: GrantSet::parse(grants.iter().copied()).unwrap(), ..GrantPolicy::default() }
}

pub(crate) fn client() -> HttpClient {
    HttpClient::new(Connector::new(Arc::new(Names)), trusting(None))
}

/// Trusts one certificate, or none.
pub(crate) fn trusting(certificate: Option<&CertificateDer<'static>>) -> TlsConfig {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificate.cloned());
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConfig::with_config(config)
}

#[derive(Default)]
struct Log {
    connections: usize,
    seen: Vec<String>,
}

pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<Mutex<Log>>,
    certificate: Option<CertificateDer<'static>>,
}

impl Server {
    /// Says the same to every request, and keeps the connection open.
    pub(crate) async fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let answer: Arc<Vec<u8>> = Arc::new(answer.into());
        Self::accepting(None, move |stream, log| {
            let answer = Arc::clone(&answer);
            async move { say(stream, &answer, &log).await }
        })
        .await
    }

    /// Speaks one protocol over TLS, with a certificate for one name.
    pub(crate) async fn secure(name: &str, protocol: &'static str) -> Self {
        let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let certificate: CertificateDer<'static> = made.cert.der().clone();
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Self::accepting(Some(certificate), move |stream, log| serve(acceptor.clone(), stream, log)).await
    }

    async fn accepting<F, W>(certificate: Option<CertificateDer<'static>>, work: F) -> Self
    where
        F: Fn(TcpStream, Arc<Mutex<Log>>) -> W + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.lock().unwrap().connections += 1;
                tokio::spawn(work(stream, Arc::clone(&shared)));
            }
        });
        Self { address, log, certificate }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn url(&self, host: &str) -> String {
        format!("{}://{host}:{}/", self.scheme(), self.port())
    }

    pub(crate) fn grant(&self, host: &str) -> String {
        format!("fetch:{}://{host}:{}", self.scheme(), self.port())
    }

    fn scheme(&self) -> &'static str {
        if self.certificate.is_some() { "https" } else { "http" }
    }

    /// A client that trusts this server.
    pub(crate) fn client(&self) -> HttpClient {
        HttpClient::new(Connector::new(Arc::new(Names)), trusting(self.certificate.as_ref()))
    }

    /// The line that a secure server logs for a request.
    pub(crate) fn asked(&self, host: &str) -> String {
        format!("asked {host}:{}", self.port())
    }

    pub(crate) fn connections(&self) -> usize {
        self.log.lock().unwrap().connections
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.log.lock().unwrap().seen.clone()
    }
}

async fn say(mut stream: TcpStream, answer: &[u8], log: &Mutex<Log>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        log.lock().unwrap().seen.push(String::from_utf8_lossy(&buffer[..length]).into_owned());
        if stream.write_all(answer).await.is_err() {
            return;
        }
    }
}

async fn serve(acceptor: TlsAcceptor, stream: TcpStream, log: Arc<Mutex<Log>>) {
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let (_, session) = stream.get_ref();
    log.lock().unwrap().seen.push(format!("sni {}", session.server_name().unwrap_or("none")));
    let h2 = session.alpn_protocol() == Some(b"h2");
    let service = service_fn(move |request: Request<Incoming>| {
        let by_uri = request.uri().authority().map(ToString::to_string);
        let by_header = request.headers().get("host").and_then(|host| host.to_str().ok()).map(str::to_owned);
        log.lock().unwrap().seen.push(format!("asked {}", by_uri.or(by_header).unwrap_or_default()));
        async { Ok::<_, std::convert::Infallible>(Response::new(Full::new(Bytes::from_static(b"secure")))) }
    });
    let stream = TokioIo::new(stream);
    if h2 {
        let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
            .serve_connection(stream, service)
            .await;
    } else {
        let _ = hyper::server::conn::http1::Builder::new().serve_connection(stream, service).await;
    }
}
