//! A request as data. The host adds the key and sends it.

use alloc::string::String;
use alloc::vec::Vec;
use holm_wire::{
    Auth, HttpRequest, Method,
    bedrock::{Credentials, Scope, sign_request},
};

use crate::text;

/// One HTTP request without its secret.
#[derive(Debug)]
pub struct Sent {
    request: HttpRequest,
}

impl Sent {
    pub(super) const fn new(request: HttpRequest) -> Self {
        Self { request }
    }

    pub const fn method(&self) -> &'static str {
        match self.request.method {
            Method::Get => "GET",
            Method::Post => "POST",
        }
    }

    /// The full URL for this base URL.
    pub fn url(&self, base: &str) -> String {
        self.request.url(base)
    }

    /// The headers as a JSON array of pairs, including the key where the format requires it. An
    /// empty key adds none.
    pub fn headers(&self, key: &str) -> String {
        let own = self.request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let auth = Some(key).filter(|key| !key.is_empty()).and_then(|key| self.request.auth.header(key));
        let auth = auth.as_ref().map(|(name, value)| (*name, value.as_str()));
        text::json(&own.chain(auth).collect::<Vec<_>>())
    }

    /// The service name for the signature, if the format requires a signature instead of a key.
    pub fn signed_service(&self) -> Option<String> {
        match &self.request.auth {
            Auth::SigV4(service) => Some(service.clone()),
            Auth::None | Auth::Bearer | Auth::Header(_) => None,
        }
    }

    /// The headers of an AWS signature, as a JSON array of pairs.
    pub fn sign(&self, base: &str, region: &str, credentials: &Credentials, now_ms: u64) -> String {
        let service = self.signed_service().unwrap_or_else(|| "bedrock".into());
        let scope = Scope { region, service: &service };
        text::json(&sign_request(&self.request, base, credentials, scope, now_ms))
    }

    pub fn body(&self) -> &[u8] {
        &self.request.body
    }

    /// Returns the body and consumes the request.
    pub fn into_body(self) -> Vec<u8> {
        self.request.body
    }
}
