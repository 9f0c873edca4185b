//! The store from outside: the same suite on every database, and what only one of them can show.

#[macro_use]
mod suite;

mod crash;
mod disk;
mod kill;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;
