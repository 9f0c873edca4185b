//! How good is a small model under the grammar that Holm's own host gives it? Plays held-out episodes reply by reply, each
//! with the right history before it, and writes down what the model said. It judges nothing: `holm_training.host` does, by
//! the rules that judge every other evaluation. `scripts/held-out` runs both.
//!
//! ```text
//! held_out --base MODEL.gguf [--adapter ADAPTER.gguf] [--no-grammar] [--calibrated] [--believe-none-from MILLI]
//!          [--part NUMBER/OF] [--threads NUMBER] [--unconfined] EPISODES.jsonl REPLIES.jsonl
//! ```
//!
//! Replies that are already in the file are not asked for again, so it can be stopped at any time.

mod ask;
mod episode;
mod record;

use std::{error::Error, fs, path::PathBuf};

use holm_local::{GrammarConstraint, LocalModel, LocalModelSettings, ToolSelection};

use ask::asked;
use episode::Episode;
use record::Record;

/// How many replies lie between two words about progress.
const OFTEN: usize = 25;

#[expect(clippy::print_stderr, reason = "a program for people")]
fn main() -> Result<(), Box<dyn Error>> {
    holm_jail::launch_if_asked();
    holm_local::serve_if_asked();
    let wish = Wish::read(std::env::args().skip(1))?;
    let text = fs::read_to_string(&wish.episodes)?;
    let episodes = text.lines().map(Episode::read).collect::<Result<Vec<_>, _>>()?;
    let mine = || episodes.iter().enumerate().filter(|(number, _)| number % wish.parts == wish.part);
    let all: usize = mine().map(|(_, episode)| episode.due().count()).sum();
    let mut record = Record::open(&wish.replies)?;
    let model = LocalModel::open(wish.settings)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut seen = 0;
    for (number, episode) in mine() {
        let mut line = model.line();
        for turn in episode.due() {
            seen += 1;
            if !record.has(number, turn) {
                let question = episode.question(turn)?;
                let reply = runtime.block_on(asked(&mut line, &question))?;
                record.add(number, turn, &reply)?;
            }
            if seen % OFTEN == 0 || seen == all {
                eprintln!("{}: {seen} of {all}", wish.replies.display());
            }
        }
    }
    Ok(())
}

/// What the command line says.
struct Wish {
    settings: LocalModelSettings,
    episodes: PathBuf,
    replies: PathBuf,
    part: usize,
    parts: usize,
}

impl Wish {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let (mut base, mut files, mut part) = (None, Vec::new(), (0, 1));
        let mut ways: Vec<Box<dyn Fn(LocalModelSettings) -> LocalModelSettings>> = Vec::new();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            match word.as_str() {
                "--base" => base = Some(value()?),
                "--adapter" => {
                    let path = value()?;
                    ways.push(Box::new(move |settings| settings.adapter(&path)));
                }
                "--no-grammar" => ways.push(Box::new(|settings| settings.constraint(GrammarConstraint::Off))),
                "--calibrated" => {
                    ways.push(Box::new(|settings| settings.choosing(ToolSelection::Calibrated)));
                }
                "--believe-none-from" => {
                    let milli: u32 = value()?.parse()?;
                    ways.push(Box::new(move |settings| settings.believe_none_from(milli)));
                }
                "--threads" => {
                    let threads: u32 = value()?.parse()?;
                    ways.push(Box::new(move |settings| settings.threads(threads)));
                }
                // For machines that have neither bubblewrap nor Landlock.
                "--unconfined" => {
                    ways.push(Box::new(|settings| settings.engine(holm_jail::JailEngine::Unconfined)));
                }
                "--part" => part = share(&value()?).ok_or("--part wants two numbers, as in 0/4")?,
                odd if odd.starts_with("--") => return Err(format!("there is no flag {odd}").into()),
                _ => files.push(PathBuf::from(word)),
            }
        }
        let base = base.ok_or("--base wants a GGUF file")?;
        let [episodes, replies] =
            <[PathBuf; 2]>::try_from(files).map_err(|_| "name the file of episodes and that of replies")?;
        let settings = ways.iter().fold(LocalModelSettings::new(base), |settings, way| way(settings));
        Ok(Self { settings, episodes, replies, part: part.0, parts: part.1 })
    }
}

/// Which of how many parts.
fn share(text: &str) -> Option<(usize, usize)> {
    let (part, parts) = text.split_once('/')?;
    let (part, parts) = (part.parse().ok()?, parts.parse().ok()?);
    (part < parts).then_some((part, parts))
}

#[cfg(test)]
mod tests;
