//! Lines of a real journal, so that what is appended and told again has the size and the shape of what a run writes.
//!
//! The kernel itself follows the script: a call of the echo tool in every turn, judged, dispatched and answered. There is no end
//! to it, so a journal may be as long as somebody wants.

use holm_bench_kit::{
    holm::{self, Variant},
    script,
};
use holm_kernel::{
    Effect, Input, ModelResult, Prompt, Run, Started, Timestamp, ToolOutput,
    journal::{self, Writer},
};

/// The first `count` lines of a run of the script, each with its end.
pub fn lines(count: usize) -> Vec<String> {
    let mut told = Told::begin();
    told.tell(Input::Prompted(Prompt::text(script::PROMPT)));
    while told.lines.len() < count {
        told.perform();
    }
    told.lines.truncate(count);
    told.lines
}

/// A run and what was written of it.
struct Told {
    run: Run,
    writer: Writer,
    lines: Vec<String>,
    /// Work that a drain brought up.
    todo: Vec<Effect>,
    turn: u64,
    clock: u64,
}

impl Told {
    fn begin() -> Self {
        let mut config = holm::config(Variant::Judged);
        config.tools = vec![holm::tool(Variant::Judged)];
        let started = Started::new("lines", 7, config);
        let (mut run, writer, first) =
            journal::begin(started, Timestamp::new(0)).expect("the script can be written down");
        while !matches!(run.poll(), Effect::Wait(_)) {}
        Self { run, writer, lines: vec![first], todo: Vec::new(), turn: 0, clock: 0 }
    }

    /// Hands a fact in, keeps its line, and drains what follows from it.
    fn tell(&mut self, input: Input) {
        self.clock += 1;
        let line = journal::step(&mut self.run, &mut self.writer, Timestamp::new(self.clock), input)
            .expect("the host makes no mistake");
        self.lines.push(line);
        loop {
            match self.run.poll() {
                Effect::Wait(_) => return,
                Effect::Emit(_) => {}
                work => self.todo.push(work),
            }
        }
    }

    /// Does one piece of work.
    fn perform(&mut self) {
        match self.todo.pop().expect("the script always has something to do") {
            Effect::CallModel { call, .. } => {
                let reply = holm::calling(self.turn);
                self.turn += 1;
                self.tell(Input::ModelFinished { call, result: ModelResult::Replied(reply) });
            }
            Effect::RunTool { call, request } => {
                self.tell(Input::Dispatched { call });
                let text = script::echo(&request.arguments).expect("only valid arguments reach the tool");
                self.tell(Input::ToolFinished { call, result: ToolOutput::text(text) });
            }
            other => panic!("the script gives no reason for {other:?}"),
        }
    }
}

#[cfg(test)]
mod tests;
