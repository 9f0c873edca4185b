//! Measures one step natively: what packages/holm/bench compares WASM with.
//!
//! ```text
//! cargo run --release -p holm-wasm --example steps -- 10 1000
//! ```
//!
//! A step is one turn: a reply with a tool call, the dispatch, the result, and the request that follows, encoded. It is measured around
//! a turn number; prints `{"turns": [median, quickest]}` in nanoseconds, of several runs.

use std::{env, error::Error, io, io::Write, time::Instant};

use holm_wasm::{CodecHandle, WasmSession};

/// Odd, so that the median is one of them.
const RUNS: usize = 15;

/// Turns that are timed together, so that even a browser's coarse clock sees them; packages/holm/bench times as many.
const WINDOW: u64 = 200;

const CONFIG: &str = r#"{"models":[{"name":"double/bench","window":100000000}],"system":"You are measured.",
"limits":{"turns":"unbounded"},"tools":[{"name":"look","description":"Looks.","level":"read-only",
"schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = Vec::new();
    for turns in env::args().skip(1) {
        let turns: u64 = turns.parse()?;
        let mut found = (0..RUNS).map(|_| measure(turns)).collect::<Result<Vec<_>, _>>()?;
        found.sort_unstable();
        let at = |place: usize| found.get(place).copied().unwrap_or_default();
        out.push(format!("\"{turns}\":[{},{}]", at(RUNS / 2), at(0)));
    }
    writeln!(io::stdout(), "{{{}}}", out.join(","))?;
    Ok(())
}

/// Nanoseconds for one turn, when `turns` have been before it.
fn measure(turns: u64) -> Result<u64, Box<dyn Error>> {
    let (mut run, _) = WasmSession::start("bench", 7, CONFIG, 0)?;
    let mut codec = CodecHandle::new("openai_chat", "{}", "{}")?;
    run.handle(1, r#"{"prompted":{"blocks":[{"text":"Go."}]}}"#)?;
    let mut model = drain(&mut run, &mut codec)?.0.ok_or("no model call")?;
    let mut begun = Instant::now();
    for turn in 0..turns + WINDOW {
        if turn == turns {
            begun = Instant::now();
        }
        let path = format!("src/{turn}.rs");
        run.handle(
            turn,
            &format!(
                r#"{{"model_finished":{{"call":{model},"result":{{"replied":{{"blocks":[{{"tool_call":{{"id":"c{turn}","name":"look","arguments":"{{\"path\":\"{path}\"}}"}}}}]}}}}}}}}"#
            ),
        )?;
        let tool = drain(&mut run, &mut codec)?.1.ok_or("no tool call")?;
        run.handle(turn, &format!(r#"{{"dispatched":{{"call":{tool}}}}}"#))?;
        drain(&mut run, &mut codec)?;
        let text = format!("file {path} holds {turn} lines of text");
        run.handle(turn, &format!(r#"{{"tool_finished":{{"call":{tool},"result":{{"text":"{text}"}}}}}}"#))?;
        model = drain(&mut run, &mut codec)?.0.ok_or("no model call")?;
    }
    Ok(u64::try_from(begun.elapsed().as_nanos())? / WINDOW)
}

/// The model call and the tool call that came out; a model call is encoded at once.
fn drain(
    run: &mut WasmSession,
    codec: &mut CodecHandle,
) -> Result<(Option<u64>, Option<u64>), Box<dyn Error>> {
    let (mut model, mut tool) = (None, None);
    loop {
        let effect = run.poll();
        let call =
            |prefix: &str| -> Option<u64> { effect.strip_prefix(prefix)?.split(',').next()?.parse().ok() };
        if effect.starts_with(r#"{"wait":"#) {
            return Ok((model, tool));
        }
        if let Some(call) = call(r#"{"call_model":{"call":"#) {
            codec.request(run, call)?;
            model = Some(call);
        }
        tool = call(r#"{"run_tool":{"call":"#).or(tool);
    }
}
