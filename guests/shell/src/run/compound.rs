//! Conditions, loops, cases, groups and functions.

use std::rc::Rc;

use brush_parser::ast::{
    ArithmeticForClauseCommand, CaseClauseCommand, CaseItem, CaseItemPostAction, Command, CompoundCommand,
    CompoundList, ForClauseCommand, FunctionBody, IfClauseCommand,
};

use crate::expand::pattern::ShellPattern;
use crate::io::LocalFuture;
use crate::shell::{ShellFlow, ShellState, CommandResult};

/// How deep functions may call: the stack of a guest is small, and no sensible script goes deeper.
const MAX_DEPTH: u32 = 100;

/// The condition value that continues a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopCondition {
    True,
    False,
}

impl ShellState {
    pub(crate) fn run_command<'a>(&'a mut self, command: &'a Command) -> LocalFuture<'a, CommandResult> {
        Box::pin(async move {
            match command {
                Command::Simple(simple) => self.simple(simple).await,
                Command::Compound(compound, redirects) => {
                    let before = self.fds.clone();
                    let opened = self.redirect_all(redirects.as_ref().map_or(&[], |list| &list.0)).await;
                    let step = match opened {
                        Ok(()) => self.compound(compound).await,
                        Err(step) => step,
                    };
                    self.fds = before;
                    step
                }
                Command::Function(definition) => {
                    self.functions.insert(definition.fname.value.clone(), Rc::new(definition.body.clone()));
                    Ok(0)
                }
                Command::ExtendedTest(test, redirects) => {
                    let before = self.fds.clone();
                    let opened = self.redirect_all(redirects.as_ref().map_or(&[], |list| &list.0)).await;
                    let step = match opened {
                        Ok(()) => self.extended_test(&test.expr).await,
                        Err(step) => step,
                    };
                    self.fds = before;
                    step
                }
            }
        })
    }

    fn compound<'a>(&'a mut self, compound: &'a CompoundCommand) -> LocalFuture<'a, CommandResult> {
        Box::pin(async move {
            match compound {
                CompoundCommand::Arithmetic(command) => {
                    let value = self.arithmetic(&command.expr.value).await?;
                    Ok(i32::from(value == 0))
                }
                CompoundCommand::ArithmeticForClause(clause) => self.counting_loop(clause).await,
                CompoundCommand::BraceGroup(group) => self.run_list(&group.list).await,
                CompoundCommand::Subshell(group) => {
                    let mut apart = self.fork();
                    let step = apart.run_list(&group.list).await;
                    Ok(apart.finish(step).await)
                }
                CompoundCommand::ForClause(clause) => self.for_loop(clause).await,
                CompoundCommand::CaseClause(clause) => self.case(clause).await,
                CompoundCommand::IfClause(clause) => self.if_clause(clause).await,
                CompoundCommand::WhileClause(clause) => {
                    self.while_loop(LoopCondition::True, &clause.0, &clause.1.list).await
                }
                CompoundCommand::UntilClause(clause) => {
                    self.while_loop(LoopCondition::False, &clause.0, &clause.1.list).await
                }
                CompoundCommand::Coprocess(_) => {
                    self.complain("shell: coproc: nothing can run beside the shell").await;
                    Ok(1)
                }
            }
        })
    }

    /// Runs a list as a condition, so that its failure is an answer.
    async fn condition(&mut self, list: &CompoundList) -> Result<bool, ShellFlow> {
        self.conditions += 1;
        let step = self.run_list(list).await;
        self.conditions -= 1;
        Ok(step? == 0)
    }

    async fn if_clause(&mut self, clause: &IfClauseCommand) -> CommandResult {
        if self.condition(&clause.condition).await? {
            return self.run_list(&clause.then).await;
        }
        for other in clause.elses.iter().flatten() {
            let taken = match &other.condition {
                Some(condition) => self.condition(condition).await?,
                None => true,
            };
            if taken {
                return self.run_list(&other.body).await;
            }
        }
        self.status = 0;
        Ok(0)
    }

    /// One round of a loop. Returns whether another may follow.
    async fn round(&mut self, body: &CompoundList) -> Result<bool, ShellFlow> {
        self.loops += 1;
        let step = self.run_list(body).await;
        self.loops -= 1;
        match step {
            Ok(_) | Err(ShellFlow::Continue(0 | 1)) => Ok(true),
            Err(ShellFlow::Break(0 | 1)) => Ok(false),
            Err(ShellFlow::Break(levels)) => Err(ShellFlow::Break(levels - 1)),
            Err(ShellFlow::Continue(levels)) => Err(ShellFlow::Continue(levels - 1)),
            Err(flow @ (ShellFlow::Return(_) | ShellFlow::Exit(_))) => Err(flow),
        }
    }

    async fn while_loop(&mut self, wanted: LoopCondition, condition: &CompoundList, body: &CompoundList) -> CommandResult {
        let mut status = 0;
        while self.condition(condition).await? == (wanted == LoopCondition::True) {
            let more = self.round(body).await?;
            status = self.status;
            if !more {
                break;
            }
        }
        self.status = status;
        Ok(status)
    }

    async fn for_loop(&mut self, clause: &ForClauseCommand) -> CommandResult {
        let mut values = Vec::new();
        match &clause.values {
            Some(words) => {
                for word in words {
                    values.extend(self.expand_words(&word.value).await?);
                }
            }
            None => values.clone_from(&self.args),
        }
        self.status = 0;
        for value in values {
            self.vars.set_text(&clause.variable_name, value);
            if !self.round(&clause.body.list).await? {
                break;
            }
        }
        Ok(self.status)
    }

    async fn counting_loop(&mut self, clause: &ArithmeticForClauseCommand) -> CommandResult {
        if let Some(start) = &clause.initializer {
            self.arithmetic(&start.value).await?;
        }
        let mut status = 0;
        loop {
            let go_on = match &clause.condition {
                Some(condition) if !condition.value.trim().is_empty() => {
                    self.arithmetic(&condition.value).await? != 0
                }
                _ => true,
            };
            if !go_on || !self.round(&clause.body.list).await? {
                break;
            }
            status = self.status;
            if let Some(step) = &clause.updater {
                self.arithmetic(&step.value).await?;
            }
        }
        self.status = status;
        Ok(status)
    }

    async fn case(&mut self, clause: &CaseClauseCommand) -> CommandResult {
        let value = self.expand_text(&clause.value.value).await?;
        self.status = 0;
        let mut fall = false;
        for item in &clause.cases {
            if !fall && !self.case_matches(item, &value).await? {
                continue;
            }
            if let Some(list) = &item.cmd {
                self.run_list(list).await?;
            }
            match item.post_action {
                CaseItemPostAction::ExitCase => break,
                CaseItemPostAction::UnconditionallyExecuteNextCaseItem => fall = true,
                CaseItemPostAction::ContinueEvaluatingCases => fall = false,
            }
        }
        Ok(self.status)
    }

    async fn case_matches(&mut self, item: &CaseItem, value: &str) -> Result<bool, ShellFlow> {
        for pattern in &item.patterns {
            let pattern = self.expand_pattern(&pattern.value).await?;
            if self.matches(&pattern, value) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compares with the case rule of `nocasematch`.
    pub(crate) fn matches(&self, pattern: &str, value: &str) -> bool {
        if self.options.nocasematch {
            ShellPattern::lower(pattern).matches(&value.to_lowercase())
        } else {
            ShellPattern::new(pattern).matches(value)
        }
    }

    /// Calls a function with its own arguments and scope.
    pub(crate) async fn call_function(&mut self, name: &str, body: &FunctionBody, args: Vec<String>) -> CommandResult {
        if self.depth >= MAX_DEPTH {
            self.complain(&format!("shell: {name}: functions are nested deeper than {MAX_DEPTH}")).await;
            return Err(ShellFlow::Exit(1));
        }
        self.depth += 1;
        let loops = std::mem::take(&mut self.loops);
        let args = std::mem::replace(&mut self.args, args);
        let before = self.fds.clone();
        self.vars.open_scope();
        let opened = self.redirect_all(body.1.as_ref().map_or(&[], |list| &list.0)).await;
        let step = match opened {
            Ok(()) => self.compound(&body.0).await,
            Err(step) => step,
        };
        self.vars.close_scope();
        self.fds = before;
        self.args = args;
        self.loops = loops;
        self.depth -= 1;
        match step {
            Err(ShellFlow::Return(status)) => Ok(status),
            other => other,
        }
    }
}
