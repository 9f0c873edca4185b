//! Names that no tool may access, no matter what it was granted. This one list serves file tools,
//! the sandbox and commands. It only matches names: `workspace_root.rs` enforces it for files,
//! `shell/denied_paths.rs` for commands, and the sandbox gets it as denials.
//!
//! A broad grant such as `write:**` never opens a file that everyday tools run (`autorun.rs`); only
//! a grant that names it does. Nothing opens secrets or Holm's own configuration. What git itself
//! would run is decided in `git/`.

use holm_grants::{AccessRequest, Denial, DenialSet, FilePath, Grant, GrantError, GrantSet, PathPattern};

use super::{
    LiveGrants,
    autorun::{self, AutorunFile},
};

/// Files that usually hold secrets and that no build needs: hidden from everything that
/// runs here, including commands.
const SECRETS: &[&str] = &[
    "**/.env",
    "**/.envrc",
    "**/.ssh/",
    "**/.gnupg/",
    "**/.aws/",
    "**/.netrc",
    "**/.pgpass",
    "**/.git-credentials",
    "**/.azure/",
    "**/.kube/",
    "**/.config/gcloud/",
    "**/.docker/config.json",
    "**/_netrc",
    "**/.pypirc",
];

/// Files that are hidden from all tools except commands, which need them. These are the inside of
/// version control, whose configuration names programs that git starts, and settings of npm.
/// Files with keys or certificates are included, because programs installed in the workspace need
/// them to trust servers.
const INNER: &[&str] = &[
    "**/.git/",
    // How a file system with short names calls the same folder.
    "**/git~1/",
    "**/.hg/",
    "**/.sl/",
    "**/.svn/",
    "**/.jj/",
    "**/.npmrc",
    "**/*.pem",
    "**/*.key",
    "**/*.p12",
    "**/*.pfx",
    "**/*.jks",
    "**/*.keystore",
    "**/*.kdbx",
];

/// Like [`SECRETS`], but the patterns also match names of [`EXAMPLES`].
const LOOKALIKES: &[&str] = &["**/.env.*", "**/id_rsa*", "**/id_dsa*", "**/id_ecdsa*", "**/id_ed25519*"];

/// Files that look like secrets and are meant to be shown.
const EXAMPLES: &[&str] =
    &["**/.env.example", "**/.env.sample", "**/.env.template", "**/.env.dist", "**/id_*.pub"];

/// Configuration of Holm itself: every tool may read it, and none may write it.
const OWN: &[&str] = &["**/.holm/", "**/.config/holm/", "**/holm.toml"];

/// Configuration that a shell or git obeys at startup: every tool may read it, and
/// none may write it.
const STARTUP: &[&str] = &[
    "**/.bashrc",
    "**/.bash_profile",
    "**/.bash_login",
    "**/.bash_logout",
    "**/.profile",
    "**/.zshrc",
    "**/.zshenv",
    "**/.zprofile",
    "**/.zlogin",
    "**/.zlogout",
    "**/.gitconfig",
    "**/.config/fish/",
    "**/.config/git/",
];

/// Files that version control other than git runs because a repository says so. Commands use the
/// rest of these folders, but no command writes these files.
pub(crate) const OTHER_HISTORY: &[&str] = &[
    "**/.hg/hgrc",
    "**/.hg/hgrc-not-shared",
    "**/.hg/sharedpath",
    "**/.sl/config",
    "**/.jj/repo/config.toml",
    "**/.jj/workspace-config.toml",
];

/// Files that would make a folder a git repository: only commands write them, because git does.
const REPOSITORY: &[&str] = &["**/HEAD", "**/commondir"];

/// The deny rules of one root. Comparison ignores case, invisible joiners and trailing dots, as the
/// most permissive file system would.
///
/// ```
/// use holm_tools::root::DenyRules;
///
/// let denies = DenyRules::usual();
/// assert!(denies.reading(&"app/.ENV".parse()?).is_some());
/// assert!(denies.reading(&"app/.env.example".parse()?).is_none());
/// assert!(denies.writing(&".bashrc".parse()?).is_some());
/// # Ok::<(), holm_grants::PathError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenyRules {
    all: DenialSet,
    lookalikes: DenialSet,
    examples: DenialSet,
    unwritten: DenialSet,
    /// Files that everyday tools run without asking.
    autorun: DenialSet,
    /// The paths that the user granted by a name of the table, which may therefore be written.
    named: Vec<PathPattern>,
    /// The same for grants that are given later.
    live: LiveGrants,
}

impl DenyRules {
    /// The rules that a root starts with.
    #[must_use]
    pub fn usual() -> Self {
        Self {
            all: fixed("path", &[SECRETS, INNER]),
            lookalikes: fixed("path", &[LOOKALIKES]),
            examples: fixed("path", &[EXAMPLES]),
            unwritten: fixed("path", &[OWN, STARTUP, REPOSITORY]),
            autorun: autorun_rules("path"),
            named: Vec::new(),
            live: LiveGrants::default(),
        }
    }

    /// The same rules, in which files that everyday tools run without asking may be written where
    /// one of these grants names them: `write:.vscode/**` does, `write:**` does not.
    ///
    /// ```
    /// use holm_grants::GrantSet;
    /// use holm_tools::root::DenyRules;
    ///
    /// let writes = |grant: &str| {
    ///     let denies = DenyRules::usual().naming(&GrantSet::parse([grant])?);
    ///     Ok::<_, holm_grants::GrantError>(denies.writing(&".vscode/tasks.json".parse()?).is_none())
    /// };
    /// assert!(!writes("write:**")?);
    /// assert!(writes("write:.vscode/**")?);
    /// # Ok::<(), holm_grants::GrantError>(())
    /// ```
    #[must_use]
    pub fn naming(mut self, grants: &GrantSet) -> Self {
        let written = grants.iter().filter_map(|grant| match grant {
            Grant::Write(pattern) => Some(pattern.clone()),
            _ => None,
        });
        self.named.extend(written.filter(|pattern| named_by(pattern).is_some()));
        self
    }

    /// The same rules, which also heed grants that are given later. Commands do not: their jail is
    /// fixed when the session starts.
    #[must_use]
    pub fn heeding(mut self, live: LiveGrants) -> Self {
        self.live = live;
        self
    }

    /// The part of the default rules that applies to commands: secret files are hidden, and
    /// configuration files are not writable.
    ///
    /// Denials have no exceptions. A caller that hides files by these must leave out those for
    /// which [`is_example`](Self::is_example) is true.
    #[must_use]
    pub fn of_commands() -> DenialSet {
        Self::usual().for_commands()
    }

    /// Like [`of_commands`](Self::of_commands), without the paths that a grant names: see
    /// [`naming`](Self::naming). A jail has no exceptions, so a grant that names one `.vscode`
    /// folder opens all of them that the call may write.
    #[must_use]
    pub fn for_commands(&self) -> DenialSet {
        let rules =
            fixed("path", &[SECRETS, LOOKALIKES]).join(&fixed("write", &[OWN, STARTUP, OTHER_HISTORY]));
        rules.join(&self.autorun_for_jails())
    }

    /// The rules about files that everyday tools run, without those that a grant names. All rules
    /// about such a file are left out, because one would keep it closed.
    fn autorun_for_jails(&self) -> DenialSet {
        let rows = self.named.iter().flat_map(|pattern| autorun::find_all(&spelled(pattern)));
        let named: Vec<&str> = rows.map(|row| row.pattern).collect();
        let is_open = |rule: &Denial| {
            let rule = rule.to_string();
            named.iter().any(|pattern| rule == format!("write:**/{pattern}"))
        };
        autorun_rules("write").iter().filter(|rule| !is_open(rule)).cloned().collect()
    }

    /// Whether a usual rule hits a path only because an example looks like a
    /// secret, as `.env.example` does.
    #[must_use]
    pub fn is_example(rule: &Denial, path: &FilePath) -> bool {
        let rule = rule.to_string();
        let is_lookalike = rule.strip_prefix("path:").is_some_and(|pattern| LOOKALIKES.contains(&pattern));
        is_lookalike && fixed("path", &[EXAMPLES]).hitting(&AccessRequest::Read(path.clone())).is_some()
    }

    /// Files that a shell, git, SSH or Holm obeys at startup, as paths beneath a person's home.
    pub fn startup() -> impl Iterator<Item = &'static str> {
        STARTUP
            .iter()
            .chain(OWN)
            .chain(&["**/.ssh/"])
            .map(|pattern| pattern.trim_start_matches("**/").trim_end_matches('/'))
    }

    /// The same rules as denials alone, for who knows no roots: the sandbox. They hold for relative
    /// paths, which are about the folder `at`, and for absolute ones.
    ///
    /// Denials know no exceptions, so what looks like a secret and is an example counts as a secret.
    ///
    /// # Errors
    /// [`GrantError`] if a rule cannot be expressed with absolute paths.
    pub fn denials(&self, at: &FilePath) -> Result<DenialSet, GrantError> {
        let at = PathPattern::exactly(at)?.to_string();
        let all = self.all.iter().chain(self.lookalikes.iter()).map(ToString::to_string);
        let unwritten = self.unwritten.iter().map(|rule| rule.to_string().replacen("path:", "write:", 1));
        let autorun = self.autorun_for_jails();
        let unwritten = unwritten.chain(autorun.iter().map(ToString::to_string));
        let mut denials = DenialSet::new();
        for rule in all.chain(unwritten) {
            denials.insert(rule.parse()?);
            if let Some(absolute) = absolute(&rule, &at) {
                denials.insert(absolute.parse()?);
            }
        }
        Ok(denials)
    }

    /// The same rules and one more for all access, as the text of
    /// a denial: `path:secrets/`, `read:**/*.sql`.
    ///
    /// # Errors
    /// [`GrantError`] if the text is not a valid denial.
    pub fn and(mut self, denial: &str) -> Result<Self, GrantError> {
        self.all.insert(denial.parse()?);
        Ok(self)
    }

    /// The same rules and one more for writing alone.
    ///
    /// # Errors
    /// [`GrantError`] if the text is not a valid denial.
    pub fn and_unwritten(mut self, denial: &str) -> Result<Self, GrantError> {
        self.unwritten.insert(denial.parse()?);
        Ok(self)
    }

    /// The rule that keeps a path from being read, listed or found.
    #[must_use]
    pub fn reading(&self, path: &FilePath) -> Option<String> {
        self.hit(&AccessRequest::Read(path.clone()))
    }

    /// The rule that keeps a path from being written.
    #[must_use]
    pub fn writing(&self, path: &FilePath) -> Option<String> {
        let request = AccessRequest::Write(path.clone());
        let unwritten = || self.unwritten.hitting(&request).map(ToString::to_string);
        let autorun = || self.autorun_rule(&request, path);
        self.hit(&request).or_else(unwritten).or_else(autorun)
    }

    /// The row of the table that alone keeps a path from being written: a grant that names
    /// the path opens it.
    pub(crate) fn autorun(&self, path: &FilePath) -> Option<AutorunFile> {
        let request = AccessRequest::Write(path.clone());
        let is_kept = self.hit(&request).is_some() || self.unwritten.hitting(&request).is_some();
        self.autorun_rule(&request, path).filter(|_| !is_kept)?;
        autorun::find(path.as_str())
    }

    fn autorun_rule(&self, request: &AccessRequest, path: &FilePath) -> Option<String> {
        let is_named = self.named.iter().any(|pattern| pattern.admits(path))
            || self.live.admit(path, |pattern| named_by(pattern).is_some());
        self.autorun.hitting(request).filter(|_| !is_named).map(ToString::to_string)
    }

    fn hit(&self, request: &AccessRequest) -> Option<String> {
        let lookalike = || match self.examples.hitting(request) {
            Some(_) => None,
            None => self.lookalikes.hitting(request),
        };
        self.all.hitting(request).or_else(lookalike).map(ToString::to_string)
    }
}

impl Default for DenyRules {
    fn default() -> Self {
        Self::usual()
    }
}

/// The rule for the same files by absolute paths. Returns `None` for a rule that is not about
/// files, or that already has an absolute path.
fn absolute(rule: &str, at: &str) -> Option<String> {
    let (kind @ ("path" | "read" | "write"), pattern) = rule.split_once(':')? else { return None };
    match pattern {
        pattern if pattern.starts_with('/') => None,
        // Anywhere is anywhere on the machine.
        pattern if pattern.starts_with("**/") => Some(format!("{kind}:/{pattern}")),
        pattern => Some(format!("{kind}:{}/{pattern}", at.trim_end_matches('/'))),
    }
}

/// The row of the table that a pattern names: by components without a star, so
/// that `**` names nothing.
fn named_by(pattern: &PathPattern) -> Option<AutorunFile> {
    autorun::find(&spelled(pattern)).filter(|row| row.handling == autorun::AutorunHandling::Protected)
}

/// The components of a pattern without a star.
fn spelled(pattern: &PathPattern) -> String {
    let text = pattern.to_string();
    let named: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && !part.contains('*')).collect();
    named.join("/")
}

fn autorun_rules(kind: &str) -> DenialSet {
    let patterns: Vec<String> = autorun::protected().map(|pattern| format!("**/{pattern}")).collect();
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    fixed(kind, &[&patterns])
}

fn fixed(kind: &str, lists: &[&[&str]]) -> DenialSet {
    let texts: Vec<String> =
        lists.iter().copied().flatten().map(|pattern| format!("{kind}:{pattern}")).collect();
    #[expect(clippy::expect_used, reason = "constants of this file, which a test reads")]
    DenialSet::parse(texts.iter().map(String::as_str)).expect("the rules above are denials")
}
