//! Settings for agents, merged from several files, the environment and flags. Each value keeps the
//! line that it comes from.
//!
//! This crate executes nothing, opens no connection and asks no questions. It reads files only when
//! the caller says so, and the caller passes the environment as a function. A project's file may be
//! written by a stranger: it applies only after a person has trusted it. Even then it can choose
//! and narrow settings, never widen them.
//!
//! - [`ConfigFiles`]: the settings files that exist.
//! - [`ConfigFile`]: the content of one file; [`schema`] is its JSON Schema for editors.
//! - [`agents_exe`]: projects of agents-exe.
//! - [`import`]: settings of other programs, converted to Holm's formats.
//! - [`KeyFile`] and [`SystemKeyring`]: provider keys.
//! - [`skills`] and [`guides`]: files with instructions for agents.
//! - [`TextTemplate`]: prompts with placeholders for variables.
//! - [`ConfigLayers`]: all layers, which merge into [`ConfigSettings`].
//!
//! ```
//! use holm_config::{ConfigLayer, ConfigLayers, ConfigSettings};
//!
//! let user = ConfigSettings::read(
//!     "model = \"openai/gpt-5-mini\"\n",
//!     "/home/me/.config/holm/holm.toml".as_ref(),
//!     ConfigLayer::User,
//! )?;
//! let project = ConfigSettings::read(
//!     "\nmodel = \"local/smollm2\"\n",
//!     "/work/holm.toml".as_ref(),
//!     ConfigLayer::Project,
//! )?;
//! let settings = ConfigLayers { user, project, ..ConfigLayers::default() }
//!     .settle(ConfigSettings::default());
//! let model = settings.model.unwrap();
//! assert_eq!(model.value, "local/smollm2");
//! assert_eq!(model.origin.to_string(), "/work/holm.toml:2");
//! # Ok::<(), holm_config::ConfigError>(())
//! ```
//!
//! Where things are: `find.rs` (files), `file.rs` (their content as types), `read.rs` (the parser),
//! `settings.rs` (one layer), `layers.rs` (all layers), `origin.rs` (lines), `environment.rs`
//! (variables), `error.rs`, `plain_files.rs`, `keys.rs`, `keyring.rs`, `guide.rs`, `template.rs`,
//! and the folders `skills/`, `import/` and `agents_exe/`.

pub mod agents_exe;
mod environment;
mod error;
mod file;
mod find;
mod guide;
pub mod import;
mod keyring;
mod keys;
mod layers;
mod origin;
mod plain_files;
mod read;
mod settings;
pub mod skills;
mod template;

pub use environment::VARIABLES;
pub use error::{ConfigError, ConfigProblem};
pub use file::{
    CommandsSection, ConfigFile, LadderSection, LimitsSection, LocatedValue, PromptAlias, ProviderSection,
    SCHEMA_ID, TokenCount, ToolProtocol, ToolSet, TurnCount, UsdAmount, schema,
};
pub use find::{ConfigFiles, ExplicitPath, POLICY, PROJECT_FILE};
pub use guide::{guides, own_guidance, own_guide};
pub use keyring::{KeyringError, SystemKeyring};
pub use keys::KeyFile;
pub use layers::{ConfigLayers, LoadedLayers};
pub use origin::{ConfigLayer, SettingOrigin, SettingValue};
pub use plain_files::{read_plain, read_plain_text, read_plain_within};
pub use read::MOST_FILE_BYTES;
pub use settings::{ConfigSettings, ProviderSettings, SettingRow};
pub use template::{TextTemplate, TextTemplatePiece};
