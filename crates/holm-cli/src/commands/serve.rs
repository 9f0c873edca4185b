//! `holm serve`: sessions for a team, over HTTP. This file has the flags, and starts and stops the
//! server. HTTP, authentication, sessions and jobs are in `holm-server`; this command only provides
//! agents to it. Errors that would prevent every session are reported at the start and not to the
//! first client.
//!
//! Where things are:
//! - `serve/session_provider.rs`: builds sessions for the users of the server.
//! - `serve/session_provider/catalogue.rs`: their agents, tools, skills and servers.
//! - `serve/session_storage.rs`: where sessions are stored.
//! - `serve/browser_user.rs`, `serve/open_file_limit.rs`: users in a browser, and the limit of open
//!   files.

mod browser_user;
mod open_file_limit;
mod session_provider;
mod session_storage;

use std::{
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use holm::grants::Url;
use holm_server::{BasePath, ServerError, ServerOptions, TlsFiles, serve};

use super::run;
use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    log::ActivityLog,
    otlp::OtlpExporter,
    screen::TerminalOutput,
    stop_signals::StopSignals,
};
use session_provider::CliSessionProvider;
use session_storage::SessionStorage;

/// Names the database of the sessions, for users who do not want it in the list of processes.
const STORE: &str = "HOLM_STORE";
/// How often the server looks for sessions of a server that has ended: soon enough for waiting
/// users, seldom enough for a database.
const TAKEOVER: Duration = Duration::from_secs(3);

/// Arguments of `holm serve`.
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on; connections from other machines need --certificate [default:
    /// 127.0.0.1:7417]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    listen: Option<SocketAddr>,
    /// Additional host name that requests may use, such as a proxy's; can be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Additional origin whose pages may send requests, such as https://holm.example.org; can be
    /// repeated
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// Address of a proxy whose x-forwarded-for header is trusted; can be repeated
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,
    /// Path prefix of all URLs, for a server behind a proxy
    #[arg(long, value_name = "PATH")]
    base: Option<BasePath>,
    /// Certificate chain, as PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// Private key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// PostgreSQL database for the sessions of all users, in a form that `psql` accepts; several
    /// servers can share it. Use $HOLM_STORE instead if it contains a password [default: files in
    /// the data folder]
    #[arg(long, value_name = "DATABASE")]
    store: Option<String>,
    /// Address on which to serve static sites, each under a host name of its own
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    sites: Option<SocketAddr>,
    /// Seconds to keep an idle session in memory; it is reopened when needed [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    idle: Option<u64>,
    /// Send traces and metrics to this collector, via OTLP/HTTP, such as http://127.0.0.1:4318;
    /// a collector on another machine needs a --grant fetch:… after --
    #[arg(long, value_name = "URL")]
    otlp: Option<Url>,
    /// Options of `holm run` for every session, such as --model, --grant, --mode and --budget
    #[arg(last = true, value_name = "RUN_OPTIONS")]
    options: Vec<String>,
}

pub(crate) async fn execute(
    args: ServeArgs,
    data: Option<&Path>,
    log: &ActivityLog,
) -> anyhow::Result<CommandExit> {
    let run = run::RunArgs::behind("holm serve --", args.options.iter().map(String::as_str))?;
    let (places, screen) = (HolmPaths::find(data)?, TerminalOutput::default());
    let stores = SessionStorage::of(args.store.clone().or_else(|| std::env::var(STORE).ok()))?;
    let otlp =
        args.otlp.as_ref().map(|url| OtlpExporter::start(url, &run.granted(), run.bounds())).transpose()?;
    open_file_limit::raise();
    let mut config = config(args, &places);
    config.takeover = stores.are_shared().then_some(TAKEOVER);
    let house = CliSessionProvider::new(run.logging(log), places, stores);
    let house = match &otlp {
        Some(otlp) => house.telling(otlp.sink()),
        None => house,
    };
    // Errors that would prevent every session are reported now, not to the first client.
    house.check().await?;
    let serving = serve(config, Arc::new(house)).await.map_err(|error| trouble(&error))?;
    let scheme = if serving.server().config().tls.is_some() { "https" } else { "http" };
    let base = serving.server().config().base.as_str();
    screen.line(&format!("{scheme}://{}{base}", serving.address()));
    if let Some(otlp) = &otlp {
        otlp.watch(serving.server());
    }
    screen.note(&format!("holm: the token is in {}", serving.server().keyring().first().shown()));
    stopped().await;
    screen.note_of_the_end("holm: stopping; runs may finish, the rest continues at the next start");
    serving.stop().await;
    if let Some(otlp) = otlp
        && let lost @ 1.. = otlp.finish().await
    {
        screen.note(&format!("holm: the collector did not accept {lost} messages"));
    }
    Ok(CommandExit::Done)
}

fn config(args: ServeArgs, places: &HolmPaths) -> ServerOptions {
    let mut config = ServerOptions::new(places.data.join("server"));
    config.listen = args.listen.unwrap_or(config.listen);
    config.base = args.base.unwrap_or_default();
    (config.hosts, config.origins, config.sites) = (args.host, args.origin, args.sites);
    config.proxies = args.proxy.iter().map(IpAddr::to_canonical).collect();
    config.evaluations = Some(places.data.join("evals"));
    config.limits.idle = args.idle.map_or(config.limits.idle, Duration::from_secs);
    config.tls = args.certificate.zip(args.key).map(|(certificate, key)| TlsFiles { certificate, key });
    config
}

fn trouble(error: &ServerError) -> CommandError {
    let exit = match error {
        ServerError::Exposed(_)
        | ServerError::Certificate { .. }
        | ServerError::BasePath(_)
        | ServerError::Taken(_)
        | ServerError::Name { .. } => CommandExit::Usage,
        ServerError::Listen { .. } | ServerError::File { .. } | ServerError::Random(_) => CommandExit::Failed,
    };
    let message = error.to_string();
    match message.rsplit_once("; ") {
        Some((message, hint)) => CommandError::new(exit, message).hint(hint),
        None => CommandError::new(exit, message),
    }
}

/// The address of a flag.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "write an IP address and a port, such as 127.0.0.1:7417")
}

/// Returns when the server should stop: on Ctrl-C, the signal that service managers send, or when
/// its terminal is closed.
async fn stopped() {
    if let Ok(mut signals) = StopSignals::listen() {
        signals.next().await;
    } else {
        // Where the signals cannot be had, the process is ended by force, which loses nothing.
        let _ = tokio::signal::ctrl_c().await;
    }
}
