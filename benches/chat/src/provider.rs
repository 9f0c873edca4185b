//! A provider that streams words at an even pace, in the form of OpenAI's chat.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The provider, on a port of this machine.
pub struct Provider {
    address: SocketAddr,
    answered: Arc<AtomicUsize>,
}

impl Provider {
    /// One that answers each request with so many tokens, one in each pause.
    pub fn start(pause: Duration, tokens: usize) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let answered = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&answered);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let count = Arc::clone(&count);
                thread::spawn(move || answer(stream, pause, tokens, &count));
            }
        });
        Self { address, answered }
    }

    /// Where it is reached.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Waits until so many requests were answered.
    pub fn until_answered(&self, requests: usize) {
        while self.answered.load(Ordering::Acquire) < requests {
            thread::sleep(Duration::from_micros(200));
        }
    }
}

fn answer(stream: TcpStream, pause: Duration, tokens: usize, count: &AtomicUsize) {
    let Ok(mut out) = stream.try_clone() else { return };
    let mut reader = BufReader::new(stream);
    while read_request(&mut reader).is_some() {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        if out.write_all(head.as_bytes()).is_err() {
            return;
        }
        let began = Instant::now();
        for token in 0..tokens {
            let word = if token % 12 == 11 { "line.\\n\\n" } else { "word " };
            let event = format!(
                "data: {{\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{word}\"}},\"finish_reason\":null}}]}}\n\n"
            );
            if chunk(&mut out, &event).is_none() {
                return;
            }
            let due = pause * u32::try_from(token + 1).unwrap_or(u32::MAX);
            thread::sleep(due.saturating_sub(began.elapsed()));
        }
        let end = "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"the end.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":10,\"total_tokens\":20}}\n\ndata: [DONE]\n\n";
        if chunk(&mut out, end).is_none() || out.write_all(b"0\r\n\r\n").is_err() {
            return;
        }
        count.fetch_add(1, Ordering::Release);
    }
}

fn chunk(out: &mut TcpStream, text: &str) -> Option<()> {
    out.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).ok()
}

/// Reads a request to its end.
fn read_request(reader: &mut BufReader<TcpStream>) -> Option<()> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
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
    reader.read_exact(&mut body).ok()
}
