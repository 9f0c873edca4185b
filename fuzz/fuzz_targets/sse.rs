//! Server-sent events, against a reference that reads the whole text at once.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(sse);
