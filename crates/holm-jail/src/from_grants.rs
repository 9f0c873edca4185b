//! Builds a jail from grants. A grant that the kernel cannot enforce exactly is refused, never
//! widened.
//!
//! What a grant contains is decided in `holm-grants`; the rules of a jail are in `jail.rs`. Network
//! grants open nothing here, since no engine can hold a single host: the caller serves a proxy.
//! Denials are not grants; callers hide or protect those paths themselves.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use holm_grants::{AccessRequest, FilePath, Grant, GrantName, GrantSet, PathPattern, ProgramPattern};

use crate::error::JailError;
use crate::jail::{Jail, PROGRAMS};

impl Jail {
    /// Builds the jail of these grants, with relative paths beneath `workspace` and the
    /// granted part of `environment`.
    ///
    /// `read:src/` and `read:src/lib.rs` become roots; `read:src/*.rs` is refused, because the
    /// kernel knows only files and folders. `write:` needs `read:` of the same place. `exec:git` is
    /// looked up in the system's folders.
    ///
    /// The network stays closed even with `fetch:` grants, since no engine can enforce a host. A
    /// caller that serves a proxy opens it with [`crate::JailNetwork::Proxied`]. Secrets, tools and
    /// agents are nothing that a child process could use, and are left out.
    ///
    /// # Errors
    ///
    /// The first grant that cannot be held.
    ///
    /// ```
    /// use holm_grants::GrantSet;
    /// use holm_jail::{Jail, JailError};
    /// let home = std::env::temp_dir().canonicalize().unwrap();
    /// let jail = |grants: &[&str]| {
    ///     Jail::from_grants(&home, &GrantSet::parse(grants.iter().copied()).unwrap(), [])
    /// };
    /// assert!(jail(&["read:src/", "env:LANG"]).is_ok());
    /// assert!(matches!(jail(&["read:src/*.rs"]), Err(JailError::NotARoot { .. })));
    /// assert!(matches!(jail(&["write:out/"]), Err(JailError::Unreadable { .. })));
    /// ```
    pub fn from_grants(
        workspace: &Path,
        grants: &GrantSet,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, JailError> {
        let mut jail = Self::new().cwd(workspace);
        for grant in grants.iter() {
            jail = match grant {
                Grant::Read(pattern) => jail.read(place(workspace, grant, pattern)?),
                Grant::Write(pattern) => {
                    readable(grants, grant, pattern)?;
                    jail.write(place(workspace, grant, pattern)?)
                }
                Grant::Exec(ProgramPattern::Path(pattern)) => jail.exec(place(workspace, grant, pattern)?),
                Grant::Exec(ProgramPattern::Name(pattern)) => match pattern.to_string().as_str() {
                    "*" => jail.exec_system(),
                    name if name.contains('*') => return Err(not_a_root(grant, "write exec:name or exec:*")),
                    name => jail.exec(find(name)?),
                },
                Grant::Env(_) | Grant::Fetch(_) | Grant::Secret(_) | Grant::Spawn(_) | Grant::Tool(_) => jail,
            };
        }
        let granted = |name: &OsString| {
            let name = name.to_str().and_then(|name| name.parse::<GrantName>().ok());
            name.is_some_and(|name| grants.admits(&AccessRequest::Env(name)))
        };
        let seen = environment.into_iter().filter(|(name, _)| granted(name));
        Ok(seen.fold(jail, |jail, (name, value)| jail.env(name, value)))
    }
}

/// The file or folder that a pattern is, with nothing left over.
fn place(workspace: &Path, grant: &Grant, pattern: &PathPattern) -> Result<PathBuf, JailError> {
    let text = pattern.to_string();
    let tail = text.strip_suffix("/**").or_else(|| text.strip_suffix('/'));
    let path = match (text.as_str(), tail) {
        ("**" | "./", _) => ".",
        ("/", _) | (_, Some("")) => "/",
        // A folder alone, without its contents, is not a root.
        ("." | "/.", _) => return Err(not_a_root(grant, "write ./ for the workspace")),
        (_, Some(folder)) => folder,
        (file, None) => file,
    };
    if path.contains('*') {
        return Err(not_a_root(grant, "write folder/ or folder/file"));
    }
    let path: FilePath = path.parse().map_err(|_| not_a_root(grant, "write folder/ or folder/file"))?;
    Ok(match path.as_str() {
        "." => workspace.to_owned(),
        relative => workspace.join(relative),
    })
}

/// Checks whether a writable path may also be read.
fn readable(grants: &GrantSet, grant: &Grant, pattern: &PathPattern) -> Result<(), JailError> {
    let read = Grant::Read(pattern.clone());
    if grants.contains(&read) {
        return Ok(());
    }
    Err(JailError::Unreadable { grant: grant.to_string(), missing: read.to_string() })
}

/// The program of this name in the system's folders.
fn find(name: &str) -> Result<PathBuf, JailError> {
    let found =
        PROGRAMS.iter().take(3).map(|folder| Path::new(folder).join(name)).find(|path| path.is_file());
    // Links among the system's programs are the system's business.
    found.and_then(|path| path.canonicalize().ok()).ok_or_else(|| JailError::NoProgram(name.to_owned()))
}

fn not_a_root(grant: &Grant, hint: &'static str) -> JailError {
    JailError::NotARoot { grant: grant.to_string(), hint }
}

#[cfg(test)]
mod tests;
