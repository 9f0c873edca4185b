//! AWS's binary messages: any bytes, and what we write ourselves.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(event_stream);
