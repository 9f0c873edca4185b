//! Computes AWS Signature Version 4 from a request, a key and a time.
//!
//! The signature covers the exact bytes on the wire, so it is computed last and from the full URL.
//! This module keeps no state and reads no clock: the host passes the time.
//!
//! It sends nothing and finds no keys: `holm-models/src/client.rs` and `holm-models/src/keys.rs`
//! do. Secrets must not reach the `Debug` form. Nothing may change the URL, the signed headers or
//! the body after signing.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};
use core::fmt::{self, Write};

use sha2::{Digest, Sha256};

use crate::{HttpMethod, ProviderRequest, escape, utc_date_time::UtcDateTime};

/// Headers that proxies and clients add or change, so they are never signed.
const UNSIGNED: [&str; 6] =
    ["authorization", "connection", "expect", "transfer-encoding", "user-agent", "x-amzn-trace-id"];

/// The keys of an AWS account. The `Debug` form hides the secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct AwsCredentials {
    /// The access key's id.
    pub access: String,
    /// The secret access key.
    pub secret: String,
    /// The session token of temporary keys.
    pub session: Option<String>,
}

impl fmt::Debug for AwsCredentials {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AwsCredentials").field("access", &self.access).finish_non_exhaustive()
    }
}

/// The scope of a signature: one service in one region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SigningScope<'a> {
    /// The region, for example `eu-central-1`.
    pub region: &'a str,
    /// The service, for example `bedrock`. It comes from
    /// [`AuthScheme::SigV4`](crate::AuthScheme::SigV4).
    pub service: &'a str,
}

/// A request as it is sent, before signing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsignedRequest<'a> {
    pub method: HttpMethod,
    /// The full URL, escaped.
    pub url: &'a str,
    /// The headers that the signature covers. `host` is added.
    pub headers: &'a [(String, String)],
    pub body: &'a [u8],
}

/// Signs a codec's request for a service with the base URL `base`. Returns the headers to add.
///
/// `now_ms` is the host's time in milliseconds since 1970. AWS accepts a
/// signature for some minutes.
///
/// ```
/// use holm_wire::{
///     AuthScheme, ProviderRequest,
///     bedrock::{AwsCredentials, SigningScope, sign_request},
/// };
///
/// let request = ProviderRequest::post(
///     "/model/amazon.nova-lite-v1%3A0/converse",
///     AuthScheme::SigV4("bedrock".into()),
///     b"{}".to_vec(),
/// );
/// let keys =
///     AwsCredentials { access: "AKIDEXAMPLE".into(), secret: "secret".into(), session: None };
/// let scope = SigningScope { region: "us-east-1", service: "bedrock" };
/// let headers = sign_request(
///     &request,
///     "https://bedrock-runtime.us-east-1.amazonaws.com",
///     &keys,
///     scope,
///     1_440_938_160_000,
/// );
/// assert_eq!(headers[0], ("x-amz-date".into(), "20150830T123600Z".into()));
/// assert!(headers[1].1.starts_with(
///     "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, "
/// ));
/// ```
pub fn sign_request(
    request: &ProviderRequest,
    base: &str,
    credentials: &AwsCredentials,
    scope: SigningScope<'_>,
    now_ms: u64,
) -> Vec<(String, String)> {
    let url = request.url(base);
    let unsigned =
        UnsignedRequest { method: request.method, url: &url, headers: &request.headers, body: &request.body };
    sign(&unsigned, credentials, scope, now_ms)
}

/// Signs a request and returns the headers to add.
pub fn sign(
    request: &UnsignedRequest<'_>,
    credentials: &AwsCredentials,
    scope: SigningScope<'_>,
    now_ms: u64,
) -> Vec<(String, String)> {
    let now = UtcDateTime::from_seconds(now_ms / 1000);
    let mut added: Vec<(String, String)> = alloc::vec![("x-amz-date".into(), now.basic())];
    if let Some(token) = &credentials.session {
        added.push(("x-amz-security-token".into(), token.clone()));
    }
    let (canonical, signed_headers) = canonical_request(request, &added);
    let date = now.basic_date();
    let credential_scope = format!("{date}/{}/{}/aws4_request", scope.region, scope.service);
    let to_sign = format!(
        "AWS4-HMAC-SHA256\n{}\n{credential_scope}\n{}",
        now.basic(),
        hex(&sha256(canonical.as_bytes()))
    );
    let start = format!("AWS4{}", credentials.secret);
    let key = [date.as_str(), scope.region, scope.service, "aws4_request"]
        .iter()
        .fold(start.into_bytes(), |key, part| hmac(&key, part.as_bytes()).to_vec());
    let signature = hex(&hmac(&key, to_sign.as_bytes()));
    let value = format!(
        "AWS4-HMAC-SHA256 Credential={}/{credential_scope}, SignedHeaders={signed_headers}, Signature={signature}",
        credentials.access
    );
    added.push(("authorization".into(), value));
    added
}

/// The canonical form of the request, which both sides hash, and the list of its headers.
fn canonical_request(request: &UnsignedRequest<'_>, added: &[(String, String)]) -> (String, String) {
    let (host, path, query) = split(request.url);
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    headers.insert("host".into(), host.into());
    for (name, value) in request.headers.iter().chain(added) {
        let name = name.to_ascii_lowercase();
        if name == "host" || UNSIGNED.contains(&name.as_str()) {
            continue;
        }
        let value = squeeze(value);
        headers
            .entry(name)
            .and_modify(|so_far| {
                so_far.push(',');
                so_far.push_str(&value);
            })
            .or_insert(value);
    }
    let names: Vec<&str> = headers.keys().map(String::as_str).collect();
    let names = names.join(";");
    let method = match request.method {
        HttpMethod::Get => "GET",
        HttpMethod::Post => "POST",
    };
    let mut out = format!("{method}\n{}\n{}\n", canonical_path(path), canonical_query(query));
    for (name, value) in &headers {
        // Writing into memory cannot fail.
        let _ = writeln!(out, "{name}:{value}");
    }
    let _ = write!(out, "\n{names}\n{}", hex(&sha256(request.body)));
    (out, names)
}

/// Splits a URL into host, path and query.
fn split(url: &str) -> (&str, &str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let (host_and_path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let at = host_and_path.find('/').unwrap_or(host_and_path.len());
    let (host, path) = host_and_path.split_at_checked(at).unwrap_or((host_and_path, ""));
    (host.rsplit('@').next().unwrap_or(host), path, query)
}

/// The path without `.`, `..` and doubled slashes, with each segment escaped again. AWS signs the
/// escaped form of the escaped path, so `%3A` on the wire is `%253A` here.
pub(super) fn canonical_path(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name),
        }
    }
    let mut out = String::new();
    for segment in &segments {
        out.push('/');
        escape(segment, &mut out);
    }
    let folder = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
    if segments.is_empty() || folder {
        out.push('/');
    }
    out
}

/// The sorted parameters. Existing escapes stay.
fn canonical_query(query: &str) -> String {
    let mut pairs: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (escape_rest(name), escape_rest(value))
        })
        .collect();
    pairs.sort_unstable();
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join("&")
}

/// Escapes characters that a URL must not contain, and keeps existing escapes.
fn escape_rest(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('%').enumerate() {
        if index > 0 {
            out.push('%');
        }
        escape(part, &mut out);
    }
    out
}

/// A header's value without surrounding white space, and with single spaces inside.
fn squeeze(value: &str) -> String {
    let words: Vec<&str> = value.split_ascii_whitespace().collect();
    words.join(" ")
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// HMAC-SHA256 (RFC 2104). The implementation is shorter than a dependency.
pub(super) fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let hashed = sha256(key);
    let key = if key.len() > BLOCK { hashed.as_slice() } else { key };
    let pad = |with: u8| -> Vec<u8> {
        key.iter().copied().chain(core::iter::repeat(0)).take(BLOCK).map(|byte| byte ^ with).collect()
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
