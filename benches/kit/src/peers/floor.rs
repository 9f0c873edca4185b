//! The least that any loop must do: make the reply, append it to the body, run the tool, append its result.
//!
//! There is no history but the body, no check and no event. What lies between this and a real loop is the price of
//! that loop's services.

use crate::{Outcome, Session, Sponge, body, script};

/// A session of the least that any loop must do.
pub struct Floor {
    turns: u64,
    body: Vec<u8>,
}

impl Floor {
    /// Sets it up.
    pub fn new(turns: u64) -> Self {
        let mut body = Vec::new();
        body::open(&mut body);
        Self { turns, body }
    }
}

impl Session for Floor {
    fn run(&mut self) -> Outcome {
        let mut sponge = Sponge::default();
        let mut sent = 0;
        body::user(&mut self.body, script::PROMPT);
        for turn in 0..self.turns {
            sent = consume(&mut sponge, &self.body, sent);
            let (id, name, arguments) =
                (script::call_id(turn), String::from(script::TOOL), script::arguments(turn));
            body::call(&mut self.body, &id, &name, &arguments);
            let text = script::echo(&arguments).expect("the script's arguments are valid");
            body::result(&mut self.body, &id, &text);
        }
        consume(&mut sponge, &self.body, sent);
        let answer = String::from(script::ANSWER);
        body::answer(&mut self.body, &answer);
        Outcome { calls: self.turns, answer, consumed: sponge.value() }
    }

    fn body(&self) -> &[u8] {
        &self.body
    }
}

/// Reads what is new in the body; says up to where it has read.
fn consume(sponge: &mut Sponge, body: &[u8], from: usize) -> usize {
    sponge.absorb(body.get(from..).unwrap_or_default());
    body.len()
}
