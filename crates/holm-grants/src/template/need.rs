//! What one call needs, after its arguments are known.

use core::fmt;

use holm_read::Read;
use serde::{Deserialize, Serialize};

use crate::grant::Grant;
use crate::request::Request;

/// One need of one call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Read)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// One concrete thing.
    Request(Request),
    /// All of a pattern, such as a folder that is searched.
    Grant(Grant),
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(request) => request.fmt(f),
            Self::Grant(grant) => grant.fmt(f),
        }
    }
}
