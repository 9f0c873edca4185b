//! `#[derive(Read)]`: how a type is read from JSON, in little code. This crate holds no runtime code and depends on nothing;
//! what it writes calls `holm-read`, which tells what is understood.
//!
//! It follows the `serde` attributes that stand on the type already, so that a type has one description of its JSON form. An attribute
//! that it does not know is an error of compilation, never ignored.

mod attributes;
mod item;
mod parse;
mod write;

use proc_macro::TokenStream;

/// Writes `holm_read::Read` for a struct or an externally tagged enum.
///
/// Known attributes: `default`, `rename`, `rename_all`, `alias`, `skip`, `transparent`; those that concern writing only are left alone.
#[proc_macro_derive(Read, attributes(serde))]
pub fn read(input: TokenStream) -> TokenStream {
    let written = parse::item(input).and_then(|item| write::implementation(&item));
    let text = written.unwrap_or_else(|reason| format!("::core::compile_error!({reason:?});"));
    // What is written here is Rust; if ever not, the compiler must say so at the type.
    text.parse().unwrap_or_else(|_| TokenStream::new())
}
