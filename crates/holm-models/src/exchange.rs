//! Performs one model call: sends the request, and turns the bytes of the answer into a model
//! result.
//!
//! A request that may have reached the provider is never reported as one that was not sent, because
//! the provider may charge for it. Redirects and compressed answers are refused. Sizes and silence
//! are bounded.
//!
//! It knows no format: the codecs of `holm-wire` decode replies and classify failures. It retries
//! nothing: the kernel decides that. The key is added in `client.rs`, which also calls this file,
//! and connections are opened in `http.rs`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use holm_kernel::{Failure, FailureClass, ModelCallId, ModelResult, Reply};
use holm_runtime::{CancellationToken, DeltaSink, ReplyDelta};
use holm_wire::{
    Delivery, ProviderCodec, StreamDecoder, StreamProgress, classify, framing::MAX_FRAME,
    stream::check_values,
};

use crate::{
    ResponseBody, TransportError, TransportRequest, TransportResponse, client::ModelClientInner,
    client::now_ms,
};

/// How many bytes of an error body are read. The longest known ones are some kilobytes, and more
/// would only fill memory.
const MAX_ERROR: usize = 64 << 10;

/// How long to wait for the end of the body after the provider has ended the reply. It almost
/// always arrives in the same packet, and a connection whose body has ended can be reused.
const LAST_CHUNK: Duration = Duration::from_millis(50);

/// Headers in which providers and gateways send the id of a request.
const REQUEST_IDS: [&str; 8] = [
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "apim-request-id",
    "x-ms-request-id",
    "x-goog-request-id",
    "x-generation-id",
    "cf-ray",
];

/// The longest id that is passed on. No provider has longer ones.
const MAX_ID: usize = 128;

/// Receives the deltas of a call, and can stop it.
pub(crate) struct ModelCallContext {
    pub(crate) call: ModelCallId,
    pub(crate) deltas: Arc<dyn DeltaSink>,
    pub(crate) stop: CancellationToken,
}

impl ModelCallContext {
    /// Returns the future's value, or `None` once the call is stopped. Dropping the
    /// future closes the connection.
    async fn unless_stopped<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            value = future => Some(value),
        }
    }
}

/// Sends the request of a call, and reads the answer.
pub(crate) async fn run(
    shared: &ModelClientInner,
    codec: &dyn ProviderCodec,
    request: TransportRequest,
    context: ModelCallContext,
) -> ModelResult {
    let answer = match context.unless_stopped(shared.transport.send(request)).await {
        None => return ModelResult::Aborted(Reply::default()),
        Some(Err(error)) => return ModelResult::Failed(no_answer(&error)),
        Some(Ok(answer)) => answer,
    };
    let id = request_id(&answer).map(ToOwned::to_owned);
    if let Some(id) = &id {
        context.deltas.delta(context.call.into(), ReplyDelta::Accepted { request: id });
    }
    let result = match answer.status {
        200..=299 => read_reply(shared, codec, answer, &context).await,
        _ => read_failure(shared, answer, &context).await,
    };
    match (result, id) {
        (ModelResult::Failed(failure), Some(id)) => {
            let message = format!("{} (request {id})", failure.message);
            ModelResult::Failed(Failure { message, ..failure })
        }
        (result, _) => result,
    }
}

/// The provider's id of the request.
fn request_id(answer: &TransportResponse) -> Option<&str> {
    let id = REQUEST_IDS.iter().find_map(|name| answer.header(name))?;
    let plain = !id.is_empty() && id.len() <= MAX_ID && id.bytes().all(|byte| byte.is_ascii_graphic());
    plain.then_some(id)
}

/// Reads a successful answer.
async fn read_reply(
    shared: &ModelClientInner,
    codec: &dyn ProviderCodec,
    mut answer: TransportResponse,
    context: &ModelCallContext,
) -> ModelResult {
    if let Some(encoding) = answer.header("content-encoding").filter(|name| *name != "identity") {
        let message = format!(
            "the answer is compressed ({encoding}), but Holm did not ask for that; check the \
                     proxy"
        );
        // The provider has answered, so it charges for the answer.
        return ModelResult::Failed(classify::failure(FailureClass::Truncated, &message));
    }
    match shared.options.delivery {
        Delivery::Stream => read_stream(codec.stream(), answer.body.as_mut(), context, shared.silence).await,
        Delivery::Whole => match context.unless_stopped(gather(shared, &mut answer, MAX_FRAME)).await {
            None => ModelResult::Aborted(Reply::default()),
            Some(Err(error)) => ModelResult::Failed(interrupted(&error)),
            Some(Ok(body)) => match check_values(&body).and_then(|()| codec.reply(&body)) {
                Ok(reply) => {
                    holm_wire::delta::replay(&reply, &mut |wire_delta| {
                        context.deltas.delta(context.call.into(), delta(wire_delta));
                    });
                    ModelResult::Replied(reply)
                }
                Err(failure) => ModelResult::Failed(failure),
            },
        },
    }
}

/// Reads a reply as it arrives, and passes its deltas on.
async fn read_stream(
    mut decoder: Box<dyn StreamDecoder>,
    body: &mut dyn ResponseBody,
    context: &ModelCallContext,
    silence: Duration,
) -> ModelResult {
    let mut last_progress = Instant::now();
    let transport_error = loop {
        match context.unless_stopped(body.next()).await {
            None => return ModelResult::Aborted(decoder.abort()),
            Some(Ok(Some(bytes))) => {
                let mut had_delta = false;
                let progress = decoder.feed(&bytes, &mut |wire_delta| {
                    had_delta = true;
                    context.deltas.delta(context.call.into(), delta(wire_delta));
                });
                if progress == StreamProgress::Ended {
                    let _ = tokio::time::timeout(LAST_CHUNK, body.next()).await;
                    break None;
                }
                if had_delta {
                    last_progress = Instant::now();
                } else if last_progress.elapsed() > silence {
                    break Some(silence_error(silence));
                }
            }
            Some(Ok(None)) => break None,
            Some(Err(error)) => break Some(error),
        }
    };
    let mut sink =
        |wire_delta: holm_wire::WireDelta<'_>| context.deltas.delta(context.call.into(), delta(wire_delta));
    match (decoder.finish(&mut sink), transport_error) {
        (Ok(reply), _) => ModelResult::Replied(reply),
        // The decoder only sees that the end is missing; the transport knows the reason.
        (Err(failure), Some(error)) if failure.class == FailureClass::Truncated => {
            ModelResult::Failed(Failure { usage: failure.usage, ..interrupted(&error) })
        }
        (Err(failure), _) => ModelResult::Failed(failure),
    }
}

/// Reads the answer to a failed call, and classifies the failure.
async fn read_failure(
    shared: &ModelClientInner,
    mut answer: TransportResponse,
    context: &ModelCallContext,
) -> ModelResult {
    if (300..400).contains(&answer.status) {
        let message = format!(
            "status {}: the service redirects, and Holm does not send a key to another address; correct \
             the base URL",
            answer.status
        );
        return ModelResult::Failed(classify::failure(FailureClass::BadRequest, &message));
    }
    let body = match context.unless_stopped(gather(shared, &mut answer, MAX_ERROR)).await {
        None => return ModelResult::Aborted(Reply::default()),
        // The status alone is enough.
        Some(body) => body.unwrap_or_default(),
    };
    let headers: Vec<(&str, &str)> =
        answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let failure = classify::HttpFailure {
        status: answer.status,
        headers: &headers,
        body: &body,
        now_ms: Some(now_ms()),
    };
    ModelResult::Failed(classify::http(&failure))
}

/// Reads a body that is needed as a whole, up to the limit and within the silence limit of a reply.
pub(crate) async fn gather(
    shared: &ModelClientInner,
    answer: &mut TransportResponse,
    limit: usize,
) -> Result<Vec<u8>, TransportError> {
    let body = tokio::time::timeout(shared.silence, read_up_to(answer.body.as_mut(), limit)).await;
    body.unwrap_or_else(|_| Err(silence_error(shared.silence)))
}

fn silence_error(limit: Duration) -> TransportError {
    let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    TransportError::Late { what: "no reply arrived", millis }
}

/// Reads a body up to the limit and leaves the rest unread.
async fn read_up_to(body: &mut dyn ResponseBody, limit: usize) -> Result<Vec<u8>, TransportError> {
    let mut out = Vec::new();
    while let Some(bytes) = body.next().await? {
        let remaining = limit.saturating_sub(out.len());
        out.extend_from_slice(bytes.get(..remaining).unwrap_or(&bytes));
        if out.len() >= limit {
            break;
        }
    }
    Ok(out)
}

pub(crate) fn failure_of(error: &TransportError) -> Failure {
    classify::failure(error.class(), &error.to_string())
}

/// The failure of a call without any answer. If the request was sent, the provider may charge for
/// it, as for a reply that breaks off. A request that was not sent is free.
fn no_answer(error: &TransportError) -> Failure {
    match error {
        TransportError::Late { .. } | TransportError::Broken { .. } => interrupted(error),
        TransportError::Connect { .. }
        | TransportError::Unsendable { .. }
        | TransportError::NotRecorded { .. } => failure_of(error),
    }
}

/// The connection failed after the request was sent. The class says that the
/// provider charges for it.
fn interrupted(error: &TransportError) -> Failure {
    classify::failure(FailureClass::Truncated, &error.to_string())
}

/// Converts a codec's delta into the runtime's delta.
pub(crate) fn delta(wire_delta: holm_wire::WireDelta<'_>) -> ReplyDelta<'_> {
    match wire_delta {
        holm_wire::WireDelta::Text { offset, text } => ReplyDelta::Text { offset, text },
        holm_wire::WireDelta::Thinking { offset, text } => ReplyDelta::Thinking { offset, text },
        holm_wire::WireDelta::ToolCallStarted { index, id, name } => {
            ReplyDelta::ToolCallStarted { index, id, name }
        }
        holm_wire::WireDelta::ToolArguments { index, offset, text } => {
            ReplyDelta::ToolArguments { index, offset, text }
        }
        holm_wire::WireDelta::Usage(usage) => ReplyDelta::Usage(usage),
    }
}
