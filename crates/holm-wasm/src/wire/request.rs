//! A request as data. The host adds the key and sends it.
//!
//! It opens no connection and keeps no key: a key or credentials are passed in for each call and
//! are only in the headers that it returns. Encoding is in `wire/codec.rs`, the AWS signature in
//! `holm-wire/src/bedrock/sign.rs`.

use alloc::string::String;
use alloc::vec::Vec;
use holm_wire::{
    AuthScheme, HttpMethod, ProviderRequest,
    bedrock::{AwsCredentials, SigningScope, sign_request},
};

use crate::text;

/// One HTTP request without its secret.
#[derive(Debug)]
pub struct RequestHandle {
    request: ProviderRequest,
}

impl RequestHandle {
    pub(super) const fn new(request: ProviderRequest) -> Self {
        Self { request }
    }

    pub const fn method(&self) -> &'static str {
        match self.request.method {
            HttpMethod::Get => "GET",
            HttpMethod::Post => "POST",
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
            AuthScheme::SigV4(service) => Some(service.clone()),
            AuthScheme::None | AuthScheme::Bearer | AuthScheme::Header(_) => None,
        }
    }

    /// The headers of an AWS signature, as a JSON array of pairs.
    pub fn sign(&self, base: &str, region: &str, credentials: &AwsCredentials, now_ms: u64) -> String {
        let service = self.signed_service().unwrap_or_else(|| "bedrock".into());
        let scope = SigningScope { region, service: &service };
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
