//! The last resort of compaction: cuts the middle out of results in turns that
//! are otherwise kept whole.

use super::{
    envelope_parts::{self, AttachmentPolicy},
    view::{ContextView, index},
};

/// Lengths in characters to which results are clipped, one after the other, until the view fits.
/// The steps halve, so that few passes are needed; the last one leaves about a screen of lines.
const LIMITS: [u64; 8] = [32_000, 16_000, 8_000, 4_000, 2_000, 1_000, 500, 250];

impl ContextView {
    /// Clips results from `from` on until at most `goal` tokens are in view. The last turn, which
    /// the model has not seen yet, comes last.
    pub(super) fn clip(&mut self, from: u64, goal: u64) {
        let last = self.keep_start(1).max(from);
        let end = self.messages.len() as u64;
        for (start, stop) in [(from, last), (last, end)] {
            for limit in LIMITS {
                if self.tokens <= goal {
                    return;
                }
                self.clip_range(start, stop, limit);
            }
        }
    }

    fn clip_range(&mut self, start: u64, stop: u64, limit: u64) {
        let attachments =
            if LIMITS.last() == Some(&limit) { AttachmentPolicy::Leave } else { AttachmentPolicy::Keep };
        for at in start..stop {
            self.worked(1);
            if self.measure(at).elidable <= limit {
                continue;
            }
            let shown = self.messages.get(index(at));
            if let Some(message) = shown.and_then(|shown| envelope_parts::clip(shown, limit, attachments)) {
                self.replace(at, message);
            }
        }
    }
}
