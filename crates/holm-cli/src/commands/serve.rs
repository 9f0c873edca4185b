//! `holm serve`: sessions for a team, over HTTP.

mod house;
mod person;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use holm_server::{BasePath, Config, ServerError, Tls, serve};

use super::run;
use crate::{
    exit::{Exit, Trouble},
    log::Log,
    places::Places,
    screen::Screen,
};
use house::House;

/// What `holm serve` takes.
#[expect(clippy::doc_markdown, reason = "these comments are the help text")]
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to listen; another machine's connections need --certificate [default: 127.0.0.1:7417]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// A name beside this machine's own under which requests may arrive, such as a proxy's; may be given more than once
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// An origin beside its own whose pages may ask, such as https://holm.example.org; may be given more than once
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// The path below which everything is served, for a server behind a proxy
    #[arg(long, value_name = "PATH")]
    base: Option<BasePath>,
    /// A certificate chain as PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// The key of the certificate as PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// Where sites with a host name of their own are shown
    #[arg(long, value_name = "ADDRESS:PORT")]
    sites: Option<SocketAddr>,
    /// What else `holm run` takes, for every session: --model, --grant, --mode, --budget and their like
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// Runs the command.
pub(crate) async fn execute(args: Args, data: Option<&Path>, log: &Log) -> anyhow::Result<Exit> {
    let run = run::Args::behind("holm serve --", args.options.iter().map(String::as_str))?;
    let (places, screen) = (Places::find(data)?, Screen::default());
    let config = config(args, &places);
    let house = House::new(run.logging(log), places);
    // What nobody could start is said now, not to the first client.
    house.check().await?;
    let serving = serve(config, Arc::new(house)).await.map_err(|error| trouble(&error))?;
    let scheme = if serving.server().config().tls.is_some() { "https" } else { "http" };
    let base = serving.server().config().base.as_str();
    screen.line(&format!("{scheme}://{}{base}", serving.address()));
    screen.note(&format!("holm: the token is in {}", serving.server().keyring().first().display()));
    stopped().await;
    screen.note_at_once("holm: stopping; runs may finish, what is left goes on at the next start");
    serving.stop().await;
    Ok(Exit::Done)
}

fn config(args: Args, places: &Places) -> Config {
    let mut config = Config::new(places.data.join("server"));
    config.listen = args.listen.unwrap_or(config.listen);
    config.base = args.base.unwrap_or_default();
    (config.hosts, config.origins, config.sites) = (args.host, args.origin, args.sites);
    config.tls = args.certificate.zip(args.key).map(|(certificate, key)| Tls { certificate, key });
    config
}

fn trouble(error: &ServerError) -> Trouble {
    let exit = match error {
        ServerError::Exposed(_)
        | ServerError::Certificate { .. }
        | ServerError::BasePath(_)
        | ServerError::Taken(_)
        | ServerError::Name { .. } => Exit::Usage,
        ServerError::Listen { .. } | ServerError::File { .. } | ServerError::Random(_) => Exit::Failed,
    };
    Trouble::new(exit, error.to_string())
}

/// Returns when somebody wants the server to stop: Ctrl-C, or the signal that service managers send.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut ended) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = ended.recv() => {}
            }
            return;
        }
    }
    // Where the signal cannot be had, the process is ended by force, which loses nothing.
    let _ = tokio::signal::ctrl_c().await;
}
