//! Queries SQLite databases: one statement or several, with parameters, as JSON lines or as a
//! table.

mod rows;
mod tool;

pub use tool::{TOOL, work};

#[cfg(test)]
mod tests;
