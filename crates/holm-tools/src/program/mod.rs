//! Programs as tools: whatever answers `describe`, and whatever has `--help`.
//!
//! A program in a tool folder that a person trusts is asked what it is, in a jail without any grant: it can read its own
//! file and the system's programs, and nothing else. It is asked by the describe/run protocol first, then for its help. A
//! call then runs in a jail with what the call was granted. What a program needs stands in its sidecar (`asks`), and a
//! sidecar can only ask: each ask is a need of the call, which the agent's grants, the user's policy or a person must
//! meet.
//!
//! What goes wrong with one program is said about that program; the others of its folder are tools all the same.

mod ask;
mod declare;
mod loader;
mod result;
mod tool;

pub use loader::Programs;
pub use tool::ProgramTool;
