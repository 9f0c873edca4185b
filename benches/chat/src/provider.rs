//! A provider that streams words at an even pace, in the form of OpenAI's chat and in that of its responses.

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

use crate::request;

/// How long a request may take to come.
const PATIENCE: Duration = Duration::from_secs(120);

/// What every answer ends with.
pub const LAST_WORD: &str = "finis.";

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
                thread::spawn(move || serve(stream, pause, tokens, &count));
            }
        });
        Self { address, answered }
    }

    /// Where it is reached.
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Waits until so many requests were answered.
    ///
    /// # Errors
    /// If they do not come.
    pub fn until_answered(&self, requests: usize) -> Result<(), String> {
        let began = Instant::now();
        while self.answered() < requests {
            if began.elapsed() > PATIENCE {
                return Err(format!("it asked for {} answers and not for {requests}", self.answered()));
            }
            thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    /// How many requests were answered.
    pub fn answered(&self) -> usize {
        self.answered.load(Ordering::Acquire)
    }
}

/// What is asked for.
enum Asked {
    Chat,
    Responses,
    Else,
}

fn serve(stream: TcpStream, pause: Duration, tokens: usize, count: &AtomicUsize) {
    let Ok(mut out) = stream.try_clone() else { return };
    let _ = out.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read_request(&mut reader) {
        let sent = match asked {
            Asked::Chat => answer(&mut out, pause, tokens, &Chat),
            Asked::Responses => answer(&mut out, pause, tokens, &Responses),
            Asked::Else => {
                let text = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
                out.write_all(text.as_bytes()).ok()
            }
        };
        if sent.is_none() {
            return;
        }
        if !matches!(asked, Asked::Else) {
            count.fetch_add(1, Ordering::Release);
        }
    }
}

/// One way to say words. None of them needs an escape.
trait Form {
    fn begin(&self) -> String;
    fn word(&self, word: &str) -> String;
    fn end(&self, text: &str) -> String;
}

fn answer(out: &mut TcpStream, pause: Duration, tokens: usize, form: &impl Form) -> Option<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    out.write_all(head.as_bytes()).ok()?;
    chunk(out, &form.begin())?;
    let (began, mut text) = (Instant::now(), String::new());
    for token in 0..tokens {
        let word = if token % 12 == 11 { "line.\\n\\n" } else { "word " };
        text.push_str(word);
        chunk(out, &form.word(word))?;
        let due = pause * u32::try_from(token + 1).unwrap_or(u32::MAX);
        thread::sleep(due.saturating_sub(began.elapsed()));
    }
    text.push_str(LAST_WORD);
    chunk(out, &form.word(LAST_WORD))?;
    chunk(out, &form.end(&text))?;
    out.write_all(b"0\r\n\r\n").ok()
}

struct Chat;

impl Chat {
    fn event(rest: &str) -> String {
        format!("data: {{\"id\":\"1\",\"object\":\"chat.completion.chunk\",{rest}}}\n\n")
    }
}

impl Form for Chat {
    fn begin(&self) -> String {
        Self::event("\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"},\"finish_reason\":null}]")
    }

    fn word(&self, word: &str) -> String {
        Self::event(&format!(
            "\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{word}\"}},\"finish_reason\":null}}]"
        ))
    }

    fn end(&self, _: &str) -> String {
        let last = Self::event(
            "\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\
             \"usage\":{\"prompt_tokens\":10,\"completion_tokens\":10,\"total_tokens\":20}",
        );
        format!("{last}data: [DONE]\n\n")
    }
}

struct Responses;

impl Responses {
    fn event(kind: &str, rest: &str) -> String {
        format!("event: {kind}\ndata: {{\"type\":\"{kind}\",{rest}}}\n\n")
    }

    fn item(content: &str) -> String {
        format!("{{\"type\":\"message\",\"role\":\"assistant\",\"id\":\"m1\",\"content\":[{content}]}}")
    }
}

impl Form for Responses {
    fn begin(&self) -> String {
        let created = Self::event("response.created", "\"response\":{\"id\":\"r1\"}");
        let item = format!("\"output_index\":0,\"item\":{}", Self::item(""));
        format!("{created}{}", Self::event("response.output_item.added", &item))
    }

    fn word(&self, word: &str) -> String {
        let rest = format!("\"output_index\":0,\"item_id\":\"m1\",\"content_index\":0,\"delta\":\"{word}\"");
        Self::event("response.output_text.delta", &rest)
    }

    fn end(&self, text: &str) -> String {
        let item = Self::item(&format!("{{\"type\":\"output_text\",\"text\":\"{text}\"}}"));
        let done = Self::event("response.output_item.done", &format!("\"output_index\":0,\"item\":{item}"));
        let usage = "\"usage\":{\"input_tokens\":10,\"output_tokens\":10,\"total_tokens\":20}";
        let whole =
            format!("\"response\":{{\"id\":\"r1\",\"status\":\"completed\",\"output\":[{item}],{usage}}}");
        format!("{done}{}", Self::event("response.completed", &whole))
    }
}

fn chunk(out: &mut TcpStream, text: &str) -> Option<()> {
    out.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).ok()
}

/// Reads a request to its end, and says what it asks for.
fn read_request(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut head = String::new();
    while !request::is_whole(&head) {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let (first, length) = request::read(&head)?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut words = first.split_whitespace();
    Some(match (words.next(), words.next()) {
        (Some("post"), Some(path)) if path.ends_with("/responses") => Asked::Responses,
        (Some("post"), Some(path)) if path.ends_with("/chat/completions") => Asked::Chat,
        _ => Asked::Else,
    })
}
