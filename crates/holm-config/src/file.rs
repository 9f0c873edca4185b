//! The content of one settings file, as types. The JSON Schema for editors is generated from the
//! same types, so the two cannot drift apart.
//!
//! It only describes the content: files are parsed in `read.rs`, what a project may set is checked
//! in `settings.rs`, and layers are merged in `layers.rs`. The comments of these types are shown by
//! editors and in the documentation of settings.

use std::{collections::BTreeMap, fmt, ops::Range};

use holm_grants::{Allowance, Mode};
use holm_kernel::NanoUsd;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Deserializer, de};

/// The name under which the schema is published.
pub const SCHEMA_ID: &str = "holm.schema.json";

/// Settings for Holm: how agents run, and what they may do.
///
/// A project's file can only select and narrow. It cannot set `mode`, `providers` or
/// `commands.allow`. Its `grants` and `limits` apply within those of the user's own file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "holm.toml")]
pub struct ConfigFile {
    /// The model, as `provider/model`.
    #[schemars(with = "Option<String>")]
    pub model: Option<LocatedValue<String>>,
    /// The system prompt, in place of Holm's own instructions.
    #[schemars(with = "Option<String>")]
    pub system: Option<LocatedValue<String>>,
    /// Which of Holm's own tools agents can use.
    #[schemars(with = "Option<ToolSet>")]
    pub tools: Option<LocatedValue<ToolSet>>,
    /// Which calls need approval: `plan`, `default`, `accept-edits` or `full`. Not allowed
    /// in a project's file.
    #[schemars(with = "Option<String>")]
    pub mode: Option<LocatedValue<Mode>>,
    /// The grants of agents, such as `read:src/**`.
    #[schemars(with = "Option<Vec<String>>")]
    pub grants: Option<Vec<LocatedValue<String>>>,
    /// Limits of a run or a session.
    pub limits: LimitsSection,
    /// Stronger models that take over if the first one does not succeed.
    pub ladder: LadderSection,
    /// Which commands run without asking, and which never run.
    pub commands: CommandsSection,
    /// Providers by name. Not allowed in a project's file.
    pub providers: BTreeMap<String, ProviderSection>,
    /// Prompts that can be called by a name.
    #[schemars(with = "BTreeMap<String, PromptAlias>")]
    pub aliases: BTreeMap<String, LocatedValue<PromptAlias>>,
}

/// Limits of a run or a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsSection {
    /// Maximum number of model turns per prompt.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub turns: Option<LocatedValue<TurnCount>>,
    /// Maximum cost of a session, such as "0.50usd".
    #[schemars(with = "Option<String>")]
    pub budget: Option<LocatedValue<UsdAmount>>,
}

/// Stronger models that take over if the first one does not succeed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LadderSection {
    /// Stronger models as `provider/model`, weakest first.
    #[schemars(with = "Option<Vec<String>>")]
    pub step_up: Option<LocatedValue<Vec<String>>>,
    /// The kind of task; the ledger of models counts each kind on its own.
    #[schemars(with = "Option<String>")]
    pub kind: Option<LocatedValue<String>>,
}

/// Rules for commands. Each is the beginning of a command, such as `git status`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandsSection {
    /// Commands that run without asking. Not allowed in a project's file.
    #[schemars(with = "Option<Vec<String>>")]
    pub allow: Option<Vec<LocatedValue<String>>>,
    /// Commands that never run, regardless of grants.
    #[schemars(with = "Option<Vec<String>>")]
    pub deny: Option<Vec<LocatedValue<String>>>,
}

/// The address, key and models of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderSection {
    /// The base URL, such as `https://host/v1`. Providers that Holm does not know use the
    /// chat format of `OpenAI`.
    #[schemars(with = "Option<String>")]
    pub base_url: Option<LocatedValue<String>>,
    /// The environment variable that holds its key.
    #[schemars(with = "Option<String>")]
    pub key_env: Option<LocatedValue<String>>,
    /// How its models call tools: with native calls, or with JSON in their text. If not set, Holm
    /// uses text only for models whose provider reports that they have no tool calls.
    #[schemars(with = "Option<ToolProtocol>")]
    pub tools: Option<LocatedValue<ToolProtocol>>,
    /// The context window of its models, in tokens.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub context: Option<LocatedValue<TokenCount>>,
    /// Maximum number of tokens in one reply.
    #[schemars(with = "Option<u64>", range(min = 1))]
    pub max_output: Option<LocatedValue<TokenCount>>,
    /// The price of a million input tokens, such as "0.25usd".
    #[schemars(with = "Option<String>")]
    pub input_price: Option<LocatedValue<UsdAmount>>,
    /// The price of a million output tokens, such as "2usd".
    #[schemars(with = "Option<String>")]
    pub output_price: Option<LocatedValue<UsdAmount>>,
}

/// How models call tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolProtocol {
    /// With the provider's native tool calls.
    Native,
    /// With JSON in their text, for models without native tool calls.
    Text,
}

impl ToolProtocol {
    /// The name of the protocol.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Text => "text",
        }
    }
}

/// A number of tokens, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCount(pub u64);

impl<'de> Deserialize<'de> for TokenCount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let tokens = i64::deserialize(from)?;
        let tokens = u64::try_from(tokens).ok().filter(|tokens| *tokens > 0);
        tokens
            .map(Self)
            .ok_or_else(|| de::Error::custom("this is not a number of tokens; write it like 32768"))
    }
}

/// A prompt template with a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromptAlias {
    /// Its purpose, shown in lists.
    pub description: String,
    /// The text. `{{content}}` stands for the prompt, and `{{name}}` for a variable.
    pub template: String,
}

/// Which of Holm's own tools agents can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolSet {
    /// Native tools, and WASM tools with no native tool of the same name.
    All,
    /// Only tools that are compiled into Holm.
    Native,
    /// Only tools that run in the WASM sandbox.
    Wasm,
    /// A few simple read-only tools, for small models.
    Few,
}

impl ToolSet {
    /// The name of the set.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Native => "native",
            Self::Wasm => "wasm",
            Self::Few => "few",
        }
    }

    /// The set of a name.
    pub(crate) fn of(word: &str) -> Option<Self> {
        [Self::All, Self::Native, Self::Wasm, Self::Few].into_iter().find(|set| set.as_str() == word)
    }
}

/// A number of model turns, at least one: without a turn no model is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnCount(pub u64);

impl<'de> Deserialize<'de> for TurnCount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_i64(TurnCountVisitor)
    }
}

/// Explains the expected number of turns when the file holds something else.
struct TurnCountVisitor;

impl de::Visitor<'_> for TurnCountVisitor {
    type Value = TurnCount;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a whole number of turns")
    }

    fn visit_i64<E: de::Error>(self, turns: i64) -> Result<TurnCount, E> {
        self.visit_u64(u64::try_from(turns).unwrap_or_default())
    }

    fn visit_u64<E: de::Error>(self, turns: u64) -> Result<TurnCount, E> {
        match turns {
            0 => Err(E::custom("a run needs at least one turn")),
            turns => Ok(TurnCount(turns)),
        }
    }
}

/// An amount of money, written like `0.50usd`, `0.50` or `$0.50`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsdAmount(pub NanoUsd);

impl UsdAmount {
    /// Parses an amount such as `0.50usd`.
    ///
    /// # Errors
    /// A message that shows how to write an amount.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = text.trim().trim_start_matches('$');
        let number = number.strip_suffix("usd").unwrap_or(number).trim();
        let spend: Result<Allowance, _> = format!("spend:{number}usd").parse();
        let wrong = |_| format!("`{text}` is not an amount in US dollars; write it like \"0.50usd\"");
        spend.map(|spend| Self(NanoUsd::new(spend.amount))).map_err(wrong)
    }
}

impl<'de> Deserialize<'de> for UsdAmount {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

/// A value and its byte range in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedValue<T> {
    pub span: Range<usize>,
    pub value: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for LocatedValue<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<T>::deserialize(from)?;
        Ok(Self { span: spanned.span(), value: spanned.into_inner() })
    }
}

/// The JSON Schema (2020-12) of a file, for editors.
#[must_use]
pub fn schema() -> serde_json::Value {
    let made = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<ConfigFile>();
    let mut schema = made.to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$id".into(), SCHEMA_ID.into());
    }
    schema
}

impl fmt::Display for ToolSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
