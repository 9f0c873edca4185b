//! How the chat lays Markdown out.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(markdown);
