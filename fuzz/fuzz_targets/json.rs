//! JSON text, against `serde_json`.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(json);
