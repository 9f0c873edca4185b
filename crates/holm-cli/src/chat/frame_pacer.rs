//! Decides when frames are drawn: on a steady beat while something changes, at once after a key,
//! never at rest. The caller passes all times, so nothing here reads a clock or waits;
//! `chat_loop.rs` does both.
//!
//! What is drawn is decided in `draw.rs`.

use std::time::Duration;

/// The time from one beat to the next. Sixty frames a second are as many as people can see. This is
/// a tenth less than a sixtieth of a second, so that a machine that misses one beat in ten still
/// draws sixty. Timers count whole milliseconds.
const BEAT: Duration = Duration::from_millis(15);

/// The shortest time from a frame to the one that a key requests. Users do not press keys as fast,
/// and text that arrives as keys does not draw a frame for each letter.
const BREATH: Duration = Duration::from_millis(4);

/// Decides when the next frame is drawn. All times are counted from the start of the chat.
///
/// Beats come at fixed times, whether frames are drawn or not. A late frame does not delay the next
/// one, and missed beats are not caught up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FramePacer {
    /// The last beat before the last frame.
    beat: Duration,
    /// When the last frame was finished.
    drawn: Duration,
    /// When the next frame is due; `None` at rest.
    due: Option<Duration>,
}

impl FramePacer {
    /// The first frame was done at this time, and with it the beat begins.
    pub(super) fn new(now: Duration) -> Self {
        Self { beat: now, drawn: now, due: None }
    }

    /// Something has changed that is seen on the next beat: at once where that has passed already.
    pub(super) fn changed(&mut self) {
        self.want(self.beat.saturating_add(BEAT));
    }

    /// The person has pressed a key, and does not wait for a beat.
    pub(super) fn pressed(&mut self, now: Duration) {
        self.want(self.drawn.saturating_add(BREATH).max(now));
    }

    /// When the next frame is due; none while nothing has changed.
    pub(super) fn next(&self) -> Option<Duration> {
        self.due
    }

    /// Whether a frame is to be drawn now.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// A frame was done at this time, and shows all that has changed.
    pub(super) fn drew(&mut self, now: Duration) {
        let behind = now.saturating_sub(self.beat).as_nanos() % BEAT.as_nanos();
        // A rest of a division by something as short always fits.
        let behind = Duration::from_nanos(u64::try_from(behind).unwrap_or_default());
        (self.beat, self.drawn, self.due) = (now.saturating_sub(behind), now, None);
    }

    /// The earlier of two wishes counts.
    fn want(&mut self, at: Duration) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// How many frames are drawn in a time, if something changes each `token` and a timer or a
    /// frame is late by `late`.
    fn frames(within: Duration, token: Duration, late: impl Fn(u32) -> Duration) -> u32 {
        let mut pace = FramePacer::new(Duration::ZERO);
        let (mut now, mut changes, mut drawn) = (Duration::ZERO, token, 0);
        while now < within {
            // The loop wakes for the earlier of the two.
            let due = pace.next().map(|due| due.max(now) + late(drawn));
            match due.filter(|due| *due <= changes) {
                Some(due) => now = due,
                None => {
                    now = now.max(changes);
                    changes += token;
                    pace.changed();
                }
            }
            if pace.is_due(now) {
                drawn += 1;
                pace.drew(now);
            }
        }
        drawn
    }

    #[test]
    fn two_hundred_tokens_a_second_are_sixty_frames_a_second() {
        let second = Duration::from_secs(1);
        assert_eq!(frames(second, ms(5), |_| Duration::ZERO), 66);
        assert_eq!(frames(second * 60, ms(5), |_| Duration::ZERO) / 60, 66, "nothing is lost over a minute");
    }

    #[test]
    fn late_timers_put_no_frame_off() {
        // What arrives hits no beat.
        let (minute, token) = (Duration::from_secs(60), Duration::from_micros(5_300));
        for late in [300, 1_999, 4_700, 9_000] {
            let drawn = frames(minute, token, |_| Duration::from_micros(late));
            assert!(drawn / 60 >= 66, "{late} µs late, {drawn} frames");
        }
        // Late by something else each time.
        let drawn = frames(minute, token, |frame| Duration::from_micros(u64::from(frame % 7) * 600));
        assert!(drawn / 60 >= 66, "{drawn}");
    }

    #[test]
    fn beats_that_were_missed_are_not_made_up_for_and_the_next_one_comes_when_it_would_have() {
        let mut pace = FramePacer::new(ms(100));
        pace.changed();
        assert_eq!(pace.next(), Some(ms(115)));
        // Two more beats pass by, at 130 and at 145.
        assert!(pace.is_due(ms(150)));
        pace.drew(ms(150));
        assert_eq!(pace.next(), None);
        pace.changed();
        assert_eq!(pace.next(), Some(ms(160)));
        assert!(!pace.is_due(ms(159)) && pace.is_due(ms(160)));
    }

    #[test]
    fn a_frame_that_takes_longer_than_a_beat_leaves_time_for_other_things() {
        let mut pace = FramePacer::new(ms(0));
        pace.changed();
        // Begun on the beat at 15, done at 57.
        pace.drew(ms(57));
        pace.changed();
        assert_eq!(pace.next(), Some(ms(60)));
    }

    #[test]
    fn at_rest_there_is_no_frame_and_the_first_change_after_it_is_seen_at_once() {
        let mut pace = FramePacer::new(ms(0));
        assert_eq!((pace.next(), pace.is_due(ms(90_000))), (None, false));
        pace.changed();
        assert!(pace.is_due(ms(90_001)));
        pace.drew(ms(90_001));
        assert_eq!((pace.next(), pace.is_due(ms(200_000))), (None, false));
    }

    #[test]
    fn a_key_is_seen_at_once_and_the_beat_goes_on_as_before() {
        let mut pace = FramePacer::new(ms(0));
        pace.changed();
        pace.drew(ms(15));
        pace.changed();
        pace.pressed(ms(23));
        assert_eq!(pace.next(), Some(ms(23)));
        pace.drew(ms(23));
        pace.changed();
        assert_eq!(pace.next(), Some(ms(30)), "on the beat");
    }

    #[test]
    fn keys_that_come_faster_than_anybody_types_share_a_frame() {
        let mut pace = FramePacer::new(ms(0));
        pace.pressed(ms(50));
        assert!(pace.is_due(ms(50)));
        pace.drew(ms(50));
        pace.pressed(ms(51));
        pace.pressed(ms(52));
        assert_eq!((pace.next(), pace.is_due(ms(53))), (Some(ms(54)), false));
        // A change on the beat waits for no key, and a key for no beat.
        pace.changed();
        assert_eq!(pace.next(), Some(ms(54)));
    }
}
