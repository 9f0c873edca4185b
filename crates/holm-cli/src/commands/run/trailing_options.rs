//! Parses the flags of a run after `--`, for commands that start runs for others.

use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use super::RunArgs;
use crate::exit::{CommandError, CommandExit};

/// The options of a run, read as `holm run` reads them.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct TrailingRunOptions {
    #[command(flatten)]
    run: RunArgs,
}

impl RunArgs {
    /// What stands behind the `--` of a command, which is named as a person types it.
    ///
    /// # Errors
    /// The first word that is no option of a run.
    pub(crate) fn behind<'a>(
        command: &'static str,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, CommandError> {
        let read = TrailingRunOptions::command().name(command).try_get_matches_from(words);
        let options =
            read.and_then(|found| TrailingRunOptions::from_arg_matches(&found)).map_err(|error| {
                let said = error.to_string();
                // The code that shows it adds the word "error".
                CommandError::new(
                    CommandExit::Usage,
                    said.strip_prefix("error: ").unwrap_or(&said).trim_end(),
                )
            })?;
        Ok(options.run)
    }
}
