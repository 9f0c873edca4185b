//! Starts and stops a server. It accepts a limited number of connections, uses TLS if there is a
//! certificate, and shuts down in order.
//!
//! It knows no routes (`router.rs`) and checks no tokens (`request_guard.rs`). It listens to other
//! machines only with a certificate. The order of stopping must stay: jobs, sessions, sites,
//! connections. So no run is started that would be cut off at once.

use std::{
    collections::HashSet, convert::Infallible, net::SocketAddr, path::Path, pin::pin, sync::Arc,
    time::Duration,
};

use axum::Router;
use holm_runtime::CancellationToken;
use http::StatusCode;
use hyper::service::service_fn;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    },
};

use crate::{
    HolmServer, ServerError, ServerOptions, SessionProvider, TlsFiles,
    folder_lock::ServerFolderLock,
    request_guard::PeerAddress,
    router,
    strict_http::{StrictStream, UpgradeFlag},
};

/// How long a client may take to send the head of a request, or to complete the TLS handshake.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The interval and the timeout of HTTP/2 keep-alive pings.
const ALIVE: Duration = Duration::from_secs(20);
/// Concurrent requests of one connection.
const MOST_STREAMS: u32 = 128;
/// The pause after a failed accept: the system is out of file handles then.
const BREATH: Duration = Duration::from_millis(100);
/// How long connections may take to end after the server has stopped.
const LAST: Duration = Duration::from_secs(2);

/// A running server. If it is dropped without [`stop`](Self::stop), unfinished work is resumed
/// at the next start.
pub struct RunningServer {
    server: HolmServer,
    address: SocketAddr,
    close: CancellationToken,
    accepting: JoinHandle<()>,
    /// The folder is locked until the server has stopped.
    _claim: Arc<ServerFolderLock>,
}

/// Starts a server: it listens, then resumes what was unfinished when the last one ended.
///
/// # Errors
/// [`ServerError`] if it cannot start. Errors of one client affect only that client.
pub async fn serve(
    config: ServerOptions,
    workshop: Arc<dyn SessionProvider>,
) -> Result<RunningServer, ServerError> {
    let listen = config.listen;
    if config.tls.is_none() && !listen.ip().is_loopback() {
        return Err(ServerError::Exposed(listen));
    }
    let tls = config.tls.as_ref().map(acceptor).transpose()?;
    let claim = Arc::new(ServerFolderLock::take(&config.folder)?);
    let failed = |error: std::io::Error| ServerError::Listen { address: listen, reason: error.to_string() };
    let listener = TcpListener::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let server = HolmServer::new(ServerOptions { listen: address, ..config }, workshop)?;
    server.inner.hosting.start(&server, tls.clone()).await?;
    let close = CancellationToken::new();
    let accepting = ConnectionAcceptor {
        routes: router(server.clone()),
        tls,
        connections: Arc::new(Semaphore::new(server.config().limits.connections)),
        close: close.clone(),
    };
    let held = Arc::clone(&claim);
    let accepting = tokio::spawn(async move {
        accepting.accept(listener).await;
        drop(held);
    });
    let resumed = server.clone();
    tokio::spawn(async move {
        let (users, mut theirs) = (resumed.keyring().holders(), HashSet::new());
        for user in &users {
            // Jobs first, because each job decides how questions of its runs are handled. If a
            // store cannot be read now, its jobs start when a client first asks for them.
            if let Ok(keeper) = resumed.inner.jobs.of(&resumed, user).await {
                theirs.extend(keeper.under_way().into_iter().map(|id| (user.clone(), id)));
            }
        }
        resumed.hall().resume_parked(&users, &theirs).await;
        if let Some(every) = resumed.config().takeover {
            take_over(&resumed, every).await;
        }
    });
    Ok(RunningServer { server, address, close, accepting, _claim: claim })
}

/// Resumes sessions of ended servers that share this store, until this server stops. A
/// live server holds a lease on each of its sessions. The database releases it when that
/// server ends or crashes.
async fn take_over(server: &HolmServer, every: Duration) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            () = server.hall().stopping() => return,
        }
        server.hall().adopt(&server.keyring().holders()).await;
    }
}

impl RunningServer {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn server(&self) -> &HolmServer {
        &self.server
    }

    /// Stops in order: no new work, a grace period for runs, parking of the
    /// rest, end of connections.
    pub async fn stop(self) {
        self.server.inner.jobs.stop();
        self.server.hall().close().await;
        self.server.inner.hosting.stop();
        self.close.cancel();
        // It ends at once; its connections have their own grace period.
        let _ = self.accepting.await;
    }
}

impl std::fmt::Debug for RunningServer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("RunningServer").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A permit for an open connection, released with the last clone. A WebSocket keeps it, because the
/// HTTP connection ends with the upgrade.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionPermit {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// Accepts connections until it is closed.
pub(crate) struct ConnectionAcceptor {
    pub(crate) routes: Router,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) connections: Arc<Semaphore>,
    pub(crate) close: CancellationToken,
}

impl ConnectionAcceptor {
    pub(crate) async fn accept(self, listener: TcpListener) {
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&self.connections).acquire_owned() => permit,
                () = self.close.cancelled() => return,
            };
            // The semaphore is never closed.
            let Ok(permit) = permit else { return };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.close.cancelled() => return,
            };
            let Ok((stream, peer)) = accepted else {
                tokio::time::sleep(BREATH).await;
                continue;
            };
            let (routes, tls, close) = (self.routes.clone(), self.tls.clone(), self.close.clone());
            let client = PeerConnection { peer, permit: ConnectionPermit { _permit: Arc::new(permit) } };
            tokio::spawn(greet(stream, client, routes, tls, close));
        }
    }
}

/// The client of one connection.
struct PeerConnection {
    peer: SocketAddr,
    permit: ConnectionPermit,
}

/// Does the TLS handshake if there is a certificate, then serves HTTP.
async fn greet(
    stream: TcpStream,
    client: PeerConnection,
    routes: Router,
    tls: Option<TlsAcceptor>,
    close: CancellationToken,
) {
    // Events are small and must be sent at once.
    let _ = stream.set_nodelay(true);
    match tls {
        None => serve_connection(stream, client, routes, close).await,
        Some(tls) => {
            let agreed = tokio::time::timeout(HEAD_TIME, tls.accept(stream)).await;
            if let Ok(Ok(stream)) = agreed {
                serve_connection(stream, client, routes, close).await;
            }
        }
    }
}

async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    client: PeerConnection,
    routes: Router,
    close: CancellationToken,
) {
    let first_request = CancellationToken::new();
    let on_request = first_request.clone();
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(MOST_STREAMS);
    // A connection whose client has vanished must not hold its permit.
    builder.http2().keep_alive_interval(ALIVE).keep_alive_timeout(ALIVE);
    let upgraded = UpgradeFlag::default();
    let stream = StrictStream::new(stream, upgraded.clone());
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        on_request.cancel();
        request.extensions_mut().insert(PeerAddress(client.peer));
        request.extensions_mut().insert(client.permit.clone());
        let (mut routes, upgraded) = (routes.clone(), upgraded.clone());
        async move {
            let answer = tower_service::Service::call(&mut routes, request).await?;
            if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
                upgraded.set();
            }
            Ok::<_, Infallible>(answer)
        }
    });
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    tokio::select! {
        // An error of a connection concerns only its client, which notices it.
        _ = connection.as_mut() => return,
        () = silence(&first_request) => return,
        () = close.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = tokio::time::timeout(LAST, connection).await;
}

/// Returns if a connection sends no request for too long. The header timeout of the HTTP
/// library starts only once the HTTP version is known. A silent connection would otherwise
/// hold its permit forever.
async fn silence(first_request: &CancellationToken) {
    if tokio::time::timeout(HEAD_TIME, first_request.cancelled()).await.is_ok() {
        std::future::pending::<()>().await;
    }
}

fn acceptor(tls: &TlsFiles) -> Result<TlsAcceptor, ServerError> {
    let wrong =
        |path: &Path, reason: String| ServerError::Certificate { place: path.display().to_string(), reason };
    let chain = CertificateDer::pem_file_iter(&tls.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(&tls.certificate, error.to_string()))?;
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| wrong(&tls.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&tls.certificate, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| wrong(&tls.key, error.to_string()))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
