//! Names that are kept from every tool, whatever it was granted.

use holm_grants::{Denials, FilePath, GrantError, Request};

/// What holds secrets by custom: environments, keys, credentials; and the inside of version control, whose configuration
/// names programs that git starts.
const USUAL: &[&str] = &[
    "path:**/.env",
    "path:**/.envrc",
    "path:**/.git/",
    // How a file system with short names calls the same folder.
    "path:**/git~1/",
    "path:**/.hg/",
    "path:**/.svn/",
    "path:**/.jj/",
    "path:**/.ssh/",
    "path:**/.gnupg/",
    "path:**/.aws/",
    "path:**/.azure/",
    "path:**/.kube/",
    "path:**/.config/gcloud/",
    "path:**/.docker/config.json",
    "path:**/.netrc",
    "path:**/_netrc",
    "path:**/.pgpass",
    "path:**/.npmrc",
    "path:**/.pypirc",
    "path:**/.git-credentials",
    "path:**/*.pem",
    "path:**/*.key",
    "path:**/*.p12",
    "path:**/*.pfx",
    "path:**/*.jks",
    "path:**/*.keystore",
    "path:**/*.kdbx",
];

/// The same, with names that [`EXAMPLES`] have too.
const LOOKALIKES: &[&str] =
    &["path:**/.env.*", "path:**/id_rsa*", "path:**/id_dsa*", "path:**/id_ecdsa*", "path:**/id_ed25519*"];

/// What looks like a secret and is meant to be shown.
const EXAMPLES: &[&str] = &[
    "path:**/.env.example",
    "path:**/.env.sample",
    "path:**/.env.template",
    "path:**/.env.dist",
    "path:**/id_*.pub",
];

/// What no tool may write although all may read it: what a shell or an agent obeys when it starts, and what would make a
/// folder a git repository of its own.
const UNWRITTEN: &[&str] = &[
    "path:**/.holm/",
    "path:**/.bashrc",
    "path:**/.bash_profile",
    "path:**/.bash_login",
    "path:**/.bash_logout",
    "path:**/.profile",
    "path:**/.zshrc",
    "path:**/.zshenv",
    "path:**/.zprofile",
    "path:**/.zlogin",
    "path:**/.zlogout",
    "path:**/.config/fish/",
    "path:**/.gitconfig",
    "path:**/.config/git/",
    "path:**/HEAD",
    "path:**/commondir",
];

/// The rules of one root. They compare without case, invisible joiners and trailing dots, as the worst file system would.
///
/// ```
/// use holm_tools::root::Denies;
///
/// let denies = Denies::usual();
/// assert!(denies.reading(&"app/.ENV".parse()?).is_some());
/// assert!(denies.reading(&"app/.env.example".parse()?).is_none());
/// assert!(denies.writing(&".bashrc".parse()?).is_some());
/// # Ok::<(), holm_grants::PathError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denies {
    all: Denials,
    lookalikes: Denials,
    examples: Denials,
    unwritten: Denials,
}

impl Denies {
    /// The rules that a root starts with.
    #[must_use]
    pub fn usual() -> Self {
        Self {
            all: fixed(USUAL),
            lookalikes: fixed(LOOKALIKES),
            examples: fixed(EXAMPLES),
            unwritten: fixed(UNWRITTEN),
        }
    }

    /// The same rules and one more for all access, as the text of a denial: `path:secrets/`, `read:**/*.sql`.
    ///
    /// # Errors
    /// [`GrantError`] if the text is no denial.
    pub fn and(mut self, denial: &str) -> Result<Self, GrantError> {
        self.all.insert(denial.parse()?);
        Ok(self)
    }

    /// The same rules and one more for writing alone.
    ///
    /// # Errors
    /// [`GrantError`] if the text is no denial.
    pub fn and_unwritten(mut self, denial: &str) -> Result<Self, GrantError> {
        self.unwritten.insert(denial.parse()?);
        Ok(self)
    }

    /// The rule that keeps a path from being read, listed or found.
    #[must_use]
    pub fn reading(&self, path: &FilePath) -> Option<String> {
        self.hit(&Request::Read(path.clone()))
    }

    /// The rule that keeps a path from being written.
    #[must_use]
    pub fn writing(&self, path: &FilePath) -> Option<String> {
        let request = Request::Write(path.clone());
        let unwritten = || self.unwritten.hitting(&request).map(ToString::to_string);
        self.hit(&request).or_else(unwritten)
    }

    fn hit(&self, request: &Request) -> Option<String> {
        let lookalike = || match self.examples.hitting(request) {
            Some(_) => None,
            None => self.lookalikes.hitting(request),
        };
        self.all.hitting(request).or_else(lookalike).map(ToString::to_string)
    }
}

impl Default for Denies {
    fn default() -> Self {
        Self::usual()
    }
}

fn fixed(texts: &[&str]) -> Denials {
    #[expect(clippy::expect_used, reason = "constants of this file, which a test reads")]
    Denials::parse(texts.iter().copied()).expect("the rules above are denials")
}
