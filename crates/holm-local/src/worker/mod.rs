//! The child process that holds the model. It reads orders from standard input and writes pieces of
//! replies to standard output. It has no keys, no network, no environment and no lasting place to
//! write to. A crash of the C++ library ends only this process.
//!
//! Where things are:
//! - `engine.rs`: the loop. `prompt_tasks.rs`: one prompt. `cache_sequences.rs`: the cache.
//! - `tokens.rs`: messages as tokens. `token_sampler.rs`: the next token. `stop_filter.rs`: tokens
//!   as text.
//! - `likelihood.rs`: scores of texts.
//!
//! The host's side is `host/mod.rs`. The jail around the worker is made there too, so nothing here
//! may rely on keys, the network, or files other than those of the model.

mod cache_sequences;
mod engine;
mod likelihood;
mod prompt_tasks;
mod stop_filter;
mod token_sampler;
mod tokens;

use std::{
    io::{self, Read, Write},
    process::exit,
    sync::mpsc,
    thread,
};

use llama_cpp_2::{
    context::params::LlamaContextParams,
    llama_backend::LlamaBackend,
    model::{LlamaModel, params::LlamaModelParams},
};

use crate::wire::{LoadRequest, VERSION, WorkerMessage, WorkerRequest, frame, length, parse};
use engine::{InferenceEngine, PIECE};

/// The hidden argument that turns a program into the worker.
pub const SERVE_ARGUMENT: &str = "__holm-local-worker";

/// Becomes the worker if this process was started as one; then it never returns. Every program that
/// uses [`LocalModel`](crate::LocalModel) without naming another worker must call it first in `main`.
pub fn serve_if_asked() {
    if std::env::args_os().nth(1).is_some_and(|argument| argument == SERVE_ARGUMENT) {
        serve();
        exit(0);
    }
}

/// Serves until the input ends.
pub fn serve() {
    let mut input = io::stdin().lock();
    let Some(WorkerRequest::Load(load)) = read_request(&mut input) else { return };
    drop(input);
    if load.version != VERSION {
        return send_message(&WorkerMessage::Refused {
            why: "host and worker are of different versions".into(),
        });
    }
    if let Err(reason) = run(&load) {
        send_message(&WorkerMessage::Refused { why: reason });
    }
}

fn run(load: &LoadRequest) -> Result<(), String> {
    let mut backend = LlamaBackend::init().map_err(|error| error.to_string())?;
    backend.void_logs();
    let params = LlamaModelParams::default();
    let mut model = LlamaModel::load_from_file(&backend, &load.model, &params)
        .map_err(|error| format!("llama.cpp does not load the model: {error}"))?;
    let mut adapter = match &load.adapter {
        Some(path) => Some(
            model
                .lora_adapter_init(path)
                .map_err(|error| format!("llama.cpp does not load the adapter: {error}"))?,
        ),
        None => None,
    };
    let context = std::num::NonZeroU32::new(load.context.min(model.n_ctx_train()));
    let threads = i32::try_from(load.threads.max(1)).unwrap_or(1);
    let params = LlamaContextParams::default()
        .with_n_ctx(context)
        .with_n_batch(PIECE)
        .with_n_ubatch(PIECE)
        .with_n_seq_max(load.sequences.max(1))
        .with_kv_unified(true)
        .with_n_threads(threads)
        .with_n_threads_batch(threads)
        .with_no_perf(true);
    let mut context = model
        .new_context(&backend, params)
        .map_err(|error| format!("llama.cpp has no room for the context: {error}"))?;
    if let Some(adapter) = &mut adapter {
        let set = context.lora_adapter_set(adapter, 1.0);
        set.map_err(|error| format!("llama.cpp does not use the adapter: {error}"))?;
    }
    let context_size = context.n_ctx();
    let mut engine = InferenceEngine::new(&model, context, load.sequences.max(1))?;
    send_message(&WorkerMessage::Loaded { version: VERSION, context: context_size });
    let orders = listen();
    engine.run(&orders);
    Ok(())
}

/// Reads orders on a separate thread, so that a cancellation is seen while the model computes.
fn listen() -> mpsc::Receiver<WorkerRequest> {
    let (to, from) = mpsc::channel();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(order) = read_request(&mut input) {
            if to.send(order).is_err() {
                break;
            }
        }
    });
    from
}

/// The next order, or `None` at the end of the input and for an invalid order.
fn read_request(input: &mut impl Read) -> Option<WorkerRequest> {
    let mut head = [0; 4];
    input.read_exact(&mut head).ok()?;
    let mut body = vec![0; length(head)?];
    input.read_exact(&mut body).ok()?;
    parse(&body)
}

/// Writes a message. If the host is gone, the process ends.
fn send_message(message: &WorkerMessage) {
    let Some(bytes) = frame(message) else { return };
    let mut out = io::stdout().lock();
    if out.write_all(&bytes).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}
