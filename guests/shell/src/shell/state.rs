//! The shell itself.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::rc::Rc;
use std::time::Instant;

use brush_parser::ast::FunctionBody;

use super::options::ShellOptions;
use super::paths::InMemoryFiles;
use super::vars::{VariableValue, VariableScopes};
use crate::io::{FdTable, IoHandle};

/// One shell. A subshell is a copy that shares the handles and nothing else.
#[derive(Clone)]
pub struct ShellState {
    pub(crate) vars: VariableScopes,
    pub(crate) functions: BTreeMap<String, Rc<FunctionBody>>,
    pub(crate) options: ShellOptions,
    pub(crate) fds: FdTable,
    /// `$1` and so on.
    pub(crate) args: Vec<String>,
    /// The folder that relative paths begin at.
    pub(crate) directory: String,
    /// The exit status that `$?` shows.
    pub(crate) status: i32,
    /// Traps by the name of their event.
    pub(crate) traps: BTreeMap<String, String>,
    /// Texts with a path of their own.
    pub(crate) made: InMemoryFiles,
    /// Whether the current command has run a command substitution.
    pub(crate) substituted: bool,
    /// How many conditions the current command is part of; inside one a failure does not count.
    pub(crate) conditions: u32,
    /// How deep functions and sourced files are nested.
    pub(crate) depth: u32,
    /// How many loops the current command is in.
    pub(crate) loops: u32,
    /// When the shell began.
    pub(crate) began: Instant,
    /// The state of `$RANDOM`.
    pub(crate) chance: u64,
}

impl ShellState {
    /// A shell with these three handles, in the root folder, without variables from anywhere.
    pub(crate) fn new(input: IoHandle, output: IoHandle, error: IoHandle) -> Self {
        let mut vars = VariableScopes::default();
        vars.set_text("IFS", " \t\n".to_owned());
        vars.set_text("BASH_VERSION", "5.2.0(1)-holm".to_owned());
        vars.export_text("PWD", "/".to_owned());
        Self {
            vars,
            functions: BTreeMap::new(),
            options: ShellOptions::default(),
            fds: FdTable::new(input, output, error),
            args: Vec::new(),
            directory: "/".to_owned(),
            status: 0,
            traps: BTreeMap::new(),
            made: InMemoryFiles::new(),
            substituted: false,
            conditions: 0,
            depth: 0,
            loops: 0,
            began: Instant::now(),
            chance: RandomState::new().build_hasher().finish(),
        }
    }

    /// A copy that runs apart from this one. Traps are not inherited.
    pub(crate) fn fork(&self) -> Self {
        Self { traps: BTreeMap::new(), loops: 0, ..self.clone() }
    }

    /// Writes an error message to standard error.
    pub(crate) async fn complain(&self, text: &str) {
        // Nowhere is left to complain about a complaint.
        let _ = self.fds.get(2).write(format!("{text}\n").as_bytes()).await;
    }

    /// Variables that are computed when they are read.
    pub(crate) fn special(&mut self, name: &str) -> Option<String> {
        Some(match name {
            "RANDOM" => {
                self.chance = self
                    .chance
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                ((self.chance >> 33) & 0x7fff).to_string()
            }
            "SECONDS" => self.began.elapsed().as_secs().to_string(),
            "EPOCHSECONDS" => {
                let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                now.map_or(0, |now| now.as_secs()).to_string()
            }
            _ => return None,
        })
    }

    /// Remembers the statuses of a pipeline.
    pub(crate) fn remember(&mut self, statuses: &[i32]) {
        let list = (0..).zip(statuses).map(|(index, status)| (index, status.to_string())).collect();
        self.vars.set("PIPESTATUS", VariableValue::List(list));
    }
}
