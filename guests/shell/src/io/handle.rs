//! A handle to read or write: a file, an end of a pipe, text in memory, or one of the guest's own
//! streams.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;

use super::pipe::{PipeReader, PipeWriter};

/// Somewhere in this process that takes bytes.
pub(crate) type SharedWriter = Rc<RefCell<dyn Write>>;

/// Clones are the same thing, with the same place in it.
#[derive(Clone)]
pub(crate) enum IoHandle {
    /// Empty, and takes everything.
    Null,
    /// An open file, or the guest's own input.
    Input(Rc<RefCell<BufferedInput>>),
    /// An open file that is written.
    Output(Rc<RefCell<File>>),
    /// The end of a pipe that is read.
    PipeOut(PipeReader),
    /// The end of a pipe that is written.
    PipeIn(PipeWriter),
    /// Memory, or the guest's own output.
    Sink(SharedWriter),
}

/// A buffered input, with the bytes that were read ahead.
pub(crate) struct BufferedInput {
    source: Box<dyn Read>,
    ahead: VecDeque<u8>,
}

/// The size of one read.
pub(crate) const CHUNK: usize = 16 << 10;

impl IoHandle {
    pub(crate) fn stdin() -> Self {
        Self::reading(io::stdin())
    }

    pub(crate) fn stdout() -> Self {
        Self::Sink(Rc::new(RefCell::new(io::BufWriter::new(io::stdout()))))
    }

    pub(crate) fn stderr() -> Self {
        Self::Sink(Rc::new(RefCell::new(io::stderr())))
    }

    pub(crate) fn reading(source: impl Read + 'static) -> Self {
        Self::Input(Rc::new(RefCell::new(BufferedInput { source: Box::new(source), ahead: VecDeque::new() })))
    }

    pub(crate) fn text(bytes: Vec<u8>) -> Self {
        Self::Input(Rc::new(RefCell::new(BufferedInput { source: Box::new(io::empty()), ahead: bytes.into() })))
    }

    /// Some bytes; none at the end.
    pub(crate) async fn read(&self) -> io::Result<Vec<u8>> {
        match self {
            Self::Null => Ok(Vec::new()),
            Self::Input(input) => input.borrow_mut().some(),
            Self::PipeOut(pipe) => Ok(pipe.read(CHUNK).await),
            Self::Output(_) | Self::PipeIn(_) | Self::Sink(_) => Err(not_open("reading")),
        }
    }

    /// A line with its end; nothing at the end of all. Takes no byte more than that.
    pub(crate) async fn read_until(&self, delimiter: u8) -> io::Result<Vec<u8>> {
        match self {
            Self::Null => Ok(Vec::new()),
            Self::Input(input) => input.borrow_mut().until(delimiter),
            Self::PipeOut(pipe) => Ok(pipe.read_until(delimiter).await),
            Self::Output(_) | Self::PipeIn(_) | Self::Sink(_) => Err(not_open("reading")),
        }
    }

    /// Everything that is left.
    pub(crate) async fn read_all(&self) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        loop {
            let piece = self.read().await?;
            if piece.is_empty() {
                return Ok(all);
            }
            all.extend_from_slice(&piece);
        }
    }

    pub(crate) async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Null => Ok(()),
            Self::Output(file) => file.borrow_mut().write_all(bytes),
            Self::Sink(sink) => sink.borrow_mut().write_all(bytes),
            Self::PipeIn(pipe) => pipe.write(bytes).await.map_err(|_| ErrorKind::BrokenPipe.into()),
            Self::Input(_) | Self::PipeOut(_) => Err(not_open("writing")),
        }
    }

    /// Flushes written bytes, so that others see them.
    pub(crate) fn flush(&self) {
        if let Self::Sink(sink) = self {
            let _ = sink.borrow_mut().flush();
        }
    }
}

impl BufferedInput {
    fn fill(&mut self) -> io::Result<usize> {
        let mut chunk = vec![0; CHUNK];
        let count = self.source.read(&mut chunk)?;
        self.ahead.extend(chunk.iter().take(count));
        Ok(count)
    }

    fn some(&mut self) -> io::Result<Vec<u8>> {
        if self.ahead.is_empty() {
            self.fill()?;
        }
        let count = self.ahead.len().min(CHUNK);
        Ok(self.ahead.drain(..count).collect())
    }

    fn until(&mut self, delimiter: u8) -> io::Result<Vec<u8>> {
        let mut from = 0;
        loop {
            if let Some(at) = self.ahead.iter().skip(from).position(|&byte| byte == delimiter) {
                return Ok(self.ahead.drain(..=from + at).collect());
            }
            from = self.ahead.len();
            if self.fill()? == 0 {
                return Ok(self.ahead.drain(..).collect());
            }
        }
    }
}

fn not_open(what: &str) -> io::Error {
    io::Error::other(format!("not open for {what}"))
}
