//! Queues prompts and a mode change for a session that is still opening, so that they are neither
//! lost nor refused. Prompts to a run that works already are not here but in `tab.rs`. `update.rs`
//! sends the queue when the session is open, as one prompt.

use holm::grants::Mode;

use super::state::UserText;

/// The prompts and the mode that wait until a session is open.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OpeningQueue {
    said: Vec<QueuedLine>,
    /// The mode that was chosen meanwhile.
    pub(super) mode: Option<Mode>,
}

/// A prompt that waits.
#[derive(Debug, PartialEq, Eq)]
struct QueuedLine {
    words: UserText,
    /// The line as it was typed, which for a command is more than its text.
    line: String,
}

impl OpeningQueue {
    /// Takes something that was said, and the line that said it.
    pub(super) fn say(&mut self, words: UserText, line: String) {
        self.said.push(QueuedLine { words, line });
    }

    /// Whether no prompt is queued.
    pub(super) fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// The lines as they were typed, the first one first.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.said.iter().map(|said| said.line.as_str())
    }

    /// The words as they will be said, the first one first.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.said.iter().map(|said| said.words.text.as_str())
    }

    /// Forgets what was said.
    pub(super) fn clear(&mut self) {
        self.said.clear();
    }

    /// All that was said as one prompt: a run that has not begun cannot be steered.
    pub(super) fn take(&mut self) -> Option<UserText> {
        let all = std::mem::take(&mut self.said).into_iter().map(|said| said.words);
        all.reduce(|before, next| UserText {
            text: format!("{}\n\n{}", before.text, next.text),
            typed: format!("{}\n\n{}", before.typed, next.typed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_becomes_one_prompt_and_its_lines_are_known_as_they_were_typed() {
        let mut held = OpeningQueue::default();
        assert_eq!((held.is_empty(), held.take()), (true, None));
        held.say(UserText::typed("first".into()), "first".into());
        held.say(UserText::around("Review src closely.".into(), "src"), "/review src".into());
        assert_eq!(held.lines().collect::<Vec<_>>(), ["first", "/review src"]);
        assert_eq!(held.texts().collect::<Vec<_>>(), ["first", "Review src closely."]);
        let words = UserText::around("first\n\nReview src closely.".into(), "first\n\nsrc");
        assert_eq!((held.take(), held.is_empty()), (Some(words), true));
    }
}
