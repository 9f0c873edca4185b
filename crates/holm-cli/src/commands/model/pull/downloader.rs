//! Downloads a file over Holm's own network path (`holm-net`). Each redirect is checked before it
//! is followed: it may lead to the host that the user named and to any public host over https, and
//! to no other private one. Where the file is stored is decided in
//! `commands/model/pull/partial_download.rs`, and whether it is right in `commands/model/pull.rs`.
//! A download is resumed only for the same version of the file, by a strong tag.

use std::time::Duration;

use holm::grants::{GrantPolicy, GrantSet, Url};
use holm_net::{ExchangeLimits, HttpClient, HttpClientRequest, HttpClientResponse, NetError, TlsConfig};

use super::{
    partial_download::PartialDownload,
    source::{DownloadSource, is_hash},
};
use crate::{
    exit::{CommandError, CommandExit},
    network_scope::NetworkScope,
};

/// The longest that a download may take: a day, for a slow line.
const TOTAL: Duration = Duration::from_secs(24 * 3600);
/// The longest time without any bytes: ten times what a sleeping disk of a server needs.
const IDLE: Duration = Duration::from_secs(60);
/// Redirects: a hub leads to a store, which leads to a copy nearby.
const REDIRECTS: usize = 8;

/// Downloads a model file over HTTP.
pub(super) struct ModelDownloader {
    client: HttpClient,
    policy: GrantPolicy,
    url: Url,
}

/// A response with the content of a file.
pub(super) struct DownloadStream {
    response: Option<HttpClientResponse>,
    /// The first byte of the content.
    pub(super) from: u64,
    /// The size of the whole file, if the server says so.
    pub(super) total: Option<u64>,
    /// The server's tag of this version.
    pub(super) tag: Option<String>,
    /// The SHA-256 that the server states.
    pub(super) hash: Option<String>,
}

impl ModelDownloader {
    /// Creates a downloader for a source. Redirects may lead to any public host, and to no other private one.
    pub(super) fn open(source: &DownloadSource) -> anyhow::Result<Self> {
        let (scheme, host, port) = (source.url.scheme(), source.url.host(), source.url.port());
        let own = format!("fetch:{scheme}://{host}:{port}");
        let grants = GrantSet::parse(["fetch:https://*", &own])?;
        let policy = GrantPolicy { grants, ..GrantPolicy::default() };
        let client = HttpClient::new(NetworkScope::Anywhere.connector(), TlsConfig::platform()?);
        Ok(Self { client, policy, url: source.url.clone() })
    }

    /// Requests the file, or the missing part of it.
    pub(super) async fn begin(&self, part: &PartialDownload) -> anyhow::Result<DownloadStream> {
        let resume = part.tag().map(|tag| (part.length(), tag));
        let (response, hash) = self.follow(resume.as_ref()).await?;
        match response.status().as_u16() {
            200 => Ok(DownloadStream::of(response, 0, hash)),
            206 => {
                let have = resume.map_or(0, |(have, _)| have);
                match range(&response) {
                    Some((from, total)) if from == have => {
                        Ok(DownloadStream { total, ..DownloadStream::of(response, have, hash) })
                    }
                    Some(_) | None => {
                        Err(refused("the server sent a different part of the file than requested"))
                    }
                }
            }
            // There are no more bytes: either the download is complete, or the file on
            // the server has changed.
            416 => match (resume, range(&response)) {
                (Some((have, tag)), Some((_, Some(total)))) if total == have => Ok(DownloadStream {
                    response: None,
                    from: have,
                    total: Some(total),
                    tag: Some(tag),
                    hash,
                }),
                _ => {
                    let (response, hash) = self.follow(None).await?;
                    if response.status().as_u16() != 200 {
                        return Err(refused(&format!("the server answered {}", response.status())));
                    }
                    Ok(DownloadStream::of(response, 0, hash))
                }
            },
            404 => {
                let trouble =
                    CommandError::new(CommandExit::Missing, format!("file not found at {}", self.url.host()));
                Err(trouble.into())
            }
            _ => Err(refused(&format!("the server answered {}", response.status()))),
        }
    }

    /// Follows redirects one by one, because a redirect may state the hash of the file.
    async fn follow(
        &self,
        resume: Option<&(u64, String)>,
    ) -> anyhow::Result<(HttpClientResponse, Option<String>)> {
        let limits = ExchangeLimits {
            body: u64::MAX,
            total: TOTAL,
            idle: IDLE,
            redirects: 0,
            ..ExchangeLimits::default()
        };
        let (mut url, mut hash) = (self.url.clone(), None);
        for _ in 0..REDIRECTS {
            let mut request = HttpClientRequest::get(url.clone());
            if let Some((have, tag)) = resume {
                request = request.header("range", &format!("bytes={have}-"))?.header("if-range", tag)?;
            }
            let response = self
                .client
                .send(request, &self.policy, &limits)
                .await
                .map_err(|error| unreachable(&error))?;
            hash = hash.or_else(|| said_hash(&response));
            let target = response.headers().get("location").and_then(|target| target.to_str().ok());
            match (response.status().as_u16(), target) {
                (301 | 302 | 303 | 307 | 308, Some(target)) => url = joined(&url, target)?,
                _ => return Ok((response, hash)),
            }
        }
        Err(refused(&format!("it redirects more than {REDIRECTS} times")))
    }
}

impl DownloadStream {
    fn of(response: HttpClientResponse, from: u64, hash: Option<String>) -> Self {
        let number = |name: &str| header(&response, name).and_then(|text| text.parse::<u64>().ok());
        let total = number("content-length").map(|length| length.saturating_add(from));
        // A weak tag does not identify exact bytes, so the download could not be resumed.
        let tag = header(&response, "etag").filter(|tag| !tag.starts_with("W/")).map(ToOwned::to_owned);
        Self { from, total, tag, hash, response: Some(response) }
    }

    /// The next bytes, or `None` after the last.
    pub(super) async fn piece(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        match &mut self.response {
            Some(response) => Ok(response.piece().await?.map(|piece| piece.to_vec())),
            None => Ok(None),
        }
    }
}

fn header<'a>(response: &'a HttpClientResponse, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// The first byte of a partial response, and the length of the whole file.
fn range(response: &HttpClientResponse) -> Option<(u64, Option<u64>)> {
    let (part, total) = header(response, "content-range")?.strip_prefix("bytes ")?.split_once('/')?;
    let from = part.split('-').next().and_then(|from| from.parse().ok()).unwrap_or(0);
    Some((from, total.parse().ok()))
}

/// The SHA-256 that a hub states for a large file.
fn said_hash(response: &HttpClientResponse) -> Option<String> {
    let hash = header(response, "x-linked-etag")?.trim_matches('"').to_ascii_lowercase();
    is_hash(&hash).then_some(hash)
}

/// The URL that a redirect points to.
fn joined(base: &Url, target: &str) -> anyhow::Result<Url> {
    let (scheme, host, port) = (base.scheme(), base.host(), base.port());
    let text = match target.strip_prefix('/') {
        Some(rest) if !rest.starts_with('/') => format!("{scheme}://{host}:{port}{target}"),
        Some(_) => format!("{scheme}:{target}"),
        None => target.to_owned(),
    };
    text.parse().map_err(|_| refused("it redirects to an invalid web address"))
}

fn unreachable(error: &NetError) -> anyhow::Error {
    CommandError::new(CommandExit::Provider, format!("the file cannot be fetched: {error}"))
        .hint("run the same command to continue; Holm keeps what it has received")
        .into()
}

fn refused(why: &str) -> anyhow::Error {
    CommandError::new(CommandExit::Provider, format!("the file cannot be fetched: {why}")).into()
}
