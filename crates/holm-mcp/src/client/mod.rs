//! The client: servers of other people, as tools of Holm.

mod ask;
mod content;
mod definition;
mod ear;
mod error;
mod events;
mod fleet;
mod glance;
mod heard;
mod lines;
mod link;
mod login;
mod logins;
mod means;
mod older;
mod pace;
mod process;
mod remote;
mod tool;
mod web;

pub use ask::{Answer, Asker, NobodyAnswers, Question, Wanted};
pub use content::output;
pub use definition::{Definition, Flaw, Listing, Reading};
pub use error::RemoteError;
pub use fleet::Fleet;
pub use heard::heard;
pub use login::{Browser, Login};
pub use logins::Logins;
pub use means::{Means, NamedFiles, Programs};
pub(crate) use pace::{CALM, Pace};
pub(crate) use remote::CHANGED;
pub use remote::Remote;
pub use tool::RemoteTool;
