//! How fast is a model through Holm, compared with a loop on llama.cpp's own library? The same file, the same threads, turn about
//! in one run; then what the grammar costs, and what a second turn reads. `scripts/bench local` runs it. `HOLM_BENCH_JSON` names a
//! file for the rates, for programs.
//!
//! ```text
//! speed [MODEL.gguf [THREADS]]
//! ```

use std::{error::Error, num::NonZeroU32, path::PathBuf, sync::Arc, time::Instant};

use holm_guards::json::Json;
use holm_kernel::{
    Message, MessageId, Messages, ModelCallId, ModelResult, ModelSpec, Offer, Purpose, Request, Role,
    ToolSpec, plain_text,
};
use holm_local::{GenerationStats, GrammarConstraint, LocalConnection, LocalModel, LocalModelSettings};
use holm_runtime::{ModelConnection as _, ModelRequest, NullDeltaSink};
use llama_cpp_2::{
    context::params::LlamaContextParams,
    llama_backend::LlamaBackend,
    llama_batch::LlamaBatch,
    model::{LlamaModel, params::LlamaModelParams},
    sampling::LlamaSampler,
};
use tokio_util::sync::CancellationToken;

/// Rounds of each; the median counts.
const ROUNDS: usize = 5;
/// Tokens that are written in a round.
const WRITTEN: usize = 64;
/// A prompt of some six hundred tokens.
const STORY: &str = "The sea was calm and the ships lay still in the harbour of the old town. ";

/// Tokens a second, reading and writing.
#[derive(Debug, Clone, Copy)]
struct Rate {
    reads: f64,
    writes: f64,
}

#[expect(clippy::print_stdout, reason = "a program for people")]
fn main() -> Result<(), Box<dyn Error>> {
    holm_jail::launch_if_asked();
    holm_local::serve_if_asked();
    let mut words = std::env::args().skip(1);
    let file = words.next().map_or_else(small, PathBuf::from);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads =
        words.next().and_then(|text| text.parse().ok()).unwrap_or_else(|| cores.saturating_sub(1).max(1));
    let threads = u32::try_from(threads)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("{}, {threads} threads; load before: {}", file.display(), load.split(' ').next().unwrap_or("?"));

    let mut backend = LlamaBackend::init()?;
    backend.void_logs();
    let model = LlamaModel::load_from_file(&backend, &file, &LlamaModelParams::default())?;
    let free =
        LocalModel::open(LocalModelSettings::new(&file).threads(threads).constraint(GrammarConstraint::Off))?;
    let held = LocalModel::open(LocalModelSettings::new(&file).threads(threads))?;
    let (mut own, mut ours, mut without, mut with) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let prompt = format!("{round}: {}", STORY.repeat(36));
        own.push(library(&backend, &model, &prompt, threads)?);
        ours.push(rate(runtime.block_on(told(&mut free.line(), &prompt, Vec::new()))?));
        without.push(rate(runtime.block_on(told(&mut free.line(), &prompt, vec![tool()?]))?));
        with.push(rate(runtime.block_on(told(&mut held.line(), &prompt, vec![tool()?]))?));
    }
    let (own, ours, without, with) = (median(&own), median(&ours), median(&without), median(&with));
    println!("| tokens/s, median of {ROUNDS} | reading | writing |\n|---|--:|--:|");
    let rates = [
        ("llama.cpp's library", own),
        ("through Holm", ours),
        ("through Holm, tools, no grammar", without),
        ("through Holm, tools, grammar", with),
    ];
    for (name, rate) in rates {
        println!("| {name} | {:.1} | {:.1} |", rate.reads, rate.writes);
    }
    if let Some(path) = std::env::var_os("HOLM_BENCH_JSON") {
        std::fs::write(path, json(&rates))?;
    }
    println!(
        "\nHolm / llama.cpp: reading {:.3}, writing {:.3} (aim 0.97)",
        ours.reads / own.reads,
        ours.writes / own.writes
    );
    println!(
        "grammar overhead in writing: {:.1} % (aim 10 at the most)",
        (without.writes / with.writes - 1.0) * 100.0
    );
    println!("{}", runtime.block_on(second_turn(&free))?);
    Ok(())
}

/// The rates for a program; the first is the floor, the second what all are compared with.
fn json(rates: &[(&str, Rate)]) -> String {
    let figures: Vec<String> = rates
        .iter()
        .map(|(name, rate)| {
            format!(
                r#"{{"system":"{name}","reads_per_second":{:.2},"writes_per_second":{:.2}}}"#,
                rate.reads, rate.writes
            )
        })
        .collect();
    format!("{{\"reference\":\"through Holm\",\"figures\":[{}]}}\n", figures.join(","))
}

/// The small default model.
fn small() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    let folder = set("HOLM_MODELS").or_else(|| Some(cache()?.join("holm/models"))).unwrap_or_default();
    folder.join("SmolLM2-135M-Instruct.Q4_1.gguf")
}

fn tool() -> Result<Arc<ToolSpec>, Box<dyn Error>> {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    Ok(Arc::new(ToolSpec::new(
        "read_file",
        "Reads a file.",
        Json::parse(schema).map_err(|error| error.to_string())?,
    )))
}

/// The plain loop: the prompt in one batch, then token after token, the likeliest each time.
fn library(
    backend: &LlamaBackend,
    model: &LlamaModel,
    prompt: &str,
    threads: u32,
) -> Result<Rate, Box<dyn Error>> {
    let count = i32::try_from(threads)?;
    let params = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(8192))
        .with_n_threads(count)
        .with_n_threads_batch(count)
        .with_no_perf(true);
    let mut context = model.new_context(backend, params)?;
    let tokens = model.vocab().tokenize(prompt.as_bytes(), false, false);
    let mut batch = LlamaBatch::new(2048, 1);
    let last = tokens.len().saturating_sub(1);
    for (at, token) in tokens.iter().enumerate() {
        batch.add(*token, i32::try_from(at)?, &[0], at == last)?;
    }
    let mut sampler = LlamaSampler::greedy();
    let began = Instant::now();
    context.decode(&mut batch)?;
    let mut token = sampler.sample(&context, batch.n_tokens() - 1);
    let read = began.elapsed();
    let began = Instant::now();
    for at in 0..WRITTEN {
        batch.clear();
        batch.add(token, i32::try_from(tokens.len() + at)?, &[0], true)?;
        context.decode(&mut batch)?;
        token = sampler.sample(&context, 0);
    }
    let written = began.elapsed();
    Ok(Rate {
        reads: per_second(tokens.len(), read.as_micros()),
        writes: per_second(WRITTEN, written.as_micros()),
    })
}

/// Lets Holm continue a text, and returns what it took.
async fn told(
    line: &mut LocalConnection,
    prompt: &str,
    tools: Vec<Arc<ToolSpec>>,
) -> Result<GenerationStats, Box<dyn Error>> {
    let view =
        [Arc::new(Message::text(MessageId::new(1), Role::User, format!("Go on with this story: {prompt}")))];
    asked(line, &view, tools).await?;
    line.tally().ok_or_else(|| "the reply was not whole".into())
}

async fn asked(
    line: &mut LocalConnection,
    view: &[Arc<Message>],
    tools: Vec<Arc<ToolSpec>>,
) -> Result<String, Box<dyn Error>> {
    let request = Request {
        purpose: Purpose::Turn,
        model: Arc::new(ModelSpec::named("local/speed")),
        system: "".into(),
        messages: Messages::Own(Vec::new()),
        tools: Arc::new(Offer { epoch: 0, tools }),
        max_output: u64::try_from(WRITTEN).ok(),
        format: None,
    };
    let (deltas, stop) = (Arc::new(NullDeltaSink), CancellationToken::new());
    match line
        .call(ModelRequest {
            call: ModelCallId::new(1),
            request: &request,
            messages: view,
            told: Arc::clone(&request.tools),
            deltas,
            stop,
        })
        .await
    {
        ModelResult::Replied(reply) | ModelResult::Aborted(reply) => Ok(plain_text(&reply.blocks)),
        ModelResult::Failed(failure) => Err(failure.message.into()),
    }
}

/// What a second turn reads: what is new, and in what time.
async fn second_turn(model: &LocalModel) -> Result<String, Box<dyn Error>> {
    let mut line = model.line();
    let first = Arc::new(Message::text(
        MessageId::new(1),
        Role::User,
        format!("Remember this: {}", STORY.repeat(40)),
    ));
    let said = asked(&mut line, &[Arc::clone(&first)], Vec::new()).await?;
    let cold = line.tally().ok_or("no tally")?;
    let view = [
        first,
        Arc::new(Message::text(MessageId::new(2), Role::Assistant, said)),
        Arc::new(Message::text(MessageId::new(3), Role::User, "And then what happened?")),
    ];
    asked(&mut line, &view, Vec::new()).await?;
    let warm = line.tally().ok_or("no tally")?;
    Ok(format!(
        "first turn: {} tokens read in {} ms; second turn: {} of {} tokens read in {} ms",
        cold.input - cold.cached,
        cold.prompt_us / 1000,
        warm.input - warm.cached,
        warm.input,
        warm.prompt_us / 1000,
    ))
}

fn rate(tally: GenerationStats) -> Rate {
    let whole = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    Rate {
        reads: per_second(whole(tally.input - tally.cached), u128::from(tally.prompt_us)),
        writes: per_second(whole(tally.output.saturating_sub(1)), u128::from(tally.reply_us)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "rates are read by people")]
fn per_second(tokens: usize, micros: u128) -> f64 {
    tokens as f64 * 1_000_000.0 / micros.max(1) as f64
}

fn median(rates: &[Rate]) -> Rate {
    let middle = |of: fn(&Rate) -> f64| {
        let mut all: Vec<f64> = rates.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    };
    Rate { reads: middle(|rate| rate.reads), writes: middle(|rate| rate.writes) }
}
