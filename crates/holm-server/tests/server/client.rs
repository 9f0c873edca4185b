//! A small client over a socket, which can send requests that no well-behaved client would.

use std::{net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    time::timeout,
};

/// How long anything may take, on a machine that is ten times slower than any.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// How often a condition is checked.
const LOOK: Duration = Duration::from_millis(20);

/// A client with a token.
#[derive(Clone)]
pub(crate) struct Http {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
    headers: Vec<(String, String)>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Http {
    pub(crate) fn new(address: SocketAddr, token: &str) -> Self {
        Self { address, token: Some(token.into()), headers: Vec::new() }
    }

    /// Without a token, or with another.
    pub(crate) fn token(&self, token: Option<&str>) -> Self {
        Self { token: token.map(str::to_owned), ..self.clone() }
    }

    pub(crate) fn header(&self, name: &str, value: &str) -> Self {
        let mut with = self.clone();
        with.headers.push((name.into(), value.into()));
        with
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, Some(&body.to_string())).await
    }

    pub(crate) async fn send(&self, method: &str, path: &str, body: Option<&str>) -> Reply {
        let mut text = self.head(method, path);
        if let Some(body) = body {
            text +=
                &format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        } else {
            text += "\r\n";
        }
        self.raw(text.as_bytes()).await
    }

    /// Sends these bytes and reads until the other side has enough.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // A server that refuses early may close before all is sent.
        let _ = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.unwrap();
        read(&String::from_utf8_lossy(&answer))
    }

    /// Begins to listen to server-sent events.
    pub(crate) async fn listen(&self, path: &str) -> Listening {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(format!("{}\r\n", self.head("GET", path)).as_bytes()).await.unwrap();
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        timeout(PATIENCE, lines.read_line(&mut head)).await.unwrap().unwrap();
        assert!(head.contains(" 200 "), "{head}");
        Listening { lines }
    }

    pub(crate) fn head(&self, method: &str, path: &str) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !self.headers.iter().any(|(name, _)| name == "host") {
            head += &format!("host: {}\r\n", self.address);
        }
        if let Some(token) = &self.token {
            head += &format!("authorization: Bearer {token}\r\n");
        }
        self.headers.iter().fold(head, |head, (name, value)| format!("{head}{name}: {value}\r\n"))
    }

    /// Makes a session and waits until what it was asked for has ended. Gives its name.
    pub(crate) async fn ended(&self, prompt: &str) -> String {
        let made = self.post("/api/sessions", &serde_json::json!({ "prompt": prompt })).await;
        assert_eq!(made.status, 201, "{made:?}");
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let mut listening = self.listen(&format!("/api/sessions/{id}/events")).await;
        listening.until("group_ended").await;
        id
    }

    /// Waits until a session does nothing.
    pub(crate) async fn until_idle(&self, id: &str) {
        let path = format!("/api/sessions/{id}");
        until("its end", async || self.get(&path).await.json()["state"] == "idle").await;
    }
}

/// Server-sent events as they come.
pub(crate) struct Listening {
    lines: BufReader<TcpStream>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Heard {
    /// The event's own word, where it is an event.
    pub(crate) fn event(&self) -> Option<String> {
        match &self.data["event"] {
            Value::Object(object) => object.keys().next().cloned(),
            Value::String(word) => Some(word.clone()),
            _ => None,
        }
    }
}

impl Listening {
    /// The next one; none at the end.
    pub(crate) async fn next(&mut self) -> Option<Heard> {
        let mut heard = Heard { name: String::new(), id: String::new(), data: Value::Null };
        loop {
            let mut line = String::new();
            let read = timeout(PATIENCE, self.lines.read_line(&mut line)).await.unwrap().unwrap_or(0);
            if read == 0 {
                return None;
            }
            let line = line.trim_end();
            // Sizes of chunks and headers stand between; none of them begins like these.
            match line.split_once(": ") {
                Some(("event", name)) => heard.name = name.into(),
                Some(("id", id)) => heard.id = id.into(),
                Some(("data", data)) => heard.data = serde_json::from_str(data).unwrap_or(Value::Null),
                _ if line.is_empty() && !heard.name.is_empty() => return Some(heard),
                _ => {}
            }
        }
    }

    /// Everything up to an event of that word, with it.
    pub(crate) async fn until(&mut self, word: &str) -> Vec<Heard> {
        let mut all = Vec::new();
        while let Some(heard) = timeout(PATIENCE, self.next()).await.unwrap() {
            let found = heard.event().as_deref() == Some(word) || heard.name == word;
            all.push(heard);
            if found {
                return all;
            }
        }
        panic!("no {word} came, only {all:?}");
    }
}

/// What a look finds, as soon as it finds something.
pub(crate) async fn found<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    timeout(PATIENCE, looking).await.unwrap_or_else(|_| panic!("{what} never came"))
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is: impl AsyncFnMut() -> bool) {
    found(what, async || is().await.then_some(())).await;
}

fn read(answer: &str) -> Reply {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { dechunked(body) } else { body.to_owned() };
    Reply { status, head: head.to_owned(), body }
}

fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size.trim(), 16) else { break };
        if size == 0 || rest.len() < size {
            break;
        }
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}
