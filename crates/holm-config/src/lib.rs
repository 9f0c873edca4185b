//! What a person has written down about how agents run, from wherever it was written, each value with the line that it comes
//! from.
//!
//! Nothing here runs, connects or asks. Files are read where a caller says so, and the environment is a function that is
//! passed. A project's file is somebody else's: it counts only after a person has looked at it, and even then it can choose
//! and narrow, and never widen.
//!
//! - [`Found`]: which files there are.
//! - [`File`]: what one of them says; [`schema`] is the same for editors.
//! - [`exe`]: projects of agents-exe.
//! - [`import`]: what other programs have written down, in Holm's forms.
//! - [`KeyFile`] and [`Keyring`]: keys of providers; [`skills`] and [`guides`]: what agents are told by files.
//! - [`Template`]: prompts with places for variables.
//! - [`Layers`]: all of them, and what is left when the later ones have spoken ([`Settings`]).
//!
//! ```
//! use holm_config::{Layer, Layers, Settings};
//!
//! let user = Settings::read("model = \"openai/gpt-5-mini\"\n", "/home/me/.config/holm/holm.toml".as_ref(), Layer::User)?;
//! let project = Settings::read("\nmodel = \"local/smollm2\"\n", "/work/holm.toml".as_ref(), Layer::Project)?;
//! let settings = Layers { user, project, ..Layers::default() }.settle(Settings::default());
//! let model = settings.model.unwrap();
//! assert_eq!(model.value, "local/smollm2");
//! assert_eq!(model.origin.to_string(), "/work/holm.toml:2");
//! # Ok::<(), holm_config::ConfigError>(())
//! ```

mod environment;
mod error;
pub mod exe;
mod file;
mod find;
mod guide;
pub mod import;
mod keyring;
mod keys;
mod layers;
mod origin;
mod plain;
mod read;
mod settings;
pub mod skills;
mod template;

pub use environment::VARIABLES;
pub use error::{ConfigError, ConfigProblem};
pub use file::{
    Alias, Commands, File, Ladder, Limits, Located, Provider, SCHEMA_ID, Tokens, ToolProtocol, ToolSet,
    Turns, Usd, schema,
};
pub use find::{Found, Named, POLICY, PROJECT_FILE};
pub use guide::{guides, own_guidance, own_guide};
pub use keyring::{Keyring, KeyringError};
pub use keys::KeyFile;
pub use layers::{Layers, Loaded};
pub use origin::{Layer, Origin, Value};
pub use plain::{read_plain, read_plain_text, read_plain_within};
pub use read::MOST_FILE_BYTES;
pub use settings::{ProviderSettings, Row, Settings};
pub use template::{Piece, Template};
