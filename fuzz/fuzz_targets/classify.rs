//! Errors of providers: any status, headers and body.
#![cfg_attr(fuzzing, no_main)]

holm_fuzz::target!(classify);
