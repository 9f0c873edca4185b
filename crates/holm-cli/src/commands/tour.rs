//! `holm tour`: a demonstration of one minute. It says which model it found and shows three things:
//! a look-up through a sandboxed tool, an extraction that cannot invent, and a hostile tool that
//! fails. Each run is then replayed from its journal.
//!
//! Questions that have a default are not asked, and without a terminal no question is asked at all.

mod found;
mod guest;
mod hostile;
mod lookup;
mod replay;

use std::{path::Path, sync::Arc, time::Instant};

use holm::store::Store;
use holm_config::{Settings, Value};

use super::extract;
use crate::{
    exit::{Exit, Trouble},
    keyboard::{Key, Keyboard},
    model::{Chosen, Ways},
    places::Places,
    reach::Reach,
    screen::Screen,
    settings::Here,
};

/// What is copied out of what.
const TEXT: &str = "Ann <ann@harbour.example> and Bob (bob@sea.example) meet at noon.";

/// Arguments of `holm tour`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Model, as for `holm run` [default: the best one found; Holm asks before it spends money]
    #[arg(short, long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    ways: Ways,
}

/// One step of the tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    LookUp,
    Extraction,
    Hostile,
}

impl Act {
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
            Self::LookUp => "a look-up in this folder, through a sandboxed tool",
            Self::Extraction => "an extraction that can copy and cannot invent",
            Self::Hostile => "a hostile tool that tries to read a key, open a connection and run forever",
        }
    }
}

/// What all steps of the tour share.
struct Tour {
    screen: Arc<Screen>,
    places: Places,
    store: Store,
    chosen: Chosen,
}

pub(crate) async fn execute(args: Args, data: Option<&Path>) -> anyhow::Result<Exit> {
    let screen = Arc::new(Screen::default());
    let places = Places::find(data)?.within(args.ways.bounds());
    screen.answer("Holm: the model proposes, the kernel decides, the host acts, the journal remembers.");
    screen.answer("");
    let model = args.model.map(|model| Value::flag("--model", model));
    let here = Here::find(&places)?;
    here.check(&places)?;
    let settings = here.settle(Settings { model, ..Settings::default() }, &screen);
    let reach = Reach::here(&settings, &places)?.by(args.ways);
    let chosen = found::choose(settings.model.as_ref(), &reach, &screen).await?;
    let store = places.store().await?;
    let tour = Tour { screen, places, store, chosen };
    if Screen::can_ask() {
        tour.guided().await?;
    } else {
        tour.whole().await?;
    }
    tour.next_steps();
    Ok(Exit::Done)
}

impl Tour {
    /// Runs all steps in order, without a terminal.
    async fn whole(&self) -> anyhow::Result<()> {
        for act in Act::ALL {
            self.perform(act).await?;
        }
        Ok(())
    }

    /// The acts that a person wants to see, until all were seen or the person leaves.
    async fn guided(&self) -> anyhow::Result<()> {
        let (mut left, mut keyboard) = (Act::ALL.to_vec(), Keyboard::default());
        while !left.is_empty() {
            self.screen.answer("");
            for act in &left {
                self.screen.answer(&format!("  {}  {}", act.key(), act.title()));
            }
            self.screen.ask("press a number, Enter for the next one, or q to quit: ");
            let act = loop {
                match keyboard.read() {
                    Key::Leave => {
                        self.screen.answer("");
                        return Ok(());
                    }
                    Key::Next => break left.first().copied(),
                    Key::Back | Key::First | Key::Last => {}
                    Key::Char(key) => {
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

    async fn perform(&self, act: Act) -> anyhow::Result<()> {
        self.screen.answer(&format!("\n{}  {}", act.key(), act.title()));
        match act {
            Act::LookUp => lookup::show(self).await,
            Act::Extraction => self.extraction().await,
            Act::Hostile => hostile::show(self).await,
        }
    }

    async fn extraction(&self) -> anyhow::Result<()> {
        self.tell("text", TEXT);
        self.tell("wanted", "the e-mail addresses");
        let began = Instant::now();
        match extract::Wish::new(TEXT, "email")?.copied(&self.chosen).await? {
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
             holm run -p \"How many lines does README.md have?\" --grant 'read:**'\n  \
             holm session list                 what was done, and holm session replay does it again from the journal\n  \
             holm model list                   the models on this machine; holm model pull gets a better one\n  \
             holm run --model anthropic/claude-sonnet-4-5 -p \"…\"    with a key in the environment\n  \
             holm --help",
        );
    }
}

/// Says what must not be: something hostile got what it wanted.
fn alarm(what: &str) -> anyhow::Error {
    Trouble::new(Exit::Failed, format!("{what}; please report this, it must never happen")).into()
}
