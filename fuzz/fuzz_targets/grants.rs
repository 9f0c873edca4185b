//! Grants, requests, denials, templates and amounts, one a line.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(grants);
