//! A provider that streams at an even pace, in the form of OpenAI's chat. Each piece says its number and when it was sent.
//! Replies wait at a gate, so that all of them stream at the same time however long it takes to ask for them.

use std::{
    net::SocketAddr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::request;

/// How often a reply that waits says that it is still there.
const ALIVE: Duration = Duration::from_secs(5);
/// Moments between two pieces of a reply at which other replies speak.
const PLACES: usize = 50;

/// Where times begin; watchers are in the same process.
static BEGAN: OnceLock<Instant> = OnceLock::new();

/// Microseconds since the first piece of all.
pub(crate) fn now() -> u64 {
    u64::try_from(BEGAN.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// The provider, on a port of this machine.
pub(crate) struct Provider {
    address: SocketAddr,
    gate: watch::Sender<Gate>,
    waiting: Arc<AtomicUsize>,
}

/// Whether replies may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    Closed,
}

/// What every connection shares.
#[derive(Clone)]
struct Shared {
    gate: watch::Receiver<Gate>,
    waiting: Arc<AtomicUsize>,
    /// How many replies have begun.
    begun: Arc<AtomicUsize>,
    pause: Duration,
    pieces: u32,
}

impl Shared {
    /// How much later than the gate a reply begins: those of a thousand people do not speak in the same millisecond.
    fn offset(&self) -> Duration {
        let number = self.begun.fetch_add(1, Ordering::Relaxed) % PLACES;
        self.pause * u32::try_from(number).unwrap_or(0) / u32::try_from(PLACES).unwrap_or(1)
    }
}

impl Provider {
    /// One that answers each request with so many pieces, so many a second.
    pub(crate) async fn start(rate: u32, pieces: u32) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let pause = Duration::from_secs(1) / rate;
        let (gate, seen) = watch::channel(Gate::Closed);
        let waiting = Arc::<AtomicUsize>::default();
        let shared =
            Shared { gate: seen, waiting: Arc::clone(&waiting), begun: Arc::default(), pause, pieces };
        tokio::spawn(async move {
            loop {
                if let Ok((stream, _)) = listener.accept().await {
                    let _ = stream.set_nodelay(true);
                    tokio::spawn(answer(stream, shared.clone()));
                }
            }
        });
        Self { address, gate, waiting }
    }

    /// Replies wait from now on.
    pub(crate) fn close(&self) {
        self.gate.send_replace(Gate::Closed);
    }

    /// Replies begin.
    pub(crate) fn open(&self) {
        self.gate.send_replace(Gate::Open);
    }

    /// How many replies wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Where it is reached.
    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

/// Answers until the other side has gone.
async fn answer(stream: TcpStream, mut shared: Shared) -> Option<()> {
    let mut stream = BufReader::with_capacity(4_096, stream);
    let (pause, pieces) = (shared.pause, shared.pieces);
    loop {
        read_request(&mut stream).await?;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).await.ok()?;
        shared.waiting.fetch_add(1, Ordering::SeqCst);
        let let_in = wait(&mut stream, &mut shared.gate).await;
        shared.waiting.fetch_sub(1, Ordering::SeqCst);
        let_in?;
        let began = tokio::time::Instant::now() + shared.offset();
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

/// Waits until the gate is open. None if the other side has gone meanwhile.
async fn wait(stream: &mut BufReader<TcpStream>, gate: &mut watch::Receiver<Gate>) -> Option<()> {
    loop {
        let opened = tokio::time::timeout(ALIVE, gate.wait_for(|gate| *gate == Gate::Open)).await;
        // What was seen is not kept: it holds a lock, and nothing that is sent may wait behind it.
        match opened.map(|opened| opened.is_ok()) {
            Ok(true) => return Some(()),
            Ok(false) => return None,
            Err(_) => {}
        }
        chunk(stream, ": waiting\n\n").await?;
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
    let mut head = String::new();
    while !request::is_whole(&head) {
        if stream.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let (_, length) = request::read(&head)?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok().map(|_| ())
}
