//! Pages as Markdown, and a tool that reaches what was granted and nothing else.

mod pages;
pub(crate) mod reach;
