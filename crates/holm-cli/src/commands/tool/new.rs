//! `holm tool new`: creates a tool that builds, from a template. The templates are files in
//! `templates/` of this crate. It builds and trusts nothing, never writes into an existing folder,
//! and the name must be valid for a file, a crate and a tool.

use std::{fs, path::PathBuf, sync::Arc};

use clap::ValueEnum;

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    screen::TerminalOutput,
};

/// Arguments of `holm tool new`.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolNewArgs {
    /// Tool name
    name: String,
    /// Programming language
    #[arg(long, value_enum)]
    lang: TemplateLanguage,
    /// Folder to create the new folder in [default: the current folder]
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
}

/// Languages with a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TemplateLanguage {
    /// For cargo and the target wasm32-wasip1
    Rust,
    /// For clang and a C library for WASI
    C,
    /// For componentize-js, installed with npm
    Js,
    /// For componentize-py
    Python,
    /// No template; only a README with instructions
    Go,
}

/// A template file: its name and its text, both with `NAME` in place of the tool's name.
type TemplateFile = (&'static str, &'static str);

impl TemplateLanguage {
    fn files(self) -> &'static [TemplateFile] {
        match self {
            Self::Rust => &[
                ("Cargo.toml", include_str!("../../../templates/rust/Cargo.toml.txt")),
                ("src/main.rs", include_str!("../../../templates/rust/main.rs.txt")),
                ("README.md", include_str!("../../../templates/rust/README.md")),
            ],
            Self::C => &[
                ("NAME.c", include_str!("../../../templates/c/tool.c")),
                ("Makefile", include_str!("../../../templates/c/Makefile")),
                ("README.md", include_str!("../../../templates/c/README.md")),
            ],
            Self::Js => &[
                ("NAME.js", include_str!("../../../templates/js/tool.js")),
                ("package.json", include_str!("../../../templates/js/package.json")),
                ("build.mjs", include_str!("../../../templates/js/build.mjs")),
                ("wit/tool.wit", holm_sandbox::WIT),
                ("README.md", include_str!("../../../templates/js/README.md")),
            ],
            Self::Python => &[
                ("app.py", include_str!("../../../templates/python/app.py")),
                ("Makefile", include_str!("../../../templates/python/Makefile")),
                ("wit/tool.wit", holm_sandbox::WIT),
                ("README.md", include_str!("../../../templates/python/README.md")),
            ],
            Self::Go => &[("README.md", include_str!("../../../templates/go/README.md"))],
        }
    }

    /// What to type next.
    fn build(self) -> &'static str {
        match self {
            Self::Rust => "cargo build --release --target wasm32-wasip1",
            Self::C | Self::Python => "make",
            Self::Js => "npm install && npm run build",
            Self::Go => "read README.md",
        }
    }
}

/// The longest name: it becomes a file's, a crate's and a tool's.
const LONGEST: usize = 40;

pub(super) fn execute(args: &ToolNewArgs, screen: &Arc<TerminalOutput>) -> anyhow::Result<CommandExit> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let begins = args.name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || !args.name.chars().all(fits) || args.name.len() > LONGEST {
        let message = format!("`{}` is not a valid tool name", args.name.escape_debug());
        let hint = "use lower-case letters, digits, - and _, at most 40, and start with a letter";
        return Err(CommandError::new(CommandExit::Usage, message).hint(hint).into());
    }
    let folder = args.into.clone().unwrap_or_default().join(&args.name);
    if folder.exists() {
        let message = format!("{} already exists", folder.shown());
        return Err(CommandError::new(CommandExit::Usage, message)
            .hint("choose another name, or another place with --into")
            .into());
    }
    for (name, text) in args.lang.files() {
        let path = folder.join(name.replace("NAME", &args.name));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, text.replace("NAME", &args.name))?;
    }
    screen.answer(&format!(
        "created {}; next: cd {} && {}",
        folder.shown(),
        folder.shown(),
        args.lang.build()
    ));
    Ok(CommandExit::Done)
}
