//! Reads a case from its folder: the prompts, what the agent may do, the checks and the ceilings.
//! It runs nothing. A mistake in a file is an error that names the file, never a case that passes.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    CaseCheck, CaseExtraction, CaseRecording, EvalError, TextPattern, case_list, check::CheckText, workspace,
};

/// The file that makes a folder a case.
pub(crate) const CASE_FILE: &str = "case.toml";
/// The workspace of a case, in its folder.
pub(crate) const WORKSPACE: &str = "workspace";
/// How many files may extend each other; more are a mistake.
const MAX_EXTENDED: usize = 8;
/// How deep cases are searched for below a folder.
const MAX_DEPTH: usize = 6;
/// The largest file that describes a case, in bytes.
const MAX_TEXT_BYTES: u64 = 16 << 20;
/// The most patterns of `varies`.
const MAX_PATTERNS: usize = 16;
/// The time limit of a case that names none, in seconds.
const DEFAULT_SECONDS: u64 = 600;

/// One case: a task, a workspace, and what must be true afterwards.
#[derive(Debug, Clone, PartialEq)]
pub struct EvalCase {
    /// Its name: the path of its folder below the folder that was searched, or the folder's own name.
    pub name: String,
    pub folder: PathBuf,
    /// The prompts, in order. There is at least one.
    pub prompts: Vec<String>,
    /// The agent; the default one if it is `None`.
    pub agent: Option<String>,
    pub trust: TrustLevelName,
    pub grants: Vec<String>,
    pub mode: Option<String>,
    /// The budget of an attempt in US dollars.
    pub budget: Option<f64>,
    /// The maximum number of turns for each prompt.
    pub turns: Option<u64>,
    /// The time limit for each prompt, in seconds.
    pub seconds: u64,
    /// A command that prepares the workspace, in the jail.
    pub setup: Option<String>,
    pub checks: Vec<CaseCheck>,
    pub limits: CaseLimits,
    /// What may differ in results from one replay to the next, besides durations, times and hashes.
    pub varies: Vec<TextPattern>,
    /// A text to copy values out of, in place of a prompt.
    pub extraction: Option<CaseExtraction>,
    /// Whether the case has no replies of its own, so that only a model can answer it.
    pub needs_model: bool,
    /// Identifies the content of the case: its folder, the files that it extends, and those of its
    /// checks.
    pub digest: String,
}

/// What the agent may do in the workspace without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustLevelName {
    Ask,
    #[default]
    Look,
    Edit,
    Jail,
}

impl TrustLevelName {
    /// The value of `--trust`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Look => "look",
            Self::Edit => "edit",
            Self::Jail => "jail",
        }
    }
}

/// Ceilings: an attempt that needs more fails.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseLimits {
    pub turns: Option<u64>,
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    pub seconds: Option<f64>,
    /// The cost of an attempt in US dollars.
    pub cost: Option<f64>,
}

/// The form of `case.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaseText {
    /// A file whose values hold where this one has none. Its checks come first.
    extends: Option<PathBuf>,
    prompt: Option<String>,
    prompts: Option<Vec<String>>,
    extract: Option<CaseExtraction>,
    agent: Option<String>,
    trust: Option<TrustLevelName>,
    grants: Option<Vec<String>>,
    mode: Option<String>,
    budget: Option<f64>,
    turns: Option<u64>,
    seconds: Option<u64>,
    setup: Option<String>,
    #[serde(default, rename = "check")]
    checks: Vec<CheckText>,
    limits: Option<CaseLimits>,
    varies: Option<Vec<String>>,
}

impl CaseText {
    fn read(path: &Path, seen: &mut BTreeSet<PathBuf>) -> Result<Self, EvalError> {
        let real = path.canonicalize().map_err(EvalError::file(path))?;
        if !seen.insert(real.clone()) {
            return Err(EvalError::case(path, "it extends itself"));
        }
        if seen.len() > MAX_EXTENDED {
            return Err(EvalError::case(path, format!("more than {MAX_EXTENDED} files extend each other")));
        }
        let text = read_text(path)?;
        let own: Self = toml::from_str(&text)
            .map_err(|error| EvalError::case(path, error.to_string().trim().to_owned()))?;
        own.extended(real.parent().unwrap_or(&real), seen)
    }

    /// Takes the values of the file that this text in a folder extends.
    pub(crate) fn extended(self, folder: &Path, seen: &mut BTreeSet<PathBuf>) -> Result<Self, EvalError> {
        let Some(base) = &self.extends else { return Ok(self) };
        let base = Self::read(&folder.join(base), seen)?;
        Ok(self.over(base))
    }

    /// Takes values from another text where this one has none. Its checks come first.
    pub(crate) fn over(self, base: Self) -> Self {
        let says_prompt = self.prompt.is_some() || self.prompts.is_some() || self.extract.is_some();
        Self {
            extends: None,
            prompt: if says_prompt { self.prompt } else { base.prompt },
            prompts: if says_prompt { self.prompts } else { base.prompts },
            extract: if says_prompt { self.extract } else { base.extract },
            agent: self.agent.or(base.agent),
            trust: self.trust.or(base.trust),
            grants: self.grants.or(base.grants),
            mode: self.mode.or(base.mode),
            budget: self.budget.or(base.budget),
            turns: self.turns.or(base.turns),
            seconds: self.seconds.or(base.seconds),
            setup: self.setup.or(base.setup),
            checks: base.checks.into_iter().chain(self.checks).collect(),
            limits: self.limits.or(base.limits),
            varies: self.varies.or(base.varies),
        }
    }
}

impl EvalCase {
    /// Reads the case of this folder.
    ///
    /// # Errors
    /// If a file of it is missing or wrong; the error names the file.
    pub fn read(folder: &Path, name: &str) -> Result<Self, EvalError> {
        // Attempts run in other folders.
        let folder = &folder.canonicalize().map_err(EvalError::file(folder))?;
        let path = folder.join(CASE_FILE);
        let mut read = BTreeSet::new();
        let text = CaseText::read(&path, &mut read)?;
        let case = Self::of(text, folder, &path, name, CaseRecording::is_in(folder))?;
        let digest = case.digest_including(digest(folder)?, read)?;
        Ok(Self { digest, ..case })
    }

    /// Adds the user's agents in this folder to what identifies the case: they decide what its attempts see.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn including_agents(mut self, folder: &Path) -> Result<Self, EvalError> {
        if folder.is_dir() {
            let mut hash = FileHash::default();
            hash.add("", self.digest.as_bytes());
            hash.add("agents", digest(folder)?.as_bytes());
            self.digest = hash.finish();
        }
        Ok(self)
    }

    /// The digest of the folder, together with the files elsewhere that were read for the case and
    /// that its checks use.
    pub(crate) fn digest_including(
        &self,
        folder: String,
        mut files: BTreeSet<PathBuf>,
    ) -> Result<String, EvalError> {
        for check in &self.checks {
            for file in check.used_files()? {
                files.insert(file.canonicalize().map_err(EvalError::file(file))?);
            }
        }
        files.retain(|file| !file.starts_with(&self.folder));
        if files.is_empty() {
            return Ok(folder);
        }
        let mut hash = FileHash::default();
        hash.add("", folder.as_bytes());
        for file in &files {
            hash.add("", &read_bytes(file)?);
        }
        Ok(hash.finish())
    }

    /// Checks the text of a case that is in this file. The digest is left to the caller.
    pub(crate) fn of(
        text: CaseText,
        folder: &Path,
        path: &Path,
        name: &str,
        has_recording: bool,
    ) -> Result<Self, EvalError> {
        let wrong = |why: &str| EvalError::case(path, why);
        let prompts = match (text.prompt, text.prompts) {
            (Some(_), Some(_)) => return Err(wrong("it has both `prompt` and `prompts`; use one of them")),
            (Some(one), None) => vec![one],
            (None, Some(all)) => all,
            (None, None) => Vec::new(),
        };
        if text.extract.is_some() && !prompts.is_empty() {
            return Err(wrong("it has both a prompt and `extract`; use one of them"));
        }
        let has_prompts = !prompts.is_empty() && prompts.iter().all(|prompt| !prompt.trim().is_empty());
        if !has_prompts && text.extract.is_none() {
            return Err(wrong("it has no prompt"));
        }
        // A link could lead to the user's own files, which an attempt would copy.
        if !fs::symlink_metadata(folder.join(WORKSPACE)).is_ok_and(|data| data.is_dir()) {
            return Err(wrong(
                "it has no workspace; make a folder `workspace` beside it, which may be empty",
            ));
        }
        let checks: Result<Vec<CaseCheck>, String> =
            text.checks.into_iter().map(|check| check.read(folder)).collect();
        let checks = checks.map_err(|why| wrong(&why))?;
        let varies = patterns(text.varies.unwrap_or_default());
        let varies = varies.map_err(|why| wrong(&format!("in `varies`, {why}")))?;
        let limits = text.limits.unwrap_or_default();
        if checks.is_empty() && limits == CaseLimits::default() && !has_recording {
            return Err(wrong("it checks nothing; add a [[check]], [limits] or a recording"));
        }
        if text.budget.is_some_and(|budget| !budget.is_finite() || budget <= 0.0) {
            return Err(wrong("`budget` must be more than 0"));
        }
        if text.seconds == Some(0) || text.turns == Some(0) {
            return Err(wrong("`seconds` and `turns` must be more than 0"));
        }
        Ok(Self {
            name: name.to_owned(),
            prompts,
            agent: text.agent,
            trust: text.trust.unwrap_or_default(),
            grants: text.grants.unwrap_or_default(),
            mode: text.mode,
            budget: text.budget,
            turns: text.turns,
            seconds: text.seconds.unwrap_or(DEFAULT_SECONDS),
            setup: text.setup,
            checks,
            limits,
            varies,
            needs_model: text.extract.is_some(),
            extraction: text.extract,
            digest: String::new(),
            folder: folder.to_owned(),
        })
    }

    /// Finds all cases at and below these folders, sorted by name.
    ///
    /// # Errors
    /// If a folder has no case, or one of its cases is wrong.
    pub fn find<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<Vec<Self>, EvalError> {
        let mut cases: Vec<Self> = Vec::new();
        for top in folders {
            let before = cases.len();
            let real = top.canonicalize().map_err(EvalError::file(top))?;
            search(&real, "", MAX_DEPTH, &mut cases)?;
            if cases.len() == before {
                return Err(EvalError::NoCase(top.to_owned()));
            }
        }
        cases.sort_by(|one, two| (&one.name, &one.folder).cmp(&(&two.name, &two.folder)));
        cases.dedup_by(|one, two| one.folder == two.folder && one.name == two.name);
        match cases.windows(2).find(|pair| matches!(pair, [one, two] if one.name == two.name)) {
            Some([one, two]) => {
                let why = format!("its name is also that of {}; rename one of them", one.folder.display());
                Err(EvalError::case(&two.folder, why))
            }
            _ => Ok(cases),
        }
    }

    /// The script with the replies to a prompt, counted from 0. `None` if it does not exist.
    #[must_use]
    pub fn replies(&self, prompt: usize) -> Option<PathBuf> {
        if self.needs_model {
            return None;
        }
        let name =
            if prompt == 0 { "replies.json".to_owned() } else { format!("replies-{}.json", prompt + 1) };
        Some(self.folder.join(name)).filter(|path| path.is_file())
    }
}

fn search(folder: &Path, below: &str, depth: usize, cases: &mut Vec<EvalCase>) -> Result<(), EvalError> {
    if case_list::is_in(folder) {
        cases.extend(case_list::read(folder, below)?);
        return Ok(());
    }
    if folder.join(CASE_FILE).is_file() {
        let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = if below.is_empty() { own() } else { below.to_owned() };
        cases.push(EvalCase::read(folder, &name)?);
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(EvalError::file(folder))? {
        let entry = entry.map_err(EvalError::file(folder))?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_folder && !name.starts_with('.') {
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            search(&entry.path(), &path, depth - 1, cases)?;
        }
    }
    Ok(())
}

/// Compiles the patterns of `varies`.
fn patterns(texts: Vec<String>) -> Result<Vec<TextPattern>, String> {
    if texts.len() > MAX_PATTERNS {
        return Err(format!("there are more than {MAX_PATTERNS} patterns"));
    }
    let compile = |text: String| {
        let pattern = TextPattern::new(text.clone())?;
        if pattern.is_match("") {
            return Err(format!("`{text}` also matches an empty text; it must match at least one character"));
        }
        Ok(pattern)
    };
    texts.into_iter().map(compile).collect()
}

/// A text as it stands in a `case.toml`. JSON escapes all that TOML does not allow, except one character.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Reads a file that describes a case. A device or a very large file is an error, because it could
/// be read without an end.
pub(crate) fn read_text(path: &Path) -> Result<String, EvalError> {
    let not_text = |_| EvalError::case(path, "it is not UTF-8 text");
    String::from_utf8(read_bytes(path)?).map_err(not_text)
}

/// The same for a file that need not be a text.
fn read_bytes(path: &Path) -> Result<Vec<u8>, EvalError> {
    let data = fs::metadata(path).map_err(EvalError::file(path))?;
    let mut bytes = Vec::new();
    if data.is_file() {
        let file = fs::File::open(path).map_err(EvalError::file(path))?;
        file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes).map_err(EvalError::file(path))?;
    }
    if !data.is_file() || bytes.len() as u64 > MAX_TEXT_BYTES {
        let why = format!("it is larger than {} MiB or not a regular file", MAX_TEXT_BYTES >> 20);
        return Err(EvalError::case(path, why));
    }
    Ok(bytes)
}

/// A digest over the files of a folder.
pub(crate) fn digest(folder: &Path) -> Result<String, EvalError> {
    let mut hash = FileHash::default();
    for (name, path) in workspace::files(folder)? {
        let bytes = match fs::read_link(&path) {
            Ok(target) => target.as_os_str().as_encoded_bytes().to_vec(),
            Err(_) => fs::read(&path).map_err(EvalError::file(&path))?,
        };
        hash.add(&name, &bytes);
    }
    Ok(hash.finish())
}

/// A hash over files, each with its name.
#[derive(Default)]
struct FileHash(Sha256);

impl FileHash {
    fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.update((name.len() as u64).to_le_bytes());
        self.0.update(name.as_bytes());
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn finish(self) -> String {
        self.0.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests;
