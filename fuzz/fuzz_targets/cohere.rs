//! Cohere v2: streams and whole bodies.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(cohere);
