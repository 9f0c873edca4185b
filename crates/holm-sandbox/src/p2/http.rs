//! HTTP for components. A request is collected, checked by the policy, and handed to the call's
//! outbound network.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use holm_grants::Url;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use crate::lease::Lease;
use crate::net::{BodyRoom, Chunks, HttpRequest, HttpResponse, Net, NetError};

/// The hooks that the engine calls when a guest sends a request.
pub(crate) struct Hooks {
    net: Net,
}

/// The largest body of a request. It is held in memory, so that the way out can send it whole.
const MAX_REQUEST: usize = 8 << 20;

type Sent = Result<(http::Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>), Error>;

impl Hooks {
    pub(crate) fn new(net: Net) -> Self {
        Self { net }
    }
}

impl WasiHttpHooks for Hooks {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _processed: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
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

async fn send(net: Net, request: http::Request<WasiBody>) -> Result<http::Response<WasiBody>, Error> {
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
    let request = HttpRequest { method: parts.method.to_string(), url: url.clone(), headers, body };
    let response = outbound.send(net.policy(), request).await.map_err(|error| {
        net.refused(url, &error);
        failure(error)
    })?;
    answer(response, lease)
}

/// The whole body, with the room that it takes as long as it is held.
async fn collect(net: &Net, mut body: WasiBody) -> Result<(Bytes, BodyRoom), Error> {
    let too_large = || Error::HttpRequestBodySize(Some(MAX_REQUEST as u64));
    let mut room = net.body_room();
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else { continue };
        if whole.len() + data.len() > MAX_REQUEST || !room.grow(data.len()) {
            return Err(too_large());
        }
        whole.extend_from_slice(&data);
    }
    Ok((whole.freeze(), room))
}

fn answer(response: HttpResponse, lease: Lease) -> Result<http::Response<WasiBody>, Error> {
    let mut builder = http::Response::builder().status(response.status);
    for (name, value) in &response.headers {
        builder = builder.header(name.as_str(), value.as_slice());
    }
    builder
        .body(Arriving { body: response.body, _lease: lease }.boxed_unsync())
        .map_err(|_| Error::HttpProtocolError)
}

fn failure(error: NetError) -> Error {
    match error {
        NetError::Refused(_) => Error::HttpRequestDenied,
        NetError::NoSuchHost(name) => Error::DnsError { rcode: Some(name), info_code: None },
        NetError::TimedOut => Error::ConnectionTimeout,
        NetError::Failed(why) => Error::InternalError(Some(why)),
    }
}

/// The body of a response on its way to the guest, with the connection that it comes by.
struct Arriving {
    body: Box<dyn Chunks>,
    _lease: Lease,
}

impl Body for Arriving {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        self.body.poll_chunk(cx).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data).map_err(failure)))
    }
}
