//! `holm tour`: a demonstration of one minute. It says which model it found and shows three things:
//! a look-up through a sandboxed tool, an extraction that cannot invent, and a hostile tool that
//! fails. Each run is then replayed from its journal.
//!
//! Questions that have a default are not asked, and without a terminal no question is asked at all.
//! Everything is real: the tour uses the parts that every run uses, and reports a failure as it is.
//! No money is spent unless the user agreed or a flag names the model.
//!
//! Where things are:
//! - `tour/model_choice.rs`: finds a model. `tour/lookup.rs`, `tour/hostile_tools.rs`: two of the
//!   steps.
//! - `tour/guest.rs`: the WASM tools of the tour. `tour/replay.rs`: records and replays a run.

mod guest;
mod hostile_tools;
mod lookup;
mod model_choice;
mod replay;

use std::{path::Path, sync::Arc, time::Instant};

use holm::store::Store;
use holm_config::{ConfigSettings, SettingValue};

use super::extract;
use crate::{
    exit::{CommandError, CommandExit},
    holm_paths::HolmPaths,
    keyboard::{KeyPress, KeyboardInput},
    model::{ModelOptions, ResolvedModel},
    provider_access::ProviderAccess,
    screen::TerminalOutput,
    settings::FolderSettings,
};

/// What is copied out of what.
const TEXT: &str = "Ann <ann@harbour.example> and Bob (bob@sea.example) meet at noon.";

/// Arguments of `holm tour`.
#[derive(Debug, clap::Args)]
pub(crate) struct TourArgs {
    /// Model, as for `holm run` [default: the best one found; Holm asks before it spends money]
    #[arg(short, long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    ways: ModelOptions,
}

/// One step of the tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TourStep {
    LookUp,
    Extraction,
    Hostile,
}

impl TourStep {
    const ALL: [Self; 3] = [Self::LookUp, Self::Extraction, Self::Hostile];

    const fn key(self) -> char {
        match self {
            Self::LookUp => '1',
            Self::Extraction => '2',
            Self::Hostile => '3',
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::LookUp => "a lookup in this folder, with a sandboxed tool",
            Self::Extraction => "an extraction that can only copy, not invent",
            Self::Hostile => "a hostile tool that tries to read a key, open a connection and run forever",
        }
    }
}

/// What all steps of the tour share.
struct TourContext {
    screen: Arc<TerminalOutput>,
    places: HolmPaths,
    store: Store,
    chosen: ResolvedModel,
}

pub(crate) async fn execute(args: TourArgs, data: Option<&Path>) -> anyhow::Result<CommandExit> {
    let screen = Arc::new(TerminalOutput::default());
    let places = HolmPaths::find(data)?.within(args.ways.bounds());
    screen.answer("A tour in three steps: a model proposes calls, Holm checks them, a journal records them.");
    screen.answer("");
    let model = args.model.map(|model| SettingValue::flag("--model", model));
    let here = FolderSettings::find(&places)?;
    here.check(&places)?;
    let settings = here.settle(ConfigSettings { model, ..ConfigSettings::default() }, &screen);
    let reach = ProviderAccess::here(&settings, &places)?.by(args.ways);
    let chosen = model_choice::choose(settings.model.as_ref(), &reach, &screen).await?;
    let store = places.store().await?;
    let tour = TourContext { screen, places, store, chosen };
    if TerminalOutput::can_ask() {
        tour.guided().await?;
    } else {
        tour.whole().await?;
    }
    tour.next_steps();
    Ok(CommandExit::Done)
}

impl TourContext {
    /// Runs all steps in order, without a terminal.
    async fn whole(&self) -> anyhow::Result<()> {
        for act in TourStep::ALL {
            self.perform(act).await?;
        }
        Ok(())
    }

    /// The acts that a person wants to see, until all were seen or the person leaves.
    async fn guided(&self) -> anyhow::Result<()> {
        let (mut left, mut keyboard) = (TourStep::ALL.to_vec(), KeyboardInput::default());
        while !left.is_empty() {
            self.screen.answer("");
            for act in &left {
                self.screen.answer(&format!("  {}  {}", act.key(), act.title()));
            }
            self.screen.ask("press a number, Enter for the next one, or q to quit: ");
            let act = loop {
                match keyboard.read() {
                    KeyPress::Leave => {
                        self.screen.answer("");
                        return Ok(());
                    }
                    KeyPress::Next => break left.first().copied(),
                    KeyPress::Back | KeyPress::First | KeyPress::Last => {}
                    KeyPress::Char(key) => {
                        if let Some(act) = left.iter().find(|act| act.key() == key) {
                            break Some(*act);
                        }
                    }
                }
            };
            self.screen.answer("");
            let Some(act) = act else { return Ok(()) };
            self.perform(act).await?;
            left.retain(|other| *other != act);
        }
        Ok(())
    }

    async fn perform(&self, act: TourStep) -> anyhow::Result<()> {
        self.screen.answer(&format!("\n{}  {}", act.key(), act.title()));
        match act {
            TourStep::LookUp => lookup::show(self).await,
            TourStep::Extraction => self.extraction().await,
            TourStep::Hostile => hostile_tools::show(self).await,
        }
    }

    async fn extraction(&self) -> anyhow::Result<()> {
        self.tell("text", TEXT);
        self.tell("wanted", "the email addresses");
        let began = Instant::now();
        match extract::ExtractionRequest::new(TEXT, "email")?.copied(&self.chosen).await? {
            Ok(value) => {
                self.tell("answer", &value.canonical());
                let seconds = began.elapsed().as_secs_f32();
                self.tell(
                    "check",
                    &format!("every value occurs in the text, letter by letter ({seconds:.1} s)"),
                );
            }
            // Said as it is: a model may fail, and then no guess takes the place of an answer.
            Err(why) => self.tell("no answer", &why.to_string()),
        }
        Ok(())
    }

    /// One line of an act: who, and what.
    fn tell(&self, who: &str, what: &str) {
        self.screen.answer(&format!("   {who:<10} {}", what.trim_end().replace('\n', "\n              ")));
    }

    fn next_steps(&self) {
        self.screen.answer(
            "\nNext:\n  \
             holm run -p \"How many lines does README.md have?\"\n  \
             holm session list                 what each session did; holm session replay rebuilds one from its journal\n  \
             holm model list                   the models on this machine; holm model pull downloads more\n  \
             holm run --model anthropic/claude-sonnet-4-5 -p \"…\"    with a key in the environment\n  \
             holm --help",
        );
    }
}

/// Says what must not be: something hostile got what it wanted.
fn alarm(what: &str) -> anyhow::Error {
    CommandError::new(CommandExit::Failed, format!("{what}; please report this, it must never happen")).into()
}
