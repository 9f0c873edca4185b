//! Sends requests to `holm serve` over a socket, from a client that ignores the rules of HTTP.
//!
//! The built command serves once for all cases, on its own port and in its own folders. Requests
//! are sent one at a time, and the stored data is compared before and after each: a refusal that
//! changed something does not count as a refusal.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use serde::Deserialize;
use serde_json::Value;

use crate::{
    outcome::Outcome,
    scene::{CANARY, Scene},
};

/// How long an answer may take, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// Nothing here is answered with more.
const MOST_ANSWERED: usize = 1 << 20;

/// How an answer begins.
const ANSWER: &str = "HTTP/1.1 ";

/// What the model of every session says; no case is about that.
const SCRIPT: &str = r#"{"results":[{"replied":{"blocks":[{"text":"Done."}]}}]}"#;

/// The user who started the server.
const OWNER: &str = "owner";

/// Whose token was taken back.
const GONE: &str = "gone";

/// Who else has a token, and what it is for.
const HOLDERS: [(&str, &str); 5] = [
    ("viewer", r#"{"user":"owner","role":"viewer"}"#),
    ("operator", r#"{"user":"owner","role":"operator"}"#),
    ("narrow", r#"{"user":"owner","role":"operator","sessions":["own"]}"#),
    ("ada", r#"{"user":"ada","role":"operator"}"#),
    (GONE, r#"{"user":"owner","role":"admin"}"#),
];

/// Whose sessions there are.
const SESSIONS: [(&str, &str); 3] =
    [(OWNER, r#"{"id":"own"}"#), (OWNER, r#"{"id":"second"}"#), ("ada", r#"{"id":"theirs"}"#)];

/// What a refusal must leave as it was: who sees it, where it is listed, in which member, and how its parts are named.
const KEPT: [(&str, &str, &str, &str); 4] = [
    (OWNER, "/api/sessions", "/sessions", "id"),
    ("ada", "/api/sessions", "/sessions", "id"),
    (OWNER, "/api/tokens", "", "id"),
    (OWNER, "/api/folders", "/entries", "name"),
];

/// The server, from the first case that asks it something.
static HOUSE: Mutex<Option<House>> = Mutex::new(None);

/// A request as it is sent, and what must be answered. `{host}` and `{port}` stand for where the server listens, the name of a
/// holder in braces for their token.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    #[serde(default = "get")]
    method: String,
    path: String,
    /// The user whose token is sent; empty for no token.
    #[serde(default = "owner")]
    token: String,
    /// Lines of the head as they are sent. What a request needs is added where none of them says it.
    #[serde(default)]
    headers: Vec<String>,
    body: Option<String>,
    /// The status.
    #[serde(default = "fine")]
    answers: u16,
}

/// What came back.
struct Answer {
    status: u16,
    text: String,
}

/// A server that runs, and who may ask it.
struct House {
    scene: Scene,
    child: Child,
    host: String,
    tokens: BTreeMap<&'static str, String>,
}

/// Asks for something. One at a time, so that what changed is known to be this one's doing.
pub(crate) fn door(asked: &Asked) -> Result<Outcome, String> {
    let mut kept = HOUSE.lock().unwrap_or_else(PoisonError::into_inner);
    let house = match kept.take() {
        Some(house) => house,
        None => House::open()?,
    };
    kept.insert(house).try_out(asked)
}

/// Ends the server, if there is one.
pub(crate) fn close() {
    drop(HOUSE.lock().unwrap_or_else(PoisonError::into_inner).take());
}

impl House {
    fn open() -> Result<Self, String> {
        let scene = Scene::new()?;
        let script = scene.aside("script.json");
        fs::write(&script, SCRIPT).map_err(|error| error.to_string())?;
        let script = script.to_string_lossy();
        let words = ["serve", "--listen", "127.0.0.1:0", "--", "--tools", "native", "--script", &*script];
        let mut command = scene.command(words);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let child = child.map_err(|error| error.to_string())?;
        let mut house = Self { scene, child, host: String::new(), tokens: BTreeMap::new() };
        house.host = house.heard()?;
        let token = fs::read_to_string(house.scene.aside("data").join("server/token"));
        let token = token.map_err(|error| format!("the server has no token: {error}"))?;
        house.tokens.insert(OWNER, token.trim().to_owned());
        for (name, body) in HOLDERS {
            let made = house.ask(OWNER, "POST", "/api/tokens", Some(body))?;
            let token = made["token"].as_str().ok_or("a token was made and not given out")?;
            house.tokens.insert(name, token.to_owned());
            if name == GONE {
                let path = format!("/api/tokens/{}", made["card"]["id"]);
                house.ask(OWNER, "DELETE", &path, None)?;
            }
        }
        for (who, body) in SESSIONS {
            house.ask(who, "POST", "/api/sessions", Some(body))?;
        }
        Ok(house)
    }

    /// Where it says that it listens.
    fn heard(&mut self) -> Result<String, String> {
        let out = self.child.stdout.take().ok_or("the server says nothing")?;
        let (says, hears) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            let read = BufReader::new(out).read_line(&mut line);
            let _ = says.send(read.map(|_| line));
        });
        let said = hears.recv_timeout(PATIENCE).map_err(|_| "the server says nothing")?;
        let line = said.map_err(|error| error.to_string())?;
        let host = line.trim().strip_prefix("http://");
        host.map(str::to_owned).ok_or_else(|| format!("the server does not listen: {line:?}"))
    }

    /// Asks for something that must be given, and reads it.
    fn ask(&self, who: &str, method: &str, path: &str, body: Option<&str>) -> Result<Value, String> {
        let asked = Asked {
            method: method.to_owned(),
            path: path.to_owned(),
            token: who.to_owned(),
            headers: Vec::new(),
            body: body.map(str::to_owned),
            answers: fine(),
        };
        let answer = self.send(&asked)?.ok_or_else(|| format!("{method} {path} is not answered"))?;
        if !(200..300).contains(&answer.status) {
            return Err(format!("{method} {path}: {}", answer.text));
        }
        match answer.body() {
            "" => Ok(Value::Null),
            body => serde_json::from_str(body).map_err(|error| format!("{method} {path}: {error}: {body}")),
        }
    }

    fn try_out(&self, asked: &Asked) -> Result<Outcome, String> {
        let before = self.kept()?;
        let Some(answer) = self.send(asked)? else { return Ok(Outcome::Hung) };
        if answer.text.contains(CANARY) {
            return Ok(Outcome::Leaked);
        }
        // A second answer means that a request hidden in the first was processed.
        if answer.text.matches(ANSWER).count() > 1 {
            return Ok(Outcome::Escaped);
        }
        let answers = asked.answers;
        match answer.status {
            500.. => Ok(Outcome::Crashed),
            status @ 100..400 if status == answers || answers >= 400 => Ok(Outcome::Passed),
            status if status == answers => {
                Ok(if self.kept()? == before { Outcome::Refused } else { Outcome::Changed })
            }
            status => Err(format!("answered with {status} and not {answers}: {:.300}", answer.body())),
        }
    }

    /// Sessions, tokens and files, by name. The progress of a session meanwhile does not count as a
    /// change.
    fn kept(&self) -> Result<BTreeSet<String>, String> {
        let mut kept = BTreeSet::new();
        for (who, path, list, name) in KEPT {
            let seen = self.ask(who, "GET", path, None)?;
            let listed = seen.pointer(list).and_then(Value::as_array);
            let listed = listed.ok_or_else(|| format!("{path} lists nothing: {seen}"))?;
            kept.extend(listed.iter().map(|part| format!("{who} {path} {}", part[name])));
        }
        Ok(kept)
    }

    /// Sends a request; none where no answer comes.
    fn send(&self, asked: &Asked) -> Result<Option<Answer>, String> {
        let text = self.written(asked)?;
        let wrong = |error: std::io::Error| format!("{}: {error}", self.host);
        let mut stream = TcpStream::connect(&self.host).map_err(wrong)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(wrong)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(wrong)?;
        // A server that refuses early may close before all is sent.
        let _ = stream.write_all(text.as_bytes());
        let is_kept = text.contains("connection: keep-alive");
        let (mut bytes, mut part) = (Vec::new(), [0; 8_192]);
        loop {
            match stream.read(&mut part) {
                Ok(0) => break,
                Ok(length) => bytes.extend_from_slice(part.get(..length).unwrap_or_default()),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Ok(None);
                }
                // It closed while something was still on its way to it.
                Err(_) => break,
            }
            if bytes.len() > MOST_ANSWERED || (!is_kept && is_whole(&String::from_utf8_lossy(&bytes))) {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let status = text.strip_prefix(ANSWER).and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| format!("no answer of HTTP: {text:.300}"))?;
        Ok(Some(Answer { status, text }))
    }

    /// The request, letter by letter.
    fn written(&self, asked: &Asked) -> Result<String, String> {
        let says = |name: &str| asked.headers.iter().any(|line| line.to_ascii_lowercase().starts_with(name));
        let mut text = format!("{} {} HTTP/1.1\r\n", asked.method, asked.path);
        if !says("host:") {
            text += &format!("host: {}\r\n", self.host);
        }
        if !says("connection:") {
            text += "connection: close\r\n";
        }
        if !asked.token.is_empty() {
            let token = self.tokens.get(asked.token.as_str());
            let token = token.ok_or_else(|| format!("nobody is called {}", asked.token))?;
            text += &format!("authorization: Bearer {token}\r\n");
        }
        for line in &asked.headers {
            text += line;
            text += "\r\n";
        }
        let body = asked.body.as_ref().map(|body| self.named(body));
        if let Some(body) = &body {
            if !says("content-type:") {
                text += "content-type: application/json\r\n";
            }
            if !says("content-length:") && !says("transfer-encoding:") {
                text += &format!("content-length: {}\r\n", body.len());
            }
        }
        text += "\r\n";
        Ok(self.named(&text) + &body.unwrap_or_default())
    }

    /// The text with what stands for something in its place.
    fn named(&self, text: &str) -> String {
        let port = self.host.rsplit_once(':').map_or("", |(_, port)| port);
        let text = text.replace("{host}", &self.host).replace("{port}", port);
        self.tokens.iter().fold(text, |text, (name, token)| text.replace(&format!("{{{name}}}"), token))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    fn body(&self) -> &str {
        self.text.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }
}

/// Whether nothing more is to be waited for: what was announced is there, or something begins that goes on for ever.
fn is_whole(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let head = head.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    head.starts_with("http/1.1 101 ")
        || head.contains("content-type: text/event-stream")
        || length.is_some_and(|length| body.len() >= length)
}

fn get() -> String {
    "GET".to_owned()
}

fn owner() -> String {
    OWNER.to_owned()
}

const fn fine() -> u16 {
    200
}
