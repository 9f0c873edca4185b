//! Parses the address of the database, in the form that `psql` takes, and decides whether the
//! connection uses TLS. A forgotten option never sends a password through a network in the clear.
//!
//! It connects to nothing (`postgres/connector.rs` does) and verifies no certificate
//! (`postgres/tls.rs` does). Options that it does not handle are passed on to the driver. Without
//! an `sslmode`, a server on another machine is reached only through TLS.

use std::{net::IpAddr, path::PathBuf, str::FromStr as _};

use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

use super::{failed, tls::RootCertificates};
use crate::StoreError;

/// The address of the database and how to connect to it.
pub(super) struct DatabaseAddress {
    pub(super) config: Config,
    pub(super) tls: RootCertificates,
    pub(super) idle: KeepaliveSetting,
}

/// Whether the address sets the idle time before keepalive probes. The driver has a default, and
/// does not tell it apart from a given value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum KeepaliveSetting {
    #[default]
    Unsaid,
    Said,
}

/// The `sslmode` that the address asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestedSslMode {
    Nothing,
    Disable,
    Prefer,
    Require,
}

/// The distance to the database, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ServerDistance {
    /// Behind a Unix socket, where nothing can be overheard and the server knows no TLS.
    Socket,
    /// On this machine, through the loopback interface.
    Near,
    /// On the other side of a network.
    Far,
}

/// Whether the connection carries a password that could be overheard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PasswordPresence {
    None,
    Given,
}

impl DatabaseAddress {
    /// Reads an address: `host=… user=…`, or `postgresql://…`. With `sslmode` (`disable`, `prefer`,
    /// `require`, `verify-full`) and `sslrootcert` (a file, or `system`).
    ///
    /// # Errors
    /// [`StoreError::BadLabel`] for an unknown option, and the driver's errors for the rest.
    pub(super) fn read(text: &str) -> Result<Self, StoreError> {
        let (rest, words) = if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            from_url(text)
        } else {
            from_pairs(text)?
        };
        let mut config = Config::from_str(&rest).map_err(failed)?;
        let requested = match words.mode.as_deref() {
            None => RequestedSslMode::Nothing,
            Some("disable") => RequestedSslMode::Disable,
            Some("prefer") => RequestedSslMode::Prefer,
            Some("require" | "verify-full") => RequestedSslMode::Require,
            Some(_) => return Err(wrong("sslmode", "disable, prefer, require or verify-full")),
        };
        let password =
            if config.get_password().is_some() { PasswordPresence::Given } else { PasswordPresence::None };
        let mode = ssl_mode(requested, distance(&config), password);
        config.ssl_mode(mode);
        let tls = match (mode, words.roots) {
            (SslMode::Disable, _) => RootCertificates::None,
            (_, Some(file)) if file != "system" => RootCertificates::File(PathBuf::from(file)),
            _ => RootCertificates::System,
        };
        Ok(Self { config, tls, idle: words.idle })
    }
}

/// Decides whether TLS is used. A password goes through a network in the
/// clear only with `sslmode=disable`.
fn ssl_mode(requested: RequestedSslMode, distance: ServerDistance, password: PasswordPresence) -> SslMode {
    match (requested, distance, password) {
        (RequestedSslMode::Disable, _, _)
        | (_, ServerDistance::Socket, _)
        | (RequestedSslMode::Nothing, ServerDistance::Near, _) => SslMode::Disable,
        (RequestedSslMode::Prefer, ServerDistance::Near, _)
        | (RequestedSslMode::Prefer, ServerDistance::Far, PasswordPresence::None) => SslMode::Prefer,
        (RequestedSslMode::Require, ServerDistance::Near | ServerDistance::Far, _)
        | (RequestedSslMode::Nothing, ServerDistance::Far, _)
        | (RequestedSslMode::Prefer, ServerDistance::Far, PasswordPresence::Given) => SslMode::Require,
    }
}

/// The distance to the farthest host that the driver may connect to.
fn distance(config: &Config) -> ServerDistance {
    // If addresses are given, the driver connects to them and ignores the host names.
    let addresses = config.get_hostaddrs();
    let farthest = if addresses.is_empty() {
        config.get_hosts().iter().map(distance_of).max()
    } else {
        addresses.iter().map(distance_to).max()
    };
    // Without any host there is no connection, so nothing can be overheard.
    farthest.unwrap_or(ServerDistance::Socket)
}

fn distance_of(host: &Host) -> ServerDistance {
    match host {
        Host::Tcp(name) if name == "localhost" => ServerDistance::Near,
        Host::Tcp(name) => {
            name.parse::<IpAddr>().map_or(ServerDistance::Far, |address| distance_to(&address))
        }
        #[cfg(unix)]
        Host::Unix(_) => ServerDistance::Socket,
    }
}

fn distance_to(address: &IpAddr) -> ServerDistance {
    if address.is_loopback() { ServerDistance::Near } else { ServerDistance::Far }
}

/// Options that the driver does not know, or knows only in part.
#[derive(Debug, Default, PartialEq, Eq)]
struct ConnectionParameters {
    mode: Option<String>,
    roots: Option<String>,
    idle: KeepaliveSetting,
}

impl ConnectionParameters {
    /// Takes an option that is handled here. Returns whether it was.
    fn take(&mut self, name: &str, value: &str) -> bool {
        let field = match name {
            "sslmode" => &mut self.mode,
            "sslrootcert" => &mut self.roots,
            "keepalives_idle" => {
                self.idle = KeepaliveSetting::Said;
                return false;
            }
            _ => return false,
        };
        *field = Some(value.to_owned());
        true
    }
}

fn from_url(text: &str) -> (String, ConnectionParameters) {
    let (mut rest, mut words) = (String::new(), ConnectionParameters::default());
    let (head, query) = text.split_once('?').unwrap_or((text, ""));
    rest.push_str(head);
    let mut mark = '?';
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if !words.take(name, &decoded(value)) {
            rest.push(mark);
            rest.push_str(pair);
            mark = '&';
        }
    }
    (rest, words)
}

/// Decodes `%2F` and other percent escapes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut left = text.as_bytes();
    while let [first, rest @ ..] = left {
        let digits = rest.first_chunk::<2>().and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        left = if byte.is_some() { rest.get(2..).unwrap_or_default() } else { rest };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Parses `name = value` pairs. A value with spaces is in `'…'`, and `\` takes
/// the next character literally.
fn from_pairs(text: &str) -> Result<(String, ConnectionParameters), StoreError> {
    let unfinished = || wrong("the address of the database", "`name=value` pairs, or postgresql://…");
    let (mut rest, mut words) = (String::new(), ConnectionParameters::default());
    let mut left = text.trim_start();
    while !left.is_empty() {
        let (name, after) = left.split_once('=').ok_or_else(unfinished)?;
        let (value, after) = value(after.trim_start()).ok_or_else(unfinished)?;
        if !words.take(name.trim(), &value) {
            let quoted = value.replace('\\', "\\\\").replace('\'', "\\'");
            rest.push_str(&format!("{}='{quoted}' ", name.trim()));
        }
        left = after.trim_start();
    }
    Ok((rest, words))
}

/// The value at the beginning of a text, and what follows it.
fn value(text: &str) -> Option<(String, &str)> {
    let (quoted, inside) = match text.strip_prefix('\'') {
        Some(inside) => (true, inside),
        None => (false, text),
    };
    let mut value = String::new();
    let mut characters = inside.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => value.push(characters.next()?.1),
            '\'' if quoted => return Some((value, inside.get(at + 1..)?)),
            space if space.is_whitespace() && !quoted => return Some((value, inside.get(at..)?)),
            other => value.push(other),
        }
    }
    (!quoted).then_some((value, ""))
}

fn wrong(label: &str, reason: &str) -> StoreError {
    StoreError::BadLabel { what: label.into(), reason: reason.into() }
}

#[cfg(test)]
mod tests;
