//! Programs as tools: each program that answers `describe` or has `--help`.
//!
//! A program in a trusted tool folder is asked to describe itself, in a jail without any grant. It
//! can read its own file and the system's programs, and nothing else. It is asked by the
//! describe/run protocol first, then for its help. A call then runs in a jail with what the call
//! was granted. The sidecar lists what a program needs (`asks`), and a sidecar can only ask. Each
//! ask is a need of the call, which the agent's grants, the user's policy or a person must meet.
//!
//! An error in one program is reported for that program. The others of its folder still become
//! tools. Commands that a model writes are not here but in `shell/`.
//!
//! Where things are:
//! - `loader.rs`: makes tools of files. `interface.rs`: asks a program for its description.
//! - `declare.rs`: the declaration. `tool.rs`: a call. `result.rs`: what the model reads.

mod declare;
mod interface;
mod loader;
mod result;
mod tool;

pub use loader::ProgramLoader;
pub use tool::ProgramTool;
