//! The options of `holm eval run` that attempts with a model pass on to `holm run` and `holm extract`.

use clap::ValueEnum as _;

use crate::{
    exit::{CommandError, CommandExit},
    model::ModelOptions,
    tools::BuiltinToolSet,
};

/// How the model of an attempt runs.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct EvalModelOptions {
    #[command(flatten)]
    ways: ModelOptions,
    /// Which of Holm's own tools the model has, as for `holm run`
    #[arg(long, value_name = "SET")]
    tools: Option<BuiltinToolSet>,
}

impl EvalModelOptions {
    /// The words for the commands: those that every command with a model knows, and those of
    /// `holm run` alone.
    ///
    /// # Errors
    /// If there are some and no model.
    pub(super) fn words(self, has_model: bool) -> Result<(Vec<String>, Vec<String>), CommandError> {
        let ways: Vec<String> = self.ways.words().into_iter().map(ToOwned::to_owned).collect();
        let set = self.tools.and_then(|tools| tools.to_possible_value());
        let run: Vec<String> = set.map(|set| format!("--tools={}", set.get_name())).into_iter().collect();
        if let (false, Some(word)) = (has_model, ways.iter().chain(&run).next()) {
            let word = word.split('=').next().unwrap_or_default();
            let message = format!("{word} has no meaning without a model");
            return Err(CommandError::new(CommandExit::Usage, message).hint("choose one with --model"));
        }
        Ok((ways, run))
    }
}
