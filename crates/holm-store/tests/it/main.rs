//! The store from outside: the same suite on every database, and what only one of them can show.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected should stop")]

#[macro_use]
mod suite;

#[cfg(feature = "sqlite")]
mod copy;
#[cfg(feature = "sqlite")]
mod crash;
#[cfg(feature = "sqlite")]
mod disk;
#[cfg(feature = "postgres")]
mod encrypted;
#[cfg(feature = "sqlite")]
mod kill;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_leases;
#[cfg(feature = "postgres")]
mod postgres_pool;
#[cfg(feature = "sqlite")]
mod power;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "sqlite")]
mod upgrade;
