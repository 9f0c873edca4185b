//! A provider on the loopback interface: it speaks every wire format, follows a script, and misbehaves on purpose.
//!
//! HTTP is written by hand here, because what has to be tested lies below it: a connection that is reset in the middle of a
//! character, a body that ends without its end, a byte a time. Nothing of it is meant for production.
//!
//! ```
//! use std::io::{Read, Write};
//! use holm_testkit::double::{Act, Double};
//! use holm_wire::Format;
//!
//! let double = Double::start([Act::says("hello")])?;
//! let mut client = std::net::TcpStream::connect(double.address())?;
//! let body = r#"{"model":"any","messages":[{"role":"user","content":"hi"}]}"#;
//! let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close";
//! write!(client, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//! assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\"hello\""));
//! assert_eq!(double.requests()[0].format, Some(Format::OpenaiChat));
//! # Ok::<(), std::io::Error>(())
//! ```

mod act;
mod body_damage;
mod connection;
mod ending;
mod endless_reply;
mod named_acts;
mod perform;
mod request;
mod route;
mod server;

#[cfg(test)]
mod tests;

pub use act::{Act, Fault};
pub use body_damage::Bend;
pub use ending::Ending;
pub use endless_reply::Endless;
pub use named_acts::{HELLO, rehearsed};
pub use request::Seen;
pub use server::Double;
