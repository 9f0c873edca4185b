//! What the double does, as data.

use std::time::Duration;

use holm_kernel::{Block, Failure, FailureClass, Reply, StopReason, Thinking, ToolCall, Usage};

use super::{Bend, Ending, Endless};

/// One answer: a reply, and what goes wrong while it is sent.
#[derive(Debug, Clone)]
pub struct Act {
    /// What is said.
    pub reply: Reply,
    /// How many bytes of content one event carries.
    pub piece: usize,
    /// Headers to add.
    pub headers: Vec<(String, String)>,
    /// What goes wrong.
    pub fault: Option<Fault>,
}

/// What goes wrong. Points in a body are given in thousandths of it, so that one script fits every format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Another status than 200, with an error in the format's own words.
    Refused {
        /// The status; none takes the format's own for the class.
        status: Option<u16>,
        /// What the error is about.
        class: FailureClass,
        /// What it says.
        message: String,
    },
    /// A body that is not the format's.
    Body {
        /// The status.
        status: u16,
        /// Its type.
        content_type: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// An error event in a stream that began well.
    ErrorInStream {
        /// What the error is about.
        class: FailureClass,
        /// What it says.
        message: String,
    },
    /// The stream ends here, and HTTP says that all is well.
    Truncated(u16),
    /// The connection is closed here.
    Closed(u16),
    /// The connection is reset here; what is on its way is lost.
    Reset(u16),
    /// Nothing more comes from here on, and the connection stays open.
    Stall(u16),
    /// One byte at a time with a pause between them.
    Drip(Duration),
    /// The connection is closed before anything is said.
    HangUp,
    /// The body is the format's own, with these changes, one after the other; HTTP says that all is well.
    Bent(Vec<Bend>),
    /// The stream is right up to its end; where no stream is asked for, nothing is wrong.
    Ends(Ending),
    /// The answer goes on until the client hangs up, or until it has had a gibibyte.
    Endless(Endless),
}

impl Act {
    /// A reply without faults.
    pub fn reply(reply: Reply) -> Self {
        Self { reply, piece: 7, headers: Vec::new(), fault: None }
    }

    /// A text.
    pub fn says(text: &str) -> Self {
        let usage = Usage { input: 11, output: 5, ..Usage::default() };
        Self::reply(Reply { blocks: vec![Block::Text(text.into())], usage, ..Reply::default() })
    }

    /// Tool calls, each with its id, its name and its arguments.
    pub fn calls(calls: &[(&str, &str, &str)]) -> Self {
        let block = |(id, name, arguments): &(&str, &str, &str)| {
            let (id, name, arguments) = ((*id).into(), (*name).into(), (*arguments).into());
            Block::ToolCall(ToolCall { id, name, arguments, replay: None })
        };
        let blocks = calls.iter().map(block).collect();
        let usage = Usage { input: 17, output: 9, ..Usage::default() };
        Self::reply(Reply { blocks, usage, stop: StopReason::ToolUse, model: None })
    }

    /// Nothing but a fault.
    pub fn fails(fault: Fault) -> Self {
        Self::says("this is lost").with(fault)
    }

    /// Too many requests, with the header that says how long to wait.
    pub fn rate_limited(name: &str, value: &str) -> Self {
        let fault = refused(Some(429), FailureClass::RateLimited, "Rate limit reached");
        Self::fails(fault).header(name, value)
    }

    /// Status 529: no room just now.
    pub fn overloaded() -> Self {
        Self::fails(refused(Some(529), FailureClass::Overloaded, "Overloaded"))
    }

    /// Status 500.
    pub fn broken() -> Self {
        Self::fails(refused(Some(500), FailureClass::Server, "Something went wrong"))
    }

    /// The sign-in page of a hotel, with status 200.
    pub fn captive_portal() -> Self {
        let bytes = b"<!DOCTYPE html><html><body>Please sign in.</body></html>".to_vec();
        Self::fails(Fault::Body { status: 200, content_type: "text/html".into(), bytes })
    }

    /// Bytes that mean nothing, with status 200.
    pub fn garbage() -> Self {
        let bytes = b"data: {\"choices\":[{]}\n\n\xff\xfe\x00garbage".to_vec();
        Self::fails(Fault::Body { status: 200, content_type: "text/event-stream".into(), bytes })
    }

    /// The same with a thought before the rest.
    #[must_use]
    pub fn thinks(mut self, thought: &str) -> Self {
        self.reply.blocks.insert(0, Block::Thinking(Thinking { text: thought.into(), replay: None }));
        self
    }

    /// The same with another usage.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.reply.usage = usage;
        self
    }

    /// The same with another stop reason.
    #[must_use]
    pub fn stop(mut self, stop: StopReason) -> Self {
        self.reply.stop = stop;
        self
    }

    /// The same with a header more.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same with something going wrong.
    #[must_use]
    pub fn with(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }
}

/// A refusal in the format's own words.
fn refused(status: Option<u16>, class: FailureClass, message: &str) -> Fault {
    Fault::Refused { status, class, message: message.into() }
}

/// A failure as codecs write it.
pub(super) fn failure(class: FailureClass, message: &str) -> Failure {
    Failure { class, message: message.into(), retry_after_ms: None, usage: Usage::default() }
}
