//! Local models: the folder of their files, their names, and the default model. It only finds files
//! and opens them as models; inference is in `holm-local`, downloads are in
//! `commands/model/pull.rs`, and `model.rs` chooses between local models and providers. Nothing
//! starts before the first call.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use holm_local::{
    GgufHead, GgufKind, GrammarConstraint, LocalError, LocalModel, LocalModelSettings, ToolSelection,
};

use crate::screen::DisplayablePath as _;
use crate::{
    exit::{CommandError, CommandExit},
    model::{ModelOptions, ResolvedModel},
    provider_access::ProviderAccess,
    tools::BuiltinToolSet,
};

/// What all their names begin with.
const PREFIX: &str = "local/";
/// The small model that set-up brings, with the adapter that teaches it to choose tools.
pub(crate) const DEFAULT: &str = "local/smollm2";
/// The same without the adapter.
pub(crate) const BARE: &str = "local/smollm2-base";
const FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
const ADAPTER: &str = "holm-tools-smollm2-135m.gguf";
/// Models with fewer parameters get a few plain tools: with the whole catalogue, the small default
/// model chooses the right one less often (docs/local.md has the figures).
const SMALL: u64 = 1_000_000_000;
/// Note for a run without a chosen model.
pub(crate) const NOTE: &str = "no model is configured, so Holm uses the small local one; it suits short lookups with \
                               one tool and knows few facts. Choose a better one with --model or HOLM_MODEL";

/// Whether a name means a model on this machine.
pub(crate) fn is_local(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// Whether the small default model is there.
pub(crate) fn is_there(env: &impl Fn(&str) -> Option<String>) -> bool {
    folder(env).is_some_and(|folder| folder.join(FILE).is_file())
}

/// Where model files are kept: `HOLM_MODELS`, or the XDG place for what can be fetched again.
pub(crate) fn folder(env: &impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let env = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = env("HOLM_MODELS") {
        return Some(folder);
    }
    let cache = env("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
    let cache = cache.or_else(|| env("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("holm/models"))
}

/// A model file in the models folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalModelFile {
    /// The name of the model.
    pub(crate) name: String,
    /// Its header, or why it cannot be used.
    pub(crate) head: Result<GgufHead, String>,
}

/// The files of the folder, in the order of their names.
pub(crate) fn list(folder: &Path) -> Vec<LocalModelFile> {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "gguf"));
    let mut found: Vec<LocalModelFile> = files
        .map(|path| LocalModelFile {
            name: name_of(&path),
            head: GgufHead::open(&path).map_err(|error| error.to_string()),
        })
        .collect();
    // One file, two models: with the adapter and without.
    let bare = found.iter().find(|found| found.name == DEFAULT).cloned();
    found.extend(bare.map(|found| LocalModelFile { name: BARE.into(), ..found }));
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// What a file is called.
pub(crate) fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if stem == FILE.trim_end_matches(".gguf") { DEFAULT.into() } else { format!("{PREFIX}{stem}") }
}

/// The files of a model name: the model, and perhaps its adapter. A name with a slash after the
/// prefix, or with the file ending of the format, is a path.
pub(crate) fn files(
    name: &str,
    env: &impl Fn(&str) -> Option<String>,
) -> Result<(PathBuf, Option<PathBuf>), CommandError> {
    let short = name.strip_prefix(PREFIX).unwrap_or(name);
    if short.trim_matches('.').is_empty() {
        let hint = "`holm model list` shows the local models; local/PATH names a file of yours";
        return Err(CommandError::new(CommandExit::Usage, format!("unknown model `{name}`")).hint(hint));
    }
    if short.contains('/') || Path::new(short).extension().is_some_and(|end| end == "gguf") {
        return Ok((PathBuf::from(short), None));
    }
    let Some(folder) = folder(env) else {
        let hint = "set HOLM_MODELS to a folder";
        return Err(CommandError::new(CommandExit::Usage, "no folder for models: HOME is not set").hint(hint));
    };
    let file = if matches!(name, DEFAULT | BARE) { FILE.to_owned() } else { format!("{short}.gguf") };
    let path = folder.join(file);
    if !path.is_file() {
        let message = format!("model {name} is not on this machine: {} is missing", path.shown());
        let trouble = CommandError::new(CommandExit::Missing, message);
        return Err(trouble.hint(
            "`holm model list` shows the local models; `holm model pull smollm2` downloads the \
             small one, and `scripts/setup model` of the sources also installs its adapter",
        ));
    }
    let adapter = Some(folder.join(ADAPTER)).filter(|path| name == DEFAULT && path.is_file());
    Ok((path, adapter))
}

/// What a name means, ready to run.
pub(crate) fn settings(
    name: &str,
    env: &impl Fn(&str) -> Option<String>,
) -> Result<LocalModelSettings, CommandError> {
    let (path, adapter) = files(name, env)?;
    let settings = LocalModelSettings::new(path);
    Ok(match adapter {
        Some(adapter) => settings.adapter(adapter),
        None => settings,
    })
}

/// Opens a model by its name. Nothing starts before the first call.
pub(crate) fn open(
    name: &str,
    ways: ModelOptions,
    env: &impl Fn(&str) -> Option<String>,
    note: Option<&'static str>,
) -> Result<ResolvedModel, CommandError> {
    let name = if ways.no_adapter && name == DEFAULT { BARE } else { name };
    let constraint = if ways.no_grammar { GrammarConstraint::Off } else { GrammarConstraint::Grammar };
    let choosing = if ways.calibrated { ToolSelection::Calibrated } else { ToolSelection::Likeliest };
    let settings = settings(name, env)?.constraint(constraint).choosing(choosing);
    let local = LocalModel::open(settings).map_err(|error| refused(&error))?;
    let fits = if local.head().parameters < SMALL { BuiltinToolSet::Few } else { BuiltinToolSet::All };
    let (card, reach) = (local.card(name), ProviderAccess::default());
    Ok(ResolvedModel { card, client: Arc::new(local), reach, note, fits })
}

/// An error in the command's words.
pub(crate) fn refused(error: &LocalError) -> CommandError {
    let exit = match error {
        LocalError::File { .. } | LocalError::OtherBase { .. } => CommandExit::Missing,
        LocalError::Processor(_) | LocalError::Jail(_) | LocalError::Refused(_) | LocalError::Crashed(_) => {
            CommandExit::Failed
        }
    };
    CommandError::new(exit, error.to_string())
}

/// What a program reads of a file.
pub(crate) fn record(found: &LocalModelFile) -> serde_json::Value {
    match &found.head {
        Err(why) => serde_json::json!({ "name": found.name, "problem": why }),
        Ok(head) => serde_json::json!({
            "name": found.name,
            "kind": match head.kind {
                GgufKind::Model => "model",
                GgufKind::Adapter => "adapter",
            },
            "parameters": head.parameters,
            "bytes": head.size,
            "context": head.context,
            "licence": head.licence,
        }),
    }
}

/// One line on a file, for a person.
pub(crate) fn describe(found: &LocalModelFile) -> String {
    match &found.head {
        Err(why) => format!("{}  cannot be used: {why}", found.name),
        Ok(head) => {
            let kind = match head.kind {
                GgufKind::Model => "model",
                GgufKind::Adapter => "adapter",
            };
            let context =
                head.context.map_or_else(String::new, |context| format!(", {context} tokens of context"));
            let licence = if head.licence.is_empty() { "licence not given" } else { head.licence.as_str() };
            let (millions, size) = (head.parameters / 1_000_000, head.size >> 20);
            format!(
                "{}  {kind} {}, {millions} million parameters, {size} MiB{context}, {licence}",
                found.name,
                holm::kernel::visible(&head.name),
            )
        }
    }
}

#[cfg(test)]
mod tests;
