//! A provider that streams at an even pace, in the form of OpenAI's chat. Each piece says its number and when it was sent.

use std::{
    net::SocketAddr,
    sync::OnceLock,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

/// Where times begin; watchers are in the same process.
static BEGAN: OnceLock<Instant> = OnceLock::new();

/// Microseconds since the first piece of all.
pub(crate) fn now() -> u64 {
    u64::try_from(BEGAN.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// The provider, on a port of this machine.
pub(crate) struct Provider {
    address: SocketAddr,
}

impl Provider {
    /// One that answers each request with so many pieces, so many a second.
    pub(crate) async fn start(rate: u32, pieces: u32) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let pause = Duration::from_secs(1) / rate;
        tokio::spawn(async move {
            loop {
                if let Ok((stream, _)) = listener.accept().await {
                    let _ = stream.set_nodelay(true);
                    tokio::spawn(answer(stream, pause, pieces));
                }
            }
        });
        Self { address }
    }

    /// Where it is reached.
    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

/// Answers until the other side has gone.
async fn answer(stream: TcpStream, pause: Duration, pieces: u32) -> Option<()> {
    let mut stream = BufReader::with_capacity(4_096, stream);
    loop {
        read_request(&mut stream).await?;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).await.ok()?;
        let began = tokio::time::Instant::now();
        for piece in 0..pieces {
            tokio::time::sleep_until(began + pause * piece).await;
            // `NUMBER@TIME|`: no letter that JSON would write otherwise.
            let content = format!("{piece:06}@{:016}|", now());
            chunk(&mut stream, &event(&content, "null")).await?;
        }
        let end = event("", "\"stop\"");
        chunk(&mut stream, &format!("{end}data: [DONE]\n\n")).await?;
        stream.write_all(b"0\r\n\r\n").await.ok()?;
    }
}

fn event(content: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{content}\"}},\
         \"finish_reason\":{finish}}}]}}\n\n"
    )
}

async fn chunk(stream: &mut BufReader<TcpStream>, text: &str) -> Option<()> {
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await.ok()
}

/// Reads a request to its end.
async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<()> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok().map(|_| ())
}
