//! Requests as they came in.

use std::io::{self, Read};

use holm_wire::{Format, server::CompletionRequest};

/// The longest head that is read; clients send about a kilobyte.
const MAX_HEAD: usize = 64 << 10;

/// The longest body that is read.
const MAX_BODY: usize = 64 << 20;

/// One request that the double got, as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path without its query.
    pub path: String,
    /// The query.
    pub query: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The format that the path belongs to.
    pub format: Option<Format>,
    /// What the body asks for, if it could be read.
    pub asked: Option<CompletionRequest>,
}

impl Seen {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The model that is asked for.
    pub fn model(&self) -> &str {
        self.asked.as_ref().map_or("", |asked| asked.model.as_str())
    }

    /// Reads one request; none if the client has closed the connection.
    ///
    /// # Errors
    /// When the connection breaks, or what comes is no request.
    pub(super) fn read(stream: &mut impl Read) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if bytes.len() > MAX_HEAD || !read_more(stream, &mut bytes)? {
                return if bytes.is_empty() { Ok(None) } else { Err(io::ErrorKind::InvalidData.into()) };
            }
        };
        let mut body = bytes.split_off(end.saturating_add(4));
        let head = String::from_utf8_lossy(&bytes);
        let mut seen = Self::head(&head).ok_or(io::ErrorKind::InvalidData)?;
        let length = seen.header("content-length").and_then(|length| length.trim().parse().ok()).unwrap_or(0);
        if length > MAX_BODY {
            return Err(io::ErrorKind::InvalidData.into());
        }
        while body.len() < length {
            if !read_more(stream, &mut body)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        body.truncate(length);
        seen.body = body;
        Ok(Some(seen))
    }

    fn head(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let (method, target) = (first.next()?.to_owned(), first.next()?);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        Some(Self {
            method,
            path: path.to_owned(),
            query: query.to_owned(),
            headers: lines.filter_map(header).collect(),
            body: Vec::new(),
            format: None,
            asked: None,
        })
    }
}

fn read_more(stream: &mut impl Read, out: &mut Vec<u8>) -> io::Result<bool> {
    let mut piece = [0; 8 << 10];
    let count = stream.read(&mut piece)?;
    out.extend_from_slice(piece.get(..count).unwrap_or_default());
    Ok(count > 0)
}
