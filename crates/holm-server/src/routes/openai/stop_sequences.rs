//! Ends an answer at the client's stop sequences. The server looks for them in the text, because
//! the agent's own model calls must not end there: only the answer does. `answer_stream.rs` passes
//! the text through this file and stops the session; request formats are read by `holm-wire`.

/// The stop sequences of a request, and the text that may be the beginning of one.
#[derive(Debug, Default)]
pub(super) struct StopSequences {
    stops: Vec<String>,
    held: String,
}

/// What is known after more text has arrived.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StopScan {
    /// No stop sequence yet; this much of the text can be sent.
    Open(String),
    /// A stop sequence; this is the text before it.
    Found(String),
}

impl StopSequences {
    pub(super) fn new(stops: &[String]) -> Self {
        Self { stops: stops.to_vec(), held: String::new() }
    }

    /// Adds text. The end of it is held back if a stop sequence may have begun there.
    pub(super) fn push(&mut self, text: &str) -> StopScan {
        self.held.push_str(text);
        if let Some(at) = self.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min() {
            self.held.truncate(at);
            return StopScan::Found(std::mem::take(&mut self.held));
        }
        let held = self.held.split_off(self.held.len() - self.begun());
        StopScan::Open(std::mem::replace(&mut self.held, held))
    }

    /// The text that was held back, when no more will come.
    pub(super) fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    /// How many bytes at the end are the beginning of a stop sequence.
    fn begun(&self) -> usize {
        let begun = |stop: &String| {
            let mut ends = stop.char_indices().map(|(at, _)| at).rev();
            ends.find(|at| stop.get(..*at).is_some_and(|start| self.held.ends_with(start)))
        };
        self.stops.iter().filter_map(begun).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
