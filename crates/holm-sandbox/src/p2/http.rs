//! HTTP for components. A request is collected, checked by the policy, and handed to the call's
//! outbound network.
//!
//! It opens no connection (`net.rs` has the trait) and follows no redirect: a guest sends a new
//! request, which is checked again. Bodies of requests are held in memory and bounded for the whole
//! call. A connection needs a lease (`lease.rs`).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use holm_grants::Url;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use crate::lease::HandleLease;
use crate::net::{
    BodyChunks, BodyReservation, CallNetwork, GuestHttpRequest, GuestHttpResponse, OutboundError,
};

/// The hooks that the engine calls when a guest sends a request.
pub(crate) struct HttpHooks {
    net: CallNetwork,
}

/// The largest body of a request. It is held in memory, so that the way out can send it whole.
const MAX_REQUEST: usize = 8 << 20;

type SendResult =
    Result<(http::Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>), Error>;

impl HttpHooks {
    pub(crate) fn new(net: CallNetwork) -> Self {
        Self { net }
    }
}

impl WasiHttpHooks for HttpHooks {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _processed: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = SendResult> + Send> {
        let net = self.net.clone();
        Box::new(async move {
            let patience = options.unwrap_or_default().first_byte_timeout;
            let exchange = send(net, request);
            let response = match patience {
                Some(patience) => {
                    tokio::time::timeout(patience, exchange).await.map_err(|_| Error::ConnectionTimeout)?
                }
                None => exchange.await,
            }?;
            let finished: Box<dyn Future<Output = Result<(), Error>> + Send> = Box::new(async { Ok(()) });
            Ok((response, finished))
        })
    }
}

async fn send(net: CallNetwork, request: http::Request<WasiBody>) -> Result<http::Response<WasiBody>, Error> {
    let (parts, body) = request.into_parts();
    let url: Url = parts.uri.to_string().parse().map_err(|_| Error::HttpRequestUriInvalid)?;
    let outbound = net.admit(&url).ok_or(Error::HttpRequestDenied)?;
    let (body, _room) = collect(&net, body).await?;
    let lease = net.lease().ok_or(Error::ConnectionLimitReached)?;
    let headers = parts
        .headers
        .iter()
        .filter(|(name, _)| *name != http::header::HOST)
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect();
    let request = GuestHttpRequest { method: parts.method.to_string(), url: url.clone(), headers, body };
    let response = outbound.send(net.policy(), request).await.map_err(|error| {
        net.refused(url, &error);
        failure(error)
    })?;
    answer(response, lease)
}

/// The whole body, with the room that it takes as long as it is held.
async fn collect(net: &CallNetwork, mut body: WasiBody) -> Result<(Bytes, BodyReservation), Error> {
    let too_large = || Error::HttpRequestBodySize(Some(MAX_REQUEST as u64));
    let mut reservation = net.body_room();
    let mut collected = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if collected.len() + data.len() > MAX_REQUEST || !reservation.grow(data.len()) {
            return Err(too_large());
        }
        collected.extend_from_slice(&data);
    }
    Ok((collected.freeze(), reservation))
}

fn answer(response: GuestHttpResponse, lease: HandleLease) -> Result<http::Response<WasiBody>, Error> {
    let mut builder = http::Response::builder().status(response.status);
    for (name, value) in &response.headers {
        builder = builder.header(name.as_str(), value.as_slice());
    }
    builder
        .body(ResponseBodyStream { body: response.body, _lease: lease }.boxed_unsync())
        .map_err(|_| Error::HttpProtocolError)
}

fn failure(error: OutboundError) -> Error {
    match error {
        OutboundError::Refused(_) => Error::HttpRequestDenied,
        OutboundError::NoSuchHost(name) => Error::DnsError { rcode: Some(name), info_code: None },
        OutboundError::TimedOut => Error::ConnectionTimeout,
        OutboundError::Failed(reason) => Error::InternalError(Some(reason)),
    }
}

/// The body of a response on its way to the guest, with the connection that it comes by.
struct ResponseBodyStream {
    body: Box<dyn BodyChunks>,
    _lease: HandleLease,
}

impl Body for ResponseBodyStream {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        self.body.poll_chunk(cx).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data).map_err(failure)))
    }
}
