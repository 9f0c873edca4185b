//! The flags of a prompt. Each kind has its own list, so their order comes from their positions on
//! the command line. It reads no file and runs nothing; `prompt.rs` does that later. A new kind of
//! part needs a flag here and a variant of `PromptPart`.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::{PromptPart, PromptParts, media::PromptAttachment};

/// How often `--sep4` and `--sep40` say what they are given.
const SEPARATORS: [(&str, usize); 2] = [("sep4", 4), ("sep40", 40)];

/// The flags that make up a prompt.
#[derive(Debug, Args)]
struct PromptFlags {
    /// Prompt text; `-` reads standard input
    ///
    /// The flags -p, -f, --shell, -s, -S and --media can be repeated; their parts are joined in
    /// order. [default for `holm run`: standard input]
    #[arg(short, long, value_name = "TEXT")]
    prompt: Vec<String>,
    /// Add the text of a file to the prompt; `-` is standard input
    #[arg(short, long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Add the output of a command to the prompt. The command runs with your rights, without a jail
    #[arg(long, value_name = "COMMAND", hide_short_help = true)]
    shell: Vec<String>,
    /// Add a separator line: this text four times
    #[arg(short = 's', long, value_name = "TEXT", hide_short_help = true)]
    sep4: Vec<String>,
    /// Add a separator line: this text forty times
    #[arg(short = 'S', long, value_name = "TEXT", hide_short_help = true)]
    sep40: Vec<String>,
    /// Add an image, audio or PDF file to the prompt; its type is detected, or given as TYPE;FILE
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    media: Vec<PromptAttachment>,
}

impl Args for PromptParts {
    fn augment_args(command: Command) -> Command {
        PromptFlags::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        PromptFlags::augment_args_for_update(command)
    }
}

impl FromArgMatches for PromptParts {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let PromptFlags { prompt, file, shell, sep4, sep40, media } = PromptFlags::from_arg_matches(matches)?;
        let mut placed: Vec<(usize, PromptPart)> = Vec::new();
        let mut place = |flag: &str, parts: Vec<PromptPart>| {
            placed.extend(matches.indices_of(flag).into_iter().flatten().zip(parts));
        };
        let text = |text: String| if text == "-" { PromptPart::Stdin } else { PromptPart::Text(text) };
        place("prompt", prompt.into_iter().map(text).collect());
        let file_part =
            |path: PathBuf| if path.as_os_str() == "-" { PromptPart::Stdin } else { PromptPart::File(path) };
        place("file", file.into_iter().map(file_part).collect());
        place("shell", shell.into_iter().map(PromptPart::Shell).collect());
        for ((flag, times), texts) in SEPARATORS.into_iter().zip([sep4, sep40]) {
            place(flag, texts.into_iter().map(|text| PromptPart::Text(text.repeat(times))).collect());
        }
        place("media", media.into_iter().map(PromptPart::Media).collect());
        placed.sort_by_key(|(place, _)| *place);
        Ok(Self(placed.into_iter().map(|(_, part)| part).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
