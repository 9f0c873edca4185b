//! Derives `holm_read::Read`, which reads a type from JSON with little code. This crate has no
//! runtime code and no dependencies; the generated code calls `holm-read`, which documents the
//! supported JSON form.
//!
//! It follows the `serde` attributes that the type already has, so a type has one description of
//! its JSON form. An unknown attribute is a compile error, and never ignored.
//!
//! Where things are: `parse.rs` (tokens into `item.rs`), `attributes.rs` (serde attributes),
//! `write.rs` (the generated code).

mod attributes;
mod item;
mod parse;
mod write;

use proc_macro::TokenStream;

/// Implements `holm_read::Read` for a struct or an externally tagged enum.
///
/// Supported attributes: `default`, `rename`, `rename_all`, `alias`, `skip`, `transparent`.
/// Attributes that concern only writing are ignored.
#[proc_macro_derive(Read, attributes(serde))]
pub fn read(input: TokenStream) -> TokenStream {
    let written = parse::item(input).and_then(|item| write::implementation(&item));
    let text = written.unwrap_or_else(|reason| format!("::core::compile_error!({reason:?});"));
    // The generated text is valid Rust. If it ever is not, the compiler reports the missing
    // implementation at the type.
    text.parse().unwrap_or_else(|_| TokenStream::new())
}
