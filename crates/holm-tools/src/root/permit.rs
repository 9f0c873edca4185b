//! Checks what one call was allowed, again, at the moment when the file is opened. It decides
//! nothing new: the kernel has granted the needs, and this file compares them with the path. Deny
//! rules are a different check, in `deny_rules.rs`; files are opened in `workspace_root.rs`.

use holm_grants::{AccessRequest, CallNeed, FilePath, Grant, PathPattern};

use super::WorkspaceRootError;

/// The needs of one call, as the kernel granted them. An empty list allows nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallPermit<'a> {
    needs: &'a [CallNeed],
    /// Where the root is, for needs that were spelled out from the top.
    root: &'a FilePath,
}

impl<'a> CallPermit<'a> {
    pub(crate) fn new(needs: &'a [CallNeed], root: &'a FilePath) -> Self {
        Self { needs, root }
    }

    /// Whether the call may read the path.
    pub(crate) fn may_read(&self, path: &FilePath) -> bool {
        self.needs.iter().any(|need| match need {
            CallNeed::Request(AccessRequest::Read(granted)) => self.is(granted, path),
            CallNeed::Grant(Grant::Read(pattern)) => self.admits(pattern, path),
            CallNeed::Request(_) | CallNeed::Grant(_) => false,
        })
    }

    /// Like [`may_read`](Self::may_read), with an error that names the missing grant.
    pub(crate) fn read(&self, path: &FilePath) -> Result<(), WorkspaceRootError> {
        if self.may_read(path) { Ok(()) } else { Err(missing(&AccessRequest::Read(path.clone()))) }
    }

    /// Whether the call may write the path; says which grant is missing.
    pub(crate) fn write(&self, path: &FilePath) -> Result<(), WorkspaceRootError> {
        let granted = self.needs.iter().any(|need| match need {
            CallNeed::Request(AccessRequest::Write(granted)) => self.is(granted, path),
            CallNeed::Grant(Grant::Write(pattern)) => self.admits(pattern, path),
            CallNeed::Request(_) | CallNeed::Grant(_) => false,
        });
        if granted { Ok(()) } else { Err(missing(&AccessRequest::Write(path.clone()))) }
    }

    fn is(&self, granted: &FilePath, path: &FilePath) -> bool {
        granted.rebased(self.root) == *path
    }

    fn admits(&self, pattern: &PathPattern, path: &FilePath) -> bool {
        let absolute = || format!("{}/{path}", self.root).parse().is_ok_and(|path| pattern.admits(&path));
        pattern.admits(path) || absolute()
    }
}

/// The error with the grant for exactly this request; a star in a name is escaped.
fn missing(request: &AccessRequest) -> WorkspaceRootError {
    let need = Grant::exactly(request).map_or_else(|_| request.to_string(), |grant| grant.to_string());
    WorkspaceRootError::NotGranted { need }
}
