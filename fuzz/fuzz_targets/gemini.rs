//! Gemini: streams and whole bodies.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(gemini);
