//! What `/rewind` and `/redo` do with the state. The prompts and the files come from
//! `chat/rewind.rs`. Nothing goes back while a turn runs, and a message that is sent while files are
//! restored returns to the input line: it was meant for another state of the files.

use holm::grants::Mode;

use crate::chat::{
    item::NoteTone,
    rewind::{DoneRewind, RewindScope, RewindTarget, RewindTask, RewoundFiles},
    state::{ChatCommand, ChatState, SessionOrigin},
    tab::{SessionTab, TabId, TabPhase},
};

/// Why nothing goes back now.
const BUSY: &str = "the run is still using these files; stop it first";

impl ChatState {
    /// Asks for the prompts of the session that is looked at.
    pub(super) fn rewind(&mut self) -> Vec<ChatCommand> {
        let Some(tab) = self.tab() else { return Vec::new() };
        if let Some(why) = not_now(tab) {
            return self.told(why);
        }
        let Some(session) = tab.session.clone() else { return Vec::new() };
        let id = tab.id;
        let target = |(number, turn): (u64, &crate::chat::tab::TranscriptTurn)| {
            let (session, prompt) = (session.clone(), turn.prompt.clone());
            Some(RewindTarget { tab: id, session, number, before: turn.before?, prompt })
        };
        let targets: Vec<RewindTarget> = (1..).zip(&tab.turns).filter_map(target).collect();
        if targets.is_empty() {
            return self.told("no message to go back to yet");
        }
        self.request_list(ChatCommand::Rewind(RewindTask::List { session, targets }))
    }

    /// A prompt was chosen: shows what going back would do.
    pub(super) fn rewind_to(&mut self, target: RewindTarget) -> Vec<ChatCommand> {
        match self.find(target.tab).map(|tab| not_now(tab)) {
            Some(None) => self.request_list(ChatCommand::Rewind(RewindTask::Preview(target))),
            Some(Some(why)) => self.told(why),
            None => Vec::new(),
        }
    }

    /// It was chosen what goes back. Files first: if they cannot be restored, the conversation stays.
    pub(super) fn rewind_now(&mut self, target: RewindTarget, scope: RewindScope) -> Vec<ChatCommand> {
        let Some(tab) = self.find(target.tab) else { return Vec::new() };
        if let Some(why) = not_now(tab) {
            return self.told(why);
        }
        if scope.has_files() {
            tab.phase = TabPhase::Rewinding;
            return vec![ChatCommand::Rewind(RewindTask::Restore { target, scope })];
        }
        self.fork_before(target, false)
    }

    /// The files were restored, or could not be.
    pub(super) fn rewound(
        &mut self,
        target: RewindTarget,
        scope: RewindScope,
        files: Result<RewoundFiles, String>,
    ) -> Vec<ChatCommand> {
        self.with(target.tab, SessionTab::rewound);
        let files = match files {
            Ok(files) => files,
            Err(why) => {
                self.with(target.tab, |tab| tab.note(NoteTone::Warning, &why));
                return Vec::new();
            }
        };
        self.with(target.tab, |tab| tab.note(NoteTone::Quiet, &files.text));
        if scope.has_conversation() {
            let commands = self.fork_before(target, files.is_changed);
            if let Some(tab) = self.tab_mut() {
                tab.note(NoteTone::Quiet, &files.text);
            }
            return commands;
        }
        if files.is_changed {
            self.rewinds.push(DoneRewind { target, has_files: true, fork: None });
        }
        Vec::new()
    }

    /// Continues in a new session that ends before the prompt, whose text returns to the input line.
    fn fork_before(&mut self, target: RewindTarget, has_files: bool) -> Vec<ChatCommand> {
        let mode = self.find(target.tab).map_or(Mode::Default, |tab| tab.mode);
        let how = SessionOrigin::Fork { session: target.session.clone(), at: target.before };
        let open = self.open(how, mode);
        self.typed(&target.prompt);
        let fork = self.tab().map(|tab| tab.id);
        self.rewinds.push(DoneRewind { target, has_files, fork });
        vec![open]
    }

    /// Takes the last rewind of this chat back.
    pub(super) fn redo(&mut self) -> Vec<ChatCommand> {
        let Some(done) = self.rewinds.last().cloned() else {
            return self.told("there is no rewind to take back");
        };
        // The files may be in use by the fork, and by the session that was rewound.
        let tabs = [Some(done.target.tab), done.fork, self.tab().map(|tab| tab.id)];
        for id in tabs.into_iter().flatten() {
            let phase = self.find(id).map(|tab| tab.phase);
            if matches!(phase, Some(TabPhase::Running | TabPhase::Rewinding)) {
                return self.told(BUSY);
            }
        }
        if !done.has_files {
            self.rewinds.pop();
            return self.return_from(&done);
        }
        let Some(tab) = self.tab_mut() else { return Vec::new() };
        if tab.phase == TabPhase::Idle {
            tab.phase = TabPhase::Rewinding;
        }
        vec![ChatCommand::Rewind(RewindTask::Redo { tab: tab.id, done })]
    }

    /// The files of a rewind are as before it again, or could not be.
    pub(super) fn redone(
        &mut self,
        id: TabId,
        done: &DoneRewind,
        files: Result<String, String>,
    ) -> Vec<ChatCommand> {
        self.with(id, SessionTab::rewound);
        match files {
            Ok(text) => {
                if let Some(at) = self.rewinds.iter().rposition(|known| known == done) {
                    self.rewinds.remove(at);
                }
                let commands = self.return_from(done);
                if let Some(tab) = self.tab_mut() {
                    tab.note(NoteTone::Quiet, &text);
                }
                commands
            }
            Err(why) => {
                self.with(id, |tab| tab.note(NoteTone::Warning, &why));
                Vec::new()
            }
        }
    }

    /// Returns to the session whose conversation was rewound. The fork closes if nothing was said in
    /// it; its session is kept.
    fn return_from(&mut self, done: &DoneRewind) -> Vec<ChatCommand> {
        let Some(fork) = done.fork else { return Vec::new() };
        let mut commands = Vec::new();
        let is_unused = |tab: &SessionTab| (tab.turns.len() as u64) < done.target.number;
        if let Some(at) = self.tabs.iter().position(|tab| tab.id == fork && is_unused(tab)) {
            let unsaid = self.tabs.remove(at).unsaid();
            self.remember(unsaid);
            commands.push(ChatCommand::Close(fork));
        }
        let session = &done.target.session;
        match self.tabs.iter().position(|tab| tab.session.as_ref() == Some(session)) {
            Some(at) => self.turn_to(at),
            None => {
                let how = SessionOrigin::Resume { session: session.clone() };
                commands.push(self.open(how, Mode::Default));
            }
        }
        commands
    }
}

/// Why nothing goes back in this session now.
fn not_now(tab: &SessionTab) -> Option<&'static str> {
    match tab.phase {
        TabPhase::Idle => None,
        TabPhase::Running => Some(BUSY),
        TabPhase::Rewinding => Some("files are being restored"),
        TabPhase::Opening => Some("the session is not open yet"),
        TabPhase::Broken => Some(super::actions::UNUSABLE),
    }
}

#[cfg(test)]
mod tests;
