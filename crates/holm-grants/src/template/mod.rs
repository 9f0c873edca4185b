//! Templates of what a call needs, as a tool declares them: a grant's text with arguments in
//! braces.

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
