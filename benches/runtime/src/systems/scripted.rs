//! The scripted model as Holm's driver calls it.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use holm_bench_kit::holm::{Body, answering, calling};
use holm_kernel::{ModelResult, Reply};
use holm_runtime::{Ask, BoxFuture, Line, Model};
use tokio::sync::mpsc::UnboundedSender;

/// Calls the tool for a number of turns and then does something else.
#[derive(Debug, Clone)]
pub struct Scripted {
    /// Turns with a call.
    pub turns: u64,
    /// What comes after them.
    pub last: LastTurn,
    /// What was made of the request bytes of the run that spoke last.
    pub consumed: Arc<AtomicU64>,
}

/// What the model does after its calls.
#[derive(Debug, Clone)]
pub enum LastTurn {
    /// Answers.
    Answer,
    /// Says here that it has come so far, and thinks until it is stopped.
    Hang(UnboundedSender<()>),
}

impl Scripted {
    /// A model that answers in the end.
    pub fn new(turns: u64) -> Self {
        Self { turns, last: LastTurn::Answer, consumed: Arc::default() }
    }
}

impl Model for Scripted {
    fn open(&self) -> Box<dyn Line> {
        Box::new(Speaking { script: self.clone(), turn: 0, body: Body::default() })
    }
}

/// One run's line: encodes each message once and keeps the bytes, as a transport does.
struct Speaking {
    script: Scripted,
    turn: u64,
    body: Body,
}

impl Line for Speaking {
    fn call(&mut self, ask: Ask<'_>) -> BoxFuture<'static, ModelResult> {
        self.body.consume(ask.request, ask.messages);
        self.script.consumed.store(self.body.sponge.value(), Relaxed);
        let turn = self.turn;
        self.turn += 1;
        if turn < self.script.turns {
            return Box::pin(ready(ModelResult::Replied(calling(turn))));
        }
        match &self.script.last {
            LastTurn::Answer => Box::pin(ready(ModelResult::Replied(answering()))),
            LastTurn::Hang(arrived) => {
                let arrived = arrived.clone();
                Box::pin(async move {
                    // Nobody counts any more when the benchmark is over.
                    let _ = arrived.send(());
                    ask.stop.cancelled().await;
                    ModelResult::Aborted(Reply::default())
                })
            }
        }
    }
}
