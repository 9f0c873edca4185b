//! The `holm` command.

fn main() {}
