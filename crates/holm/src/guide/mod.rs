//! The concepts of Holm, a page for each. Every page has programs that run: they are tests.
//! The text of a page is in the Markdown file of its name beside this file, and not here. Items are
//! described where they are defined.
//!
//! 1. [The loop](the_loop): what happens between a prompt and its answer
//! 2. [Tools](tools): functions that a model can call
//! 3. [Grants](grants): what a tool may do, and who decides
//! 4. [Hooks](hooks): your own code inside the loop
//! 5. [The journal](journal): resume, replay and fork
//! 6. [Models](models): providers, keys, fallbacks, scripts
//! 7. [Budgets and limits](budgets): what ends a run, with its figures
//! 8. [Events](events): watching a run, and replaying it
//! 9. [Testing](testing): your agent without a network

#![cfg_attr(
    not(all(feature = "macros", feature = "models", feature = "store")),
    expect(
        rustdoc::broken_intra_doc_links,
        reason = "the guide speaks of everything that the default features bring"
    )
)]

#[doc = include_str!("the_loop.md")]
pub mod the_loop {}

#[doc = include_str!("tools.md")]
pub mod tools {}

#[doc = include_str!("grants.md")]
pub mod grants {}

#[doc = include_str!("hooks.md")]
pub mod hooks {}

#[doc = include_str!("journal.md")]
pub mod journal {}

#[doc = include_str!("models.md")]
pub mod models {}

#[doc = include_str!("budgets.md")]
pub mod budgets {}

#[doc = include_str!("events.md")]
pub mod events {}

#[doc = include_str!("testing.md")]
pub mod testing {}
