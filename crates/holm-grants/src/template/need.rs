//! The needs of one call, after its arguments are known: concrete requests and grants. Needs are
//! made from templates in `template/fill.rs`; whether they are granted is decided in `policy.rs`
//! and by the kernel.

use core::fmt;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::grant::Grant;
use crate::path::FilePath;
use crate::request::AccessRequest;

/// One need of one call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum CallNeed {
    Request(AccessRequest),
    /// All of a pattern, such as a folder that is searched.
    Grant(Grant),
}

impl CallNeed {
    /// The same need with an absolute path beneath `workspace` made relative
    /// to it; see [`FilePath::rebased`].
    #[must_use]
    pub fn rebased(&self, workspace: &FilePath) -> Self {
        match self {
            Self::Request(request) => Self::Request(request.rebased(workspace)),
            Self::Grant(grant) => Self::Grant(grant.rebased(workspace)),
        }
    }

    /// The same need with a relative path spelled from the root; `None` if it is not a
    /// path, or absolute already.
    #[must_use]
    pub fn spelled_from_root(&self, workspace: &FilePath) -> Option<Self> {
        match self {
            Self::Request(request) => request.spelled_from_root(workspace).map(Self::Request),
            Self::Grant(grant) => grant.spelled_from_root(workspace).map(Self::Grant),
        }
    }
}

impl fmt::Display for CallNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(request) => request.fmt(f),
            Self::Grant(grant) => grant.fmt(f),
        }
    }
}
