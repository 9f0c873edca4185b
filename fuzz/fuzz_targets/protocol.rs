//! The text protocol: what a model writes becomes a call or an answer.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(protocol);
