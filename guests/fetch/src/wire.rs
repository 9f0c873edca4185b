//! One request over `wasi:http`.

use crate::message::{HttpExchange, GuestFetchRequest, GuestFetchResponse};

/// The way out of the sandbox.
#[derive(Debug, Clone, Copy)]
pub struct WasiExchange;

#[cfg(not(target_family = "wasm"))]
impl HttpExchange for WasiExchange {
    fn send(&mut self, _: &GuestFetchRequest, _: usize) -> Result<GuestFetchResponse, String> {
        Err("there is no wasi:http outside a sandbox".to_owned())
    }
}

#[cfg(target_family = "wasm")]
impl HttpExchange for WasiExchange {
    fn send(&mut self, request: &GuestFetchRequest, most: usize) -> Result<GuestFetchResponse, String> {
        wasi::send(request, most)
    }
}

#[cfg(target_family = "wasm")]
mod wasi {
    use wasip2::http::outgoing_handler::handle;
    use wasip2::http::types::{Fields, IncomingResponse, Method, OutgoingBody, OutgoingRequest, Scheme};
    use wasip2::io::streams::StreamError;

    use super::{GuestFetchRequest, GuestFetchResponse};

    /// The most that one write may carry, as the interface has it.
    const PIECE: usize = 4096;
    const CHUNK: u64 = 64 << 10;

    pub(super) fn send(request: &GuestFetchRequest, most: usize) -> Result<GuestFetchResponse, String> {
        let fields = Fields::new();
        for (name, value) in &request.headers {
            fields
                .append(name, value.as_bytes())
                .map_err(|error| format!("the header {name} cannot be sent: {error:?}"))?;
        }
        let outgoing = OutgoingRequest::new(fields);
        let method = match request.method.as_str() {
            "GET" => Method::Get,
            "HEAD" => Method::Head,
            "POST" => Method::Post,
            "PUT" => Method::Put,
            "PATCH" => Method::Patch,
            "DELETE" => Method::Delete,
            other => Method::Other(other.to_owned()),
        };
        let scheme = if request.scheme == "https" { Scheme::Https } else { Scheme::Http };
        let set = outgoing
            .set_method(&method)
            .and_then(|()| outgoing.set_scheme(Some(&scheme)))
            .and_then(|()| outgoing.set_authority(Some(&request.authority)))
            .and_then(|()| outgoing.set_path_with_query(Some(&request.path)));
        set.map_err(|()| "the address cannot be sent".to_owned())?;
        let body = outgoing.body().map_err(|()| "there is no body to write".to_owned())?;
        let future = handle(outgoing, None).map_err(|error| format!("{error:?}"))?;
        write(&body, &request.body)?;
        OutgoingBody::finish(body, None).map_err(|error| format!("{error:?}"))?;
        future.subscribe().block();
        let answer =
            future.get().ok_or("there is no answer")?.map_err(|()| "there is no answer".to_owned())?;
        read(&answer.map_err(|error| format!("{error:?}"))?, most)
    }

    fn write(body: &OutgoingBody, bytes: &[u8]) -> Result<(), String> {
        let stream = body.write().map_err(|()| "the body cannot be written".to_owned())?;
        for piece in bytes.chunks(PIECE) {
            stream
                .blocking_write_and_flush(piece)
                .map_err(|error| format!("the body was not taken: {error:?}"))?;
        }
        Ok(())
    }

    fn read(answer: &IncomingResponse, most: usize) -> Result<GuestFetchResponse, String> {
        let entries = answer.headers().entries();
        let headers = entries
            .into_iter()
            .map(|(name, value)| (name, String::from_utf8_lossy(&value).into_owned()))
            .collect();
        let body = answer.consume().map_err(|()| "the body cannot be read".to_owned())?;
        let stream = body.stream().map_err(|()| "the body cannot be read".to_owned())?;
        let mut bytes = Vec::new();
        let mut cut = false;
        loop {
            match stream.blocking_read(CHUNK) {
                Ok(chunk) => bytes.extend_from_slice(&chunk),
                Err(StreamError::Closed) => break,
                Err(StreamError::LastOperationFailed(error)) => return Err(error.to_debug_string()),
            }
            if bytes.len() > most {
                bytes.truncate(most);
                cut = true;
                break;
            }
        }
        Ok(GuestFetchResponse { status: answer.status(), headers, body: bytes, cut })
    }
}
