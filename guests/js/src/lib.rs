//! Runs JavaScript: a script's last value and what it logs are the answer. It has neither files nor
//! network.

mod tool;

pub use tool::{TOOL, work};

#[cfg(test)]
mod tests;
