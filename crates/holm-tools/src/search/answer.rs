//! Extracts the results from a search service's response, which is untrusted text. Where a service
//! has its results is defined in `service.rs`; the request is sent in `tool.rs`.

use holm_guards::json::Json;

use super::SearchService;
use crate::text::tidy;

/// The longest title, address and piece of text that are shown.
const LONGEST: [usize; 3] = [200, 1000, 600];

/// The results as a list in Markdown, or why there are none.
pub(super) fn read(service: &SearchService, answer: &str, most: u64) -> Result<String, String> {
    let json = Json::parse(answer).map_err(|error| {
        format!(
            "the search service's answer is not JSON: \
        {error}"
        )
    })?;
    let Some(list) = json.pointer(&service.results).and_then(Json::as_array) else {
        return Err(format!("the search service's answer has no list at {}", service.results));
    };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let lines: Vec<String> = list.iter().filter_map(|result| line(service, result)).take(most).collect();
    if lines.is_empty() {
        return Ok("nothing was found".into());
    }
    let numbered = lines.iter().enumerate().map(|(at, line)| format!("{}. {line}", at + 1));
    Ok(numbered.collect::<Vec<_>>().join("\n"))
}

/// One result. Returns `None` if it has no web address.
fn line(service: &SearchService, result: &Json) -> Option<String> {
    let member = |name: &str| result.get(name).and_then(Json::as_str).unwrap_or_default();
    let one = |text: &str, longest: usize| tidy(&plain(text), longest).replace('\n', " ");
    let [title, address, piece] = LONGEST;
    let url: url::Url = member(&service.url).parse().ok()?;
    if !matches!(url.scheme(), "http" | "https") || url.as_str().len() > address {
        return None;
    }
    let title = one(member(&service.title), title);
    let piece = one(member(&service.snippet), piece);
    Some(format!("{title}\n   {url}\n   {piece}").trim_end().to_owned())
}

/// Removes HTML tags, with which services mark the matches.
fn plain(text: &str) -> String {
    if text.contains(['<', '&']) {
        crate::fetch::to_markdown(text, "").replace("**", "")
    } else {
        text.to_owned()
    }
}
