//! What a request costs at some turn of a run: writing what is new, and the copy of everything into a body.
//!
//! A run calls a tool in every turn. The encoder has written all turns but the last; one call writes that one and
//! assembles, the next has nothing to write and only assembles.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use holm_guards::json::Json;
use holm_kernel::{
    Block, Message, MessageId, Messages, Model, Offer, Outcome, Purpose, Request, Role, Tool, ToolCall,
    ToolResult,
};
use holm_wire::{
    Codec, Encoder, HttpRequest, ModelCall, NoMedia, Options, anthropic, openai_chat::Chat,
    openai_responses::Responses,
};
use serde::Serialize;

use crate::measure::median;

/// Turns at which a request is measured.
pub const TURNS: [u64; 2] = [10, 1_000];

/// The formats that are measured, by name.
pub const FORMATS: [&str; 3] = ["openai_chat", "openai_responses", "anthropic"];

/// Turns that follow the one in question and are measured for it: few beside a thousand, enough for a median.
const SAMPLES: u64 = 64;

/// A tool's output as they are: some lines of a file.
const OUTPUT: &str = "1: fn main() {\n2:     println!(\"holm\");\n3: }\n4:\n5: // an island in a quiet sea\n";

/// What was measured at one turn.
#[derive(Debug, Clone, Serialize)]
pub struct Encoded {
    /// The format.
    pub format: &'static str,
    /// The turn.
    pub turn: u64,
    /// Bytes that the turn adds.
    pub new_bytes: u64,
    /// Microseconds to write them.
    pub new_micros: f64,
    /// Instructions to write them, where they could be counted.
    pub new_instructions: Option<f64>,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Microseconds to assemble it.
    pub copy_micros: f64,
    /// Billions of bytes a second that this is.
    pub copy_speed: f64,
    /// The same for a bare copy of as many bytes into a new buffer.
    pub bare_speed: f64,
}

/// Measures all formats at all turns.
pub fn all() -> Vec<Encoded> {
    FORMATS.iter().flat_map(|format| TURNS.map(|turn| one(format, turn))).collect()
}

/// A session before its turn in question.
pub struct Session {
    encoder: Encoder,
    view: Vec<Arc<Message>>,
    request: Request,
}

impl Session {
    /// The session of a format by name, with everything before `turn` written.
    pub fn before(format: &str, turn: u64) -> Option<Self> {
        let codec: Arc<dyn Codec> = match format {
            "openai_chat" => Arc::new(Chat::default()),
            "openai_responses" => Arc::new(Responses::default()),
            "anthropic" => Arc::new(anthropic::Messages::default()),
            _ => return None,
        };
        let view =
            vec![Arc::new(Message::text(MessageId::new(0), Role::User, "Read the files, one by one."))];
        let mut session = Self { encoder: Encoder::new(codec), view, request: request() };
        (1..turn).for_each(|turn| session.grow(turn));
        session.encode();
        Some(session)
    }

    /// Adds one turn: a call and its result.
    pub fn grow(&mut self, turn: u64) {
        let id = format!("call_{turn:08}");
        let arguments = format!(r#"{{"path":"src/part_{turn}.rs","limit":200}}"#);
        let call = ToolCall { id: id.clone(), name: "read".into(), arguments, replay: None };
        let result = ToolResult {
            call: id,
            tool: "read".into(),
            text: OUTPUT.into(),
            outcome: Outcome::default(),
            parts: Vec::new(),
        };
        self.push(Role::Assistant, Block::ToolCall(call));
        self.push(Role::Tool, Block::ToolResult(result));
    }

    /// The request as it stands.
    pub fn encode(&mut self) -> HttpRequest {
        self.request.messages = Messages::View { epoch: 1, count: self.view.len() as u64 };
        let options = Options::default();
        let call = ModelCall { request: &self.request, view: &self.view, options: &options, media: &NoMedia };
        self.encoder.encode(&call)
    }

    fn push(&mut self, role: Role, block: Block) {
        let id = MessageId::new(self.view.len() as u64);
        self.view.push(Arc::new(Message::new(id, role, vec![block])));
    }
}

fn request() -> Request {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}}}"#;
    let schema = Json::parse(schema).expect("a schema");
    let tool = Arc::new(Tool::new("read", "Reads a file.", schema));
    Request {
        purpose: Purpose::Turn,
        model: Arc::new(Model::named("bench/model")),
        system: "You are careful and brief.".into(),
        messages: Messages::View { epoch: 1, count: 0 },
        tools: Arc::new(Offer { epoch: 1, tools: vec![tool] }),
        max_output: Some(4_096),
        format: None,
    }
}

fn one(format: &'static str, turn: u64) -> Encoded {
    let mut session = Session::before(format, turn).expect("a known format");
    let (mut news, mut copies) = (Vec::new(), Vec::new());
    let mut sizes = Vec::new();
    for turn in turn..turn + SAMPLES {
        session.grow(turn);
        let (with_new, body) = timed(|| session.encode());
        let copy = (0..5).map(|_| timed(|| session.encode()).0).fold(f64::INFINITY, f64::min);
        news.push((with_new - copy).max(0.0));
        copies.push(copy);
        sizes.push(body.body.len());
    }
    let body = sizes.first().copied().unwrap_or(0);
    let source = vec![7_u8; body];
    let mut bare: Vec<f64> = (0..SAMPLES).map(|_| bare_copy(&source)).collect();
    // The first ones belong to the turn in question; the body grows while it is measured.
    let copy = median(copies.get_mut(..8).unwrap_or_default());
    let speed = |seconds: f64| body as f64 / seconds / 1e9;
    Encoded {
        format,
        turn,
        new_bytes: sizes.get(1).map_or(0, |next| next - body) as u64,
        new_micros: median(&mut news) * 1e6,
        new_instructions: None,
        body_bytes: body as u64,
        copy_micros: copy * 1e6,
        copy_speed: speed(copy),
        bare_speed: speed(median(&mut bare)),
    }
}

fn bare_copy(source: &[u8]) -> f64 {
    timed(|| black_box(source).to_vec()).0
}

/// Seconds that `work` takes; taking its result apart is not timed.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begun = Instant::now();
    let result = black_box(work());
    let taken: Duration = begun.elapsed();
    (taken.as_secs_f64(), result)
}
