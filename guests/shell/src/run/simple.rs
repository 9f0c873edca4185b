//! Simple commands: assignments, redirections, words, and the command that the first word names.

use brush_parser::ast::{
    Assignment, CommandPrefixOrSuffixItem as Item, IoRedirect, ProcessSubstitutionKind, SimpleCommand,
};

use crate::builtin;
use crate::expand::quote;
use crate::io::LocalFuture;
use crate::shell::{ShellFlow, ShellState, CommandResult};

/// The status of a command that does not exist, as everywhere.
const NOT_FOUND: i32 = 127;

/// A command after its words were expanded.
#[derive(Default)]
struct ExpandedCommand<'a> {
    words: Vec<String>,
    before: Vec<&'a Assignment>,
    redirects: Vec<IoRedirect>,
    /// The assignments of a declaring command, in place among its words.
    declared: Vec<&'a Assignment>,
}

impl ShellState {
    pub(crate) async fn simple(&mut self, command: &SimpleCommand) -> CommandResult {
        self.substituted = false;
        let prepared = self.prepare(command).await?;
        if self.options.xtrace {
            let shown: Vec<String> = prepared.words.iter().map(|word| quote(word)).collect();
            self.complain(&format!("+ {}", shown.join(" "))).await;
        }
        let before = self.fds.clone();
        if let Err(step) = self.redirect_all(&prepared.redirects).await {
            self.fds = before;
            return step;
        }
        let Some(name) = prepared.words.first().cloned() else {
            let step = self.assign_all(&prepared.before).await;
            self.fds = before;
            // The status of the last command that an assignment ran.
            return step.map(|()| if self.substituted { self.status } else { 0 });
        };
        if name == "exec" && prepared.words.len() == 1 {
            return Ok(0);
        }
        let step = self.with_variables(prepared).await;
        self.fds = before;
        step
    }

    async fn assign_all(&mut self, assignments: &[&Assignment]) -> Result<(), ShellFlow> {
        for assignment in assignments {
            self.assign(assignment).await?;
        }
        Ok(())
    }

    /// Runs with the variables before the command, which are removed afterwards.
    async fn with_variables(&mut self, ready: ExpandedCommand<'_>) -> CommandResult {
        let scoped = !ready.before.is_empty();
        if scoped {
            self.vars.open_scope();
            for assignment in &ready.before {
                if let brush_parser::ast::AssignmentName::VariableName(name) = &assignment.name {
                    self.vars.declare_local(name).exported = true;
                }
                if let Err(flow) = self.assign(assignment).await {
                    self.vars.close_scope();
                    return Err(flow);
                }
            }
        }
        let step = if builtin::declares(&ready.words) {
            builtin::declare(self, &ready.words, &ready.declared).await
        } else {
            self.run_words(ready.words).await
        };
        if scoped {
            self.vars.close_scope();
        }
        step
    }

    /// Expands everything, left to right.
    async fn prepare<'a>(&mut self, command: &'a SimpleCommand) -> Result<ExpandedCommand<'a>, ShellFlow> {
        let mut ready = ExpandedCommand::default();
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                Item::IoRedirect(redirect) => ready.redirects.push(redirect.clone()),
                Item::AssignmentWord(assignment, _) => ready.before.push(assignment),
                Item::Word(_) | Item::ProcessSubstitution(..) => {}
            }
        }
        if let Some(word) = &command.word_or_name {
            ready.words.extend(self.expand_words(&word.value).await?);
        }
        let declares = builtin::declares(&ready.words);
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                Item::IoRedirect(redirect) => ready.redirects.push(redirect.clone()),
                Item::AssignmentWord(assignment, _) if declares => ready.declared.push(assignment),
                Item::Word(word) | Item::AssignmentWord(_, word) => {
                    ready.words.extend(self.expand_words(&word.value).await?);
                }
                Item::ProcessSubstitution(ProcessSubstitutionKind::Read, group) => {
                    let bytes = self.capture(&group.list.to_string()).await;
                    let path = self.make_file(bytes);
                    ready.words.push(path);
                }
                Item::ProcessSubstitution(ProcessSubstitutionKind::Write, _) => {
                    self.complain("shell: nothing can run beside the shell, so there is no >(…)").await;
                    return Err(ShellFlow::Exit(1));
                }
            }
        }
        Ok(ready)
    }

    /// Runs a command by its words: a function or a built-in.
    pub(crate) fn run_words(&mut self, words: Vec<String>) -> LocalFuture<'_, CommandResult> {
        Box::pin(async move {
            let Some(name) = words.first().cloned() else { return Ok(0) };
            if let Some(body) = self.functions.get(&name).cloned() {
                let args = words.get(1..).unwrap_or_default().to_vec();
                return self.call_function(&name, &body, args).await;
            }
            self.run_builtin(words).await
        })
    }

    /// The same without functions.
    pub(crate) fn run_builtin(&mut self, words: Vec<String>) -> LocalFuture<'_, CommandResult> {
        Box::pin(async move {
            let Some((name, args)) = words.split_first() else { return Ok(0) };
            // `/bin/cat` means `cat`.
            let plain = name.strip_prefix("/usr").unwrap_or(name);
            let plain = plain.strip_prefix("/bin/").unwrap_or(plain);
            match builtin::find(plain) {
                Some(run) => run(self, args).await,
                None => {
                    self.complain(&format!(
                        "shell: {name}: command not found (only built-in utilities can run here)"
                    ))
                    .await;
                    Ok(NOT_FOUND)
                }
            }
        })
    }
}
