//! The declaration of the guest, and the work of one call.

use std::io::Write;

use guest_kit::{GuestError, ParamKind, GuestToolLevel, ParamNeed, GuestParam, ParamPlace, GuestTool, ArgumentValues};

use crate::message::{HttpExchange, GuestFetchRequest};

/// The declaration of the guest.
pub const TOOL: GuestTool = GuestTool {
    name: "fetch",
    about: "Fetches a URL and shows the status, the headers that matter and the body",
    keywords: "fetch, http, https, url, web, download, api, request",
    level: GuestToolLevel::ReadOnly,
    params: &[
        GuestParam::position("url", "What to fetch"),
        GuestParam::text("method", "The method")
            .of(ParamKind::Choice(&["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]))
            .or("GET")
            .short('X'),
        GuestParam {
            name: "header",
            about: "A header, as Name: value",
            place: ParamPlace::Short('H'),
            kind: ParamKind::Texts,
            need: ParamNeed::Optional,
        },
        GuestParam::text("body", "What to send").short('d'),
        GuestParam::number("limit", "200000", "The most bytes of the body to show"),
        GuestParam::number("redirects", "5", "How many redirections to follow"),
        GuestParam::flag("fail", "A status from 400 on is a failure").short('f'),
    ],
};

/// The headers that are shown; the others do not help a model.
const SHOWN: [&str; 5] = ["content-type", "content-length", "location", "last-modified", "retry-after"];

/// Does the work of one call.
///
/// # Errors
///
/// If no response arrives, or if it reports a failure and `fail` was given.
pub fn work(values: &ArgumentValues, exchange: &mut dyn HttpExchange, out: &mut dyn Write) -> Result<(), GuestError> {
    let mut request = GuestFetchRequest::to(values.need("url")?).map_err(GuestError::Usage)?;
    values.need("method")?.clone_into(&mut request.method);
    if let Some(body) = values.text("body") {
        request.body = body.as_bytes().to_vec();
    }
    for header in values.texts("header") {
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| GuestError::Usage(format!("'{header}' is no header: Name: value")))?;
        request.headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
    let limit = values.number("limit").unwrap_or(usize::MAX);
    let mut left = values.number("redirects").unwrap_or(0);
    let response = loop {
        let response = exchange.send(&request, limit).map_err(|why| {
            GuestError::failed(format!(
                "could not fetch {}://{}{}: {why}",
                request.scheme, request.authority, request.path
            ))
        })?;
        let target =
            response.header("location").filter(|_| matches!(response.status, 301 | 302 | 303 | 307 | 308));
        let Some(target) = target.filter(|_| left > 0) else { break response };
        left -= 1;
        request = request.redirected(response.status, target).map_err(GuestError::Failed)?;
    };
    let mut text = format!("HTTP {}\n", response.status);
    for name in SHOWN {
        if let Some(value) = response.header(name) {
            text.push_str(&format!("{name}: {value}\n"));
        }
    }
    text.push('\n');
    match String::from_utf8(response.body) {
        Ok(body) => text.push_str(&body),
        Err(error) if response.cut && error.utf8_error().error_len().is_none() => {
            text.push_str(&String::from_utf8_lossy(error.as_bytes()));
        }
        Err(error) => text.push_str(&format!("[{} bytes that are no text]", error.as_bytes().len())),
    }
    if response.cut {
        text.push_str(&format!("\n[cut after {limit} bytes]"));
    }
    writeln!(out, "{}", text.trim_end()).map_err(|error| GuestError::failed(error.to_string()))?;
    if values.flag("fail") && response.status >= 400 {
        return Err(GuestError::failed(format!("the server answered {}", response.status)));
    }
    Ok(())
}
