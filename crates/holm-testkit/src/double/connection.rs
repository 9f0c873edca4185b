//! One connection, seen from the server: writes that can be cut at any byte, and a client that may leave.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    time::{Duration, Instant},
};

/// No connection lives longer; a test that waits for it has failed already.
pub(super) const LIFE: Duration = Duration::from_secs(60);

/// How often a stalled connection is looked at.
const GLANCE: Duration = Duration::from_millis(10);

/// A connection to one client.
pub(super) struct Connection {
    stream: TcpStream,
    until: Instant,
    parting: Parting,
}

/// How the connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parting {
    Farewell,
    Reset,
}

/// What came of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waited {
    /// The client closed the connection.
    ClientLeft,
    /// Nothing happened.
    Nothing,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(LIFE))?;
        stream.set_read_timeout(Some(LIFE))?;
        Ok(Self { stream, until: Instant::now() + LIFE, parting: Parting::Farewell })
    }

    pub(super) fn reader(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// One piece of a chunked body.
    pub(super) fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = format!("{:x}\r\n", bytes.len()).into_bytes();
        out.extend_from_slice(bytes);
        out.extend_from_slice(b"\r\n");
        self.stream.write_all(&out)
    }

    /// The end of a chunked body.
    pub(super) fn last_chunk(&mut self) -> io::Result<()> {
        self.stream.write_all(b"0\r\n\r\n")
    }

    /// Closes without a word more. A reset is left to the last owner of the socket: saying goodbye first would undo it.
    pub(super) fn close(self) {
        if self.parting == Parting::Farewell {
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    /// Makes the coming close a reset: what was sent and not read is lost.
    pub(super) fn reset(&mut self) {
        self.parting = Parting::Reset;
        let _ = socket2::SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }

    /// Waits until the client leaves, the double stops, or a connection's life is over.
    pub(super) fn stall(&mut self, stopped: impl Fn() -> bool) -> Waited {
        let _ = self.stream.set_read_timeout(Some(GLANCE));
        let mut byte = [0; 1];
        while !stopped() && Instant::now() < self.until {
            match self.stream.read(&mut byte) {
                Ok(0) => return Waited::ClientLeft,
                Ok(_) => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                }
                Err(_) => return Waited::ClientLeft,
            }
        }
        Waited::Nothing
    }
}
