//! A server that answers as a function says, and records what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(super) struct SeenRequest {
    pub(super) method: String,
    pub(super) target: String,
    /// With names in small letters.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl SeenRequest {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

pub(super) struct Server {
    pub(super) address: SocketAddr,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
}

impl Server {
    pub(super) async fn answering(answer: impl Fn(&SeenRequest) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (seen, answer) = (Arc::<Mutex<Vec<SeenRequest>>>::default(), Arc::new(answer));
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
                tokio::spawn(async move {
                    let _ = talk(stream, &*answer, &log).await;
                });
            }
        });
        Self { address, seen }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn seen(&self) -> Vec<SeenRequest> {
        self.seen.lock().expect("a lock").clone()
    }

    pub(super) fn last(&self) -> SeenRequest {
        self.seen().pop().expect("a request")
    }
}

async fn talk(
    mut stream: TcpStream,
    answer: &(dyn Fn(&SeenRequest) -> String + Send + Sync),
    log: &Mutex<Vec<SeenRequest>>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        let request = loop {
            if let Some((request, rest)) = parsed(&bytes) {
                bytes = rest;
                break request;
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
        };
        let said = answer(&request);
        log.lock().expect("a lock").push(request);
        stream.write_all(said.as_bytes()).await?;
    }
}

/// A whole request at the beginning of the bytes, and what follows it.
fn parsed(bytes: &[u8]) -> Option<(SeenRequest, Vec<u8>)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().expect("a length"));
    let body = bytes.get(end + 4..end + 4 + length)?;
    let body = String::from_utf8_lossy(body).into_owned();
    Some((SeenRequest { method, target, headers, body }, bytes[end + 4 + length..].to_vec()))
}

/// An answer with this status, these headers and this body.
pub(super) fn answer(status: &str, headers: &[(&str, &str)], body: &str) -> String {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

pub(super) fn json(body: &str) -> String {
    answer("200 OK", &[("content-type", "application/json")], body)
}
