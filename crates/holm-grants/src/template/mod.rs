//! Templates of what a call needs, as a tool declares them: a grant's text with arguments in
//! braces.
//!
//! They compute needs and decide nothing; `policy.rs` decides about a need. A value that a model
//! chose is data: it can never widen a need or add a pattern.
//!
//! Where things are:
//!
//! - `template/parse.rs`: a template, read at registration.
//! - `template/slot.rs`: one pair of braces.
//! - `template/fill.rs`: puts values into their places.
//! - `template/need.rs`: the result for one call.
//! - `template/patch.rs`: the files that a patch names.

mod fill;
mod need;
mod parse;
mod patch;
mod slot;

#[cfg(test)]
mod tests;

pub use need::CallNeed;
pub use parse::{NeedTemplate, TemplateError};
pub use patch::{PatchForm, patch_files, patch_path};
pub use slot::path_in_workspace;
