//! Commands as the runtime's hooks.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use holm_kernel::{Block, Message, MessageId, Outcome, Patch, Prompt, Role, ToolOutput};
use holm_runtime::{
    AfterCall, BeforeCall, BoxFuture, Called, ContextHook, FollowUpSource, Hook, Hooks, Opinion, Proposed,
};
use serde_json::{Value, json};

use super::{
    Command, HookEvent, NotDone, Runner,
    file::{Entry, TrustedHooks},
    reply::Wish,
};

/// How many prompts are remembered with what was added to them: one for each run that is driven at the same time is
/// enough, and one more costs nothing but a command that is asked again.
const MOST_PROMPTS: usize = 64;

/// How many runs are counted that were told to go on: those that were cancelled meanwhile are never heard of again.
const MOST_STOPPING: usize = 10_000;

/// How often in a row a run that would stop is told to go on.
const MOST_STOPS: u64 = 3;

/// The commands of a file that a person has trusted, as hooks of an agent: `builder.hook(CommandHooks::new(..))`.
///
/// A call that a command rewrites goes back through its schema, the rules and whoever is asked, like any other rewrite.
/// A command can only narrow: what it "allows" is asked and refused as if it had said nothing.
pub struct CommandHooks {
    file: TrustedHooks,
    runner: Arc<dyn Runner>,
    /// What was said of the last prompts: commands run once for each prompt, and not once for each request.
    said: Mutex<VecDeque<Said>>,
    /// How often in a row each run was told to go on.
    stops: Mutex<BTreeMap<String, u64>>,
}

/// What the commands said of one prompt.
struct Said {
    id: MessageId,
    prompt: String,
    patches: Vec<Patch>,
}

impl CommandHooks {
    /// Hooks of a trusted file, run by this runner.
    pub fn new(file: TrustedHooks, runner: impl Runner + 'static) -> Self {
        Self { file, runner: Arc::new(runner), said: Mutex::default(), stops: Mutex::default() }
    }

    /// Asks one command.
    async fn ask(&self, entry: &Entry, mut about: Value) -> Result<Wish, NotDone> {
        for script in &self.file.scripts {
            script.check(&entry.command)?;
        }
        if let Some(about) = about.as_object_mut() {
            about.insert("hook_event_name".into(), entry.event.name().into());
        }
        let (line, input, wants) = (entry.command.clone(), about.to_string(), self.file.wants.clone());
        Wish::of(self.runner.run(Command { line, input, limit: entry.limit, wants }).await)
    }

    fn of(&self, event: HookEvent) -> impl Iterator<Item = &Entry> {
        self.file.entries.iter().filter(move |entry| entry.event == event)
    }

    async fn before(&self, call: &Proposed) -> Opinion {
        let tool = &*call.proposal.tool;
        let first: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let mut arguments = first.clone();
        for entry in self.of(HookEvent::PreToolUse).filter(|entry| entry.matcher.is_for(tool)) {
            let about = json!({ "session_id": &*call.run, "tool_name": tool, "tool_input": arguments });
            let wish = match self.ask(entry, about).await {
                Ok(wish) => wish,
                // What guards something and cannot say yes has said no.
                Err(error) => return Opinion::deny(error.to_string()),
            };
            if let Some(reason) = wish.block {
                return Opinion::deny(reason);
            }
            arguments = wish.arguments.unwrap_or(arguments);
        }
        if arguments == first { Opinion::Pass } else { Opinion::Rewrite { arguments: arguments.to_string() } }
    }

    async fn after(&self, call: &Called, output: &ToolOutput) -> Option<ToolOutput> {
        let mut changed = None;
        for entry in self.of(HookEvent::PostToolUse).filter(|entry| entry.matcher.is_for(&call.tool)) {
            let seen = changed.as_ref().unwrap_or(output);
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
            let about = json!({
                "session_id": &*call.run,
                "tool_name": call.tool,
                "tool_input": arguments,
                "tool_response": seen.text,
            });
            // A command that looks at results guards nothing: what it could not say is not missed.
            let Ok(wish) = self.ask(entry, about).await else { continue };
            let mut other = seen.clone();
            if let Some(reason) = wish.block {
                other.text = format!("{}\n\nA hook refused this result: {reason}", other.text);
                other.outcome = Outcome::Failed;
            } else if let Some(context) = wish.context {
                other.text = format!("{}\n\n{context}", other.text);
            } else {
                continue;
            }
            changed = Some(other);
        }
        changed
    }

    async fn add(&self, messages: &[Arc<Message>]) -> Vec<Patch> {
        let Some((id, prompt)) = messages.iter().rev().find_map(|message| prompt_of(message)) else {
            return Vec::new();
        };
        let known = self.said().iter().find(|said| said.id == id && said.prompt == prompt).map(|said| {
            // Held for no longer than it takes to copy.
            said.patches.clone()
        });
        if let Some(patches) = known {
            return patches;
        }
        let patches = self.remarks(id, prompt).await;
        let mut said = self.said();
        if said.len() >= MOST_PROMPTS {
            said.pop_front();
        }
        said.push_back(Said { id, prompt: prompt.to_owned(), patches: patches.clone() });
        patches
    }

    /// Asks the commands about a prompt. One that fails has nothing to add; one that blocks keeps the prompt from the
    /// model, in this request and every later one.
    async fn remarks(&self, id: MessageId, prompt: &str) -> Vec<Patch> {
        let mut blocks = Vec::new();
        for entry in self.of(HookEvent::UserPromptSubmit) {
            let Ok(wish) = self.ask(entry, json!({ "prompt": prompt })).await else { continue };
            if let Some(reason) = wish.block {
                let text = format!("[A hook withheld what was said here: {reason}]");
                return vec![Patch::Replace { id, blocks: vec![Block::Text(text)] }];
            }
            blocks.extend(wish.context.map(Block::Text));
        }
        if blocks.is_empty() { Vec::new() } else { vec![Patch::Append(blocks)] }
    }

    /// Asks the commands whether a run may stop. One that never lets it go is heard a few times and then no more: it
    /// must not use up the run's turns.
    async fn go_on(&self, run: &str) -> Option<Prompt> {
        let times = self.stops().get(run).copied().unwrap_or_default();
        let mut reason = None;
        for entry in self.of(HookEvent::Stop).filter(|_| times < MOST_STOPS) {
            let about = json!({ "session_id": run, "stop_hook_active": times > 0 });
            // A command that fails has nothing against it.
            reason = self.ask(entry, about).await.ok().and_then(|wish| wish.block);
            if reason.is_some() {
                break;
            }
        }
        let mut stops = self.stops();
        match &reason {
            Some(_) => stops.insert(run.to_owned(), times + 1),
            None => stops.remove(run),
        };
        if stops.len() > MOST_STOPPING {
            stops.pop_first();
        }
        reason.map(|reason| Prompt::from(format!("A hook says that you are not done: {reason}")))
    }

    fn stops(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every change is one step, so a panic elsewhere leaves nothing half done.
    fn said(&self) -> MutexGuard<'_, VecDeque<Said>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BeforeCall for CommandHooks {
    fn before_call<'a>(&'a self, call: &'a Proposed) -> BoxFuture<'a, Opinion> {
        Box::pin(self.before(call))
    }
}

impl AfterCall for CommandHooks {
    fn after_call<'a>(
        &'a self,
        call: &'a Called,
        output: &'a ToolOutput,
    ) -> BoxFuture<'a, Option<ToolOutput>> {
        Box::pin(self.after(call, output))
    }
}

impl ContextHook for CommandHooks {
    fn context<'a>(&'a self, messages: &'a [Arc<Message>]) -> BoxFuture<'a, Vec<Patch>> {
        Box::pin(self.add(messages))
    }
}

impl FollowUpSource for CommandHooks {
    fn follow_up(&self) -> BoxFuture<'_, Option<Prompt>> {
        self.follow_up_of("")
    }

    fn follow_up_of<'a>(&'a self, run: &'a str) -> BoxFuture<'a, Option<Prompt>> {
        Box::pin(self.go_on(run))
    }
}

impl Hook for CommandHooks {
    fn join(self: Arc<Self>, hooks: Hooks) -> Hooks {
        let has = |event| self.file.entries.iter().any(|entry| entry.event == event);
        let mut own = Hooks::new();
        if has(HookEvent::PreToolUse) {
            own = own.before_call(Arc::clone(&self));
        }
        if has(HookEvent::PostToolUse) {
            own = own.after_call(Arc::clone(&self));
        }
        // What looks at the calls of a run looks at those of whatever it starts; prompts and endings are people's.
        own = own.inherit();
        if has(HookEvent::UserPromptSubmit) {
            own = own.context(Arc::clone(&self));
        }
        if has(HookEvent::Stop) {
            own = own.follow_up(Arc::clone(&self));
        }
        hooks.with(own.deadline(self.longest()))
    }
}

impl CommandHooks {
    /// How long all commands of one event may take one after the other, and a little more: each has its own limit, and
    /// the runtime must not give up before they do.
    fn longest(&self) -> Duration {
        let sum = |event| self.of(event).map(|entry| entry.limit).sum::<Duration>();
        HookEvent::ALL.into_iter().map(sum).max().unwrap_or_default() + SLACK
    }
}

/// What starting and ending commands may take beside their own time.
const SLACK: Duration = Duration::from_secs(5);

/// What a person said, if this is it.
fn prompt_of(message: &Message) -> Option<(MessageId, &str)> {
    let Some(Block::Text(text)) = message.blocks.first() else { return None };
    (message.role == Role::User).then_some((message.id, text))
}
