//! Keeps journals, large results, sessions and usage. This crate decides nothing about a run: it keeps what it is given and finds it again.
