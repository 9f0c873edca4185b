//! A loop under test, as the measuring parts see it.

/// One of several loops under test.
pub trait System: Copy + Ord + 'static {
    /// All of them, in the order of the report.
    const ALL: &'static [Self];

    /// The name used in reports and on the command line.
    fn name(self) -> &'static str;

    /// Sets a loop up for `turns` turns with one tool call each and a plain answer after them.
    fn prepare(self, turns: u64) -> Box<dyn Session>;

    /// The system of that name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|system| system.name() == name)
    }
}

/// A loop that is set up and was not prompted yet.
pub trait Session {
    /// Goes from the prompt to the answer. What a caller would keep afterwards is kept in the session.
    fn run(&mut self) -> Outcome;

    /// The encoded body that the session keeps, for those that keep one.
    fn body(&self) -> &[u8] {
        &[]
    }
}

/// What can be told of a finished session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Tool calls that ran.
    pub calls: u64,
    /// The answer at the end.
    pub answer: String,
    /// What was made of the request bytes.
    pub consumed: u64,
}
