//! Runs commands as hooks of the runtime: before a call, after it, at a prompt, and when a run
//! would stop. The file with the commands is parsed in `file.rs`, a command is run by a
//! [`HookRunner`] (`jailed_runner.rs`), and its reply is read in `reply.rs`.
//!
//! A hook can only narrow: an approval by a command is ignored. A guard before a call that fails or
//! changed counts as a refusal; a command after a call or at a prompt that merely fails adds
//! nothing. A withheld prompt stays withheld in every later request. Hooks on calls also see the
//! calls of child runs.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use holm_kernel::{Author, Block, Message, MessageId, Outcome, Patch, Prompt, Role, ToolOutput};
use holm_runtime::{
    AfterCallHook, BeforeCallHook, BoxFuture, CompletedCall, ContextHook, FollowUpSource, Hook, HookOpinion,
    HookSet, ProposedCall,
};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    HookCommand, HookEvent, HookRunError, HookRunner,
    file::{HookEntry, TrustedHooks},
    reply::HookReply,
    scripts::HookScript,
};
use crate::trust::ContentHash;

/// How many prompts are remembered together with the decision about them: those of a few long runs.
/// For a prompt that was dropped, the command runs again.
const MOST_PROMPTS: usize = 4_096;

/// Why a prompt is withheld that no command could be asked about in time.
const NOT_ASKED: &str = "the hooks had no time left to check it";

/// The text between the beginning and the end of a large result.
const LEFT_OUT: &str = "\n[...]\n";

/// How many continued runs are counted. A run that is cancelled meanwhile never reports its end.
const MOST_STOPPING: usize = 10_000;

/// How often in a row a run that would stop is made to continue.
const MOST_STOPS: u64 = 3;

/// The commands of a file that a person has trusted, as hooks
/// of an agent: `builder.hook(CommandHooks::new(..))`.
///
/// A call that a command rewrites goes through its schema, the rules and the approval again, like
/// any other rewrite. A command can only narrow. If it "allows" a call, the call is asked about and
/// refused as if the command had said nothing.
pub struct CommandHooks {
    file: TrustedHooks,
    runner: Arc<dyn HookRunner>,
    /// The decisions about the latest prompts: commands run once for each prompt, not
    /// once for each request.
    said: Mutex<VecDeque<PromptRemark>>,
    /// How often in a row each run was made to continue.
    stops: Mutex<BTreeMap<String, u64>>,
    /// The listener for denied calls.
    denied: Option<Arc<DenialListener>>,
    /// The listener for withheld prompts.
    withheld: Option<Arc<WithheldListener>>,
}

/// Receives the name of each tool that was not called, and the reason.
type DenialListener = dyn Fn(&str, &str) + Send + Sync;

/// Receives each prompt that did not reach the model, and the reason.
type WithheldListener = dyn Fn(MessageId, &str) -> BoxFuture<'static, ()> + Send + Sync;

/// What the commands decided about one prompt. Different runs use the same message numbers, so the
/// hash of the text tells them apart.
struct PromptRemark {
    id: MessageId,
    prompt: ContentHash,
    remark: PromptRuling,
}

/// The decision about a prompt.
#[derive(Clone)]
enum PromptRuling {
    /// It is in no request, for this reason.
    Withheld(String),
    /// This is added while it is the latest.
    Adds(Vec<Block>),
}

impl CommandHooks {
    /// Hooks of a trusted file, run by this runner.
    pub fn new(file: TrustedHooks, runner: impl HookRunner + 'static) -> Self {
        let (said, stops) = (Mutex::default(), Mutex::default());
        Self { file, runner: Arc::new(runner), said, stops, denied: None, withheld: None }
    }

    /// Tells of every call that they deny, with the tool and the reason: also of those
    /// of a run's children.
    #[must_use]
    pub fn on_denial(mut self, tell: impl Fn(&str, &str) + Send + Sync + 'static) -> Self {
        self.denied = Some(Arc::new(tell));
        self
    }

    /// Reports every withheld prompt with the reason, at the time of the decision. A process that
    /// resumes a run decides anew about all of its prompts.
    #[must_use]
    pub fn on_withheld(
        mut self,
        tell: impl Fn(MessageId, &str) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        self.withheld = Some(Arc::new(tell));
        self
    }

    /// The text that the model reads in place of a prompt that is withheld for this reason.
    pub fn in_place(reason: &str) -> String {
        format!("[A hook withheld this text: {reason}]")
    }

    fn deny(&self, tool: &str, reason: String) -> HookOpinion {
        if let Some(tell) = &self.denied {
            tell(tool, &reason);
        }
        HookOpinion::deny(reason)
    }

    async fn ask(&self, entry: &HookEntry, mut about: Value) -> Result<HookReply, HookRunError> {
        let named: Vec<&HookScript> =
            self.file.scripts.iter().filter(|script| script.is_of(&entry.command)).collect();
        let stamps = || named.iter().map(|script| script.stamp()).collect::<Vec<_>>();
        let check = || named.iter().try_for_each(|script| script.check(&entry.command));
        // Taken first, so that a file that is replaced between the check and the run
        // has a different stamp.
        let before = stamps();
        check()?;
        if let Some(about) = about.as_object_mut() {
            about.insert("hook_event_name".into(), entry.event.name().into());
        }
        let (line, input, wants) = (entry.command.clone(), about.to_string(), self.file.wants.clone());
        let scripts = named.iter().filter_map(|script| script.content()).collect();
        let done = self.runner.run(HookCommand { line, input, limit: entry.limit, wants, scripts }).await;
        // Not every runner can pin a script. A script that was replaced meanwhile may be
        // the one that ran.
        check()?;
        let swapped = named.iter().zip(before.iter().zip(stamps())).find(|(_, (one, other))| **one != *other);
        match swapped {
            Some((script, _)) => Err(script.changed()),
            None => HookReply::of(done),
        }
    }

    fn of(&self, event: HookEvent) -> impl Iterator<Item = &HookEntry> {
        self.file.entries.iter().filter(move |entry| entry.event == event)
    }

    async fn before(&self, call: &ProposedCall) -> HookOpinion {
        let tool = &*call.proposal.tool;
        let first: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
        let mut arguments = first.clone();
        for entry in self.of(HookEvent::PreToolUse).filter(|entry| entry.matcher.is_for(tool)) {
            let about = json!({ "session_id": &*call.run, "tool_name": tool, "tool_input": arguments });
            let wish = match self.ask(entry, about).await {
                Ok(wish) => wish,
                // A guard that cannot approve has refused.
                Err(error) => return self.deny(tool, error.to_string()),
            };
            if let Some(reason) = wish.block {
                return self.deny(tool, reason);
            }
            arguments = wish.arguments.unwrap_or(arguments);
        }
        if arguments == first {
            HookOpinion::Pass
        } else {
            HookOpinion::Rewrite { arguments: arguments.to_string() }
        }
    }

    async fn after(&self, call: &CompletedCall, output: &ToolOutput) -> Option<ToolOutput> {
        let mut changed = None;
        for entry in self.of(HookEvent::PostToolUse).filter(|entry| entry.matcher.is_for(&call.tool)) {
            let seen = changed.as_ref().unwrap_or(output);
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
            let about = json!({
                "session_id": &*call.run,
                "tool_name": call.tool,
                "tool_input": arguments,
                "tool_response": response_of(seen),
            });
            // A command that checks results guards nothing, so a failed one is ignored.
            let Some(wish) = self.heard(entry, about).await else { continue };
            let mut other = seen.clone();
            if let Some(reason) = wish.block {
                append(&mut other, &format!("A hook refused this result: {reason}"));
                other.outcome = Outcome::Failed;
            } else if let Some(context) = wish.context {
                append(&mut other, &context);
            } else {
                continue;
            }
            changed = Some(other);
        }
        changed
    }

    /// The reply of a command, or nothing if it failed. A command whose script is not the trusted
    /// one blocks, because Holm cannot tell what it would have refused.
    async fn heard(&self, entry: &HookEntry, about: Value) -> Option<HookReply> {
        match self.ask(entry, about).await {
            Ok(wish) => Some(wish),
            Err(error @ HookRunError::Changed { .. }) => {
                Some(HookReply { block: Some(error.to_string()), ..HookReply::default() })
            }
            Err(_) => None,
        }
    }

    /// The patches for a request. A patch applies to one request, so every withheld prompt
    /// is patched each time.
    async fn add(&self, messages: &[Arc<Message>]) -> Vec<Patch> {
        let end = Instant::now() + self.time_for(HookEvent::UserPromptSubmit) + SLACK / 2;
        let (mut patches, mut added, mut latest) = (Vec::new(), Vec::new(), true);
        for message in messages.iter().rev() {
            let Some(prompt) = prompt_of(message) else { continue };
            let remark = match self.known(message.id, &prompt) {
                Some(remark) => remark,
                // A reply that comes too late is ignored. So a call about which the command did not
                // answer is not let through.
                None => {
                    let asked = tokio::time::timeout_at(end, self.remark(message.id, &prompt)).await;
                    let remark = asked.unwrap_or_else(|_| PromptRuling::Withheld(NOT_ASKED.to_owned()));
                    if let (PromptRuling::Withheld(reason), Some(tell)) = (&remark, &self.withheld) {
                        tell(message.id, reason).await;
                    }
                    remark
                }
            };
            match remark {
                PromptRuling::Withheld(reason) => {
                    let blocks = vec![Block::Text(Self::in_place(&reason))];
                    patches.push(Patch::Replace { id: message.id, blocks });
                }
                PromptRuling::Adds(blocks) if latest => added = blocks,
                PromptRuling::Adds(_) => {}
            }
            latest = false;
        }
        patches.extend((!added.is_empty()).then_some(Patch::Append(added)));
        patches
    }

    /// The remark about a prompt, if commands were asked about it.
    fn known(&self, id: MessageId, prompt: &str) -> Option<PromptRuling> {
        let prompt = ContentHash::of(prompt.as_bytes());
        let said = self.said();
        said.iter().rev().find(|said| said.id == id && said.prompt == prompt).map(|said| said.remark.clone())
    }

    /// Asks the commands about a prompt, and remembers their decision. A command that fails adds
    /// nothing. A command that blocks, or whose script is not the trusted one, withholds the prompt
    /// from the model, in this request and every later one.
    async fn remark(&self, id: MessageId, prompt: &str) -> PromptRuling {
        let mut remark = PromptRuling::Adds(Vec::new());
        for entry in self.of(HookEvent::UserPromptSubmit) {
            let Some(wish) = self.heard(entry, json!({ "prompt": prompt })).await else { continue };
            if let Some(reason) = wish.block {
                remark = PromptRuling::Withheld(reason);
                break;
            }
            if let PromptRuling::Adds(blocks) = &mut remark {
                blocks.extend(wish.context.map(Block::Text));
            }
        }
        let mut said = self.said();
        if said.len() >= MOST_PROMPTS {
            said.pop_front();
        }
        said.push_back(PromptRemark {
            id,
            prompt: ContentHash::of(prompt.as_bytes()),
            remark: remark.clone(),
        });
        remark
    }

    /// Asks the commands whether a run may stop. A command that always refuses is obeyed a few
    /// times and then ignored, because it must not use up the run's turns.
    async fn go_on(&self, run: &str) -> Option<Prompt> {
        let times = self.stops().get(run).copied().unwrap_or_default();
        let mut reason = None;
        for entry in self.of(HookEvent::Stop).filter(|_| times < MOST_STOPS) {
            let about = json!({ "session_id": run, "stop_hook_active": times > 0 });
            // A command that fails does not object.
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
        reason.map(|reason| Prompt::from(format!("A hook reports that you are not done: {reason}")))
    }

    fn stops(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every change is a single step, so a panic elsewhere leaves no partial state.
    fn said(&self) -> MutexGuard<'_, VecDeque<PromptRemark>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BeforeCallHook for CommandHooks {
    fn before_call<'a>(&'a self, call: &'a ProposedCall) -> BoxFuture<'a, HookOpinion> {
        Box::pin(self.before(call))
    }
}

impl AfterCallHook for CommandHooks {
    fn after_call<'a>(
        &'a self,
        call: &'a CompletedCall,
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
    fn join(self: Arc<Self>, hooks: HookSet) -> HookSet {
        let has = |event| self.file.entries.iter().any(|entry| entry.event == event);
        let mut own = HookSet::new();
        if has(HookEvent::PreToolUse) {
            own = own.before_call(Arc::clone(&self));
        }
        if has(HookEvent::PostToolUse) {
            own = own.after_call(Arc::clone(&self));
        }
        // A hook on calls also sees the calls of child runs. Prompts and endings belong to people,
        // so those hooks are not inherited.
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
    /// The time that all commands of one event may take in sequence, plus some slack. Each has its
    /// own limit, and the runtime must not give up before they do.
    fn longest(&self) -> Duration {
        HookEvent::ALL.into_iter().map(|event| self.time_for(event)).max().unwrap_or_default() + SLACK
    }

    fn time_for(&self, event: HookEvent) -> Duration {
        self.of(event).map(|entry| entry.limit).sum()
    }
}

/// Time for starting and ending commands, beside their own limits.
const SLACK: Duration = Duration::from_secs(5);

/// The text of a user's prompt, from all of its blocks. A message that the kernel itself sends in
/// the user's role is not a prompt.
fn prompt_of(message: &Message) -> Option<String> {
    let is_prompt = message.role == Role::User && message.author == Author::Speaker;
    let texts: Vec<&str> = message.blocks.iter().filter_map(Block::as_text).collect();
    (is_prompt && !texts.is_empty()).then(|| texts.join("\n"))
}

/// The part of a result that a command sees: for a result that is too large, the
/// beginning and the end.
fn response_of(output: &ToolOutput) -> String {
    match &output.spill {
        Some(spill) => format!("{}{LEFT_OUT}{}", spill.head, spill.tail),
        None => output.text.clone(),
    }
}

/// Adds to a result where a model reads it.
fn append(output: &mut ToolOutput, remark: &str) {
    let text = match &mut output.spill {
        Some(spill) => &mut spill.tail,
        None => &mut output.text,
    };
    text.push_str("\n\n");
    text.push_str(remark);
}
