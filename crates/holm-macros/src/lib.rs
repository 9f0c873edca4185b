//! `#[tool]`: a plain function becomes a tool. This crate holds no runtime code; what it writes calls `holm-runtime`.
