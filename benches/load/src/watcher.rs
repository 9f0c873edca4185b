//! One watcher of one session, over server-sent events. It comes again from the last number whenever its connection breaks.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    sync::Semaphore,
};

use crate::{Seat, http, provider, tally::Tally};

/// How long a watcher waits before it comes again.
const PAUSE: Duration = Duration::from_millis(500);
/// Watchers that connect at the same time: a system keeps about a thousand waiting for one who accepts, and those beyond them wait
/// for seconds before they try again.
const AT_ONCE: usize = 256;

/// Who may connect.
static DOOR: Semaphore = Semaphore::const_new(AT_ONCE);

/// Watches one session.
pub(crate) struct Watcher {
    address: SocketAddr,
    seat: Seat,
    tally: Arc<Tally>,
    /// The last number that was seen.
    last: String,
    /// Text of the reply that is arriving, as far as it is no whole piece.
    rest: String,
    /// The number of the next piece.
    next: u64,
}

impl Watcher {
    pub(crate) fn new(address: SocketAddr, seat: Seat, tally: Arc<Tally>) -> Self {
        Self { address, seat, tally, last: String::new(), rest: String::new(), next: 0 }
    }

    /// Watches for as long as the benchmark lasts.
    pub(crate) async fn watch(mut self) {
        loop {
            // A connection that breaks, or was never made, is made again.
            let _ = self.listen().await;
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn listen(&mut self) -> Option<()> {
        let mut lines = self.connect().await?;
        self.tally.came();
        let heard = self.hear(&mut lines).await;
        self.tally.went();
        heard
    }

    /// A connection over which the answer has begun.
    async fn connect(&self) -> Option<BufReader<TcpStream>> {
        let _place = DOOR.acquire().await.ok()?;
        let mut stream = TcpStream::connect(self.address).await.ok()?;
        let path = format!("/api/sessions/{}/events", self.seat.session);
        let mut head = http::head(self.address, &self.seat.token, "GET", &path);
        if !self.last.is_empty() {
            head += &format!("last-event-id: {}\r\n", self.last);
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).await.ok()?;
        // Small, because there are ten thousand.
        let mut lines = BufReader::with_capacity(512, stream);
        let mut line = String::new();
        lines.read_line(&mut line).await.ok()?;
        line.contains(" 200 ").then_some(lines)
    }

    async fn hear(&mut self, lines: &mut BufReader<TcpStream>) -> Option<()> {
        let (mut line, mut name, mut data, mut id) =
            (String::new(), String::new(), String::new(), String::new());
        loop {
            line.clear();
            if lines.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let text = line.trim_end();
            if let Some(value) = text.strip_prefix("event: ") {
                value.clone_into(&mut name);
            } else if let Some(value) = text.strip_prefix("data: ") {
                value.clone_into(&mut data);
            } else if let Some(value) = text.strip_prefix("id: ") {
                value.clone_into(&mut id);
            } else if text.is_empty() && !name.is_empty() {
                // Seen when it is whole: one that was cut off comes again.
                self.take(&name, &data);
                if !id.is_empty() {
                    self.last.clone_from(&id);
                }
                name.clear();
            }
        }
    }

    fn take(&mut self, name: &str, data: &str) {
        let Ok(data) = serde_json::from_str::<Value>(data) else { return };
        match name {
            "delta" => self.piece(data["text"].as_str().unwrap_or_default()),
            "event" => self.event(&data["event"]),
            _ => {}
        }
    }

    /// More of the reply. Every piece must be the next one.
    fn piece(&mut self, text: &str) {
        self.rest.push_str(text);
        while let Some((piece, rest)) = self.rest.split_once('|') {
            let (number, sent) = piece.split_once('@').unwrap_or((piece, ""));
            match (number.parse::<u64>(), sent.parse::<u64>()) {
                (Ok(number), Ok(sent)) => {
                    // Those between never came, or come again.
                    self.tally.wrong(number.abs_diff(self.next));
                    self.next = number + 1;
                    self.tally.piece(provider::now().saturating_sub(sent));
                }
                (Err(_), _) | (_, Err(_)) => self.tally.wrong(1),
            }
            self.rest = rest.to_owned();
        }
    }

    fn event(&mut self, event: &Value) {
        // Another try begins with the first piece; so does what is asked anew after the server was killed.
        if event.get("model_called").is_some() || event.get("withdrawn").is_some() {
            self.rest.clear();
            self.next = 0;
        }
        if let Some(added) = event.get("message_added") {
            let text = added["message"]["blocks"].to_string();
            let pieces = u64::try_from(text.matches('|').count()).unwrap_or(u64::MAX);
            // A prompt has none.
            if pieces > 0 {
                self.tally.reply(pieces);
            }
        }
        if event.get("group_ended").is_some() {
            self.tally.end();
        }
    }
}
