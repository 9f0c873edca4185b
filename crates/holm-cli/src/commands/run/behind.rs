//! Parses the flags of a run after `--`, for commands that start runs for others.

use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::Args;
use crate::exit::{Exit, Trouble};

/// The options of a run, read as `holm run` reads them.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Options {
    #[command(flatten)]
    run: Args,
}

impl Args {
    /// What stands behind the `--` of a command, which is named as a person types it.
    ///
    /// # Errors
    /// The first word that is no option of a run.
    pub(crate) fn behind<'a>(
        command: &'static str,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Trouble> {
        let read = Options::command().name(command).try_get_matches_from(words);
        let options = read.and_then(|found| Options::from_arg_matches(&found)).map_err(|error| {
            let said = error.to_string();
            // The code that shows it adds the word "error".
            Trouble::new(Exit::Usage, said.strip_prefix("error: ").unwrap_or(&said).trim_end())
        })?;
        Ok(options.run)
    }
}
