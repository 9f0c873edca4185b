// The position in a run and its slider. The slider moves at once; the transcript is drawn at most once per screen frame. While
// the slider passes hundreds of events, only what fits on the screen is drawn.

import { type Ref, type ShallowRef, onScopeDispose, ref, watch } from 'vue';

/** A step of more events than this counts as fast. */
const FAST_STEP = 16;
/** How long the slider must rest before everything is drawn again. */
const REST_MS = 150;

export interface Scrubber {
  /** The number of events before the slider. */
  position: Ref<number>;
  /** The position that is drawn, at most one screen frame later. */
  drawn: Ref<number>;
  /** Whether the slider moves fast. */
  fast: Ref<boolean>;
  go(to: number): void;
}

/** Moves through `count` events for the lifetime of the component. */
export function useScrubber(count: Readonly<ShallowRef<number>>): Scrubber {
  const position = ref(count.value);
  const drawn = ref(count.value);
  const fast = ref(false);
  /** Whether the slider is at the end and follows the run. */
  let follows = true;
  let frame: number | null = null;
  let resting: ReturnType<typeof setTimeout> | undefined;

  const draw = (): void => {
    frame = null;
    drawn.value = position.value;
  };
  const go = (to: number): void => {
    const next = Math.max(0, Math.min(count.value, to));
    if (Math.abs(next - drawn.value) > FAST_STEP) {
      fast.value = true;
      clearTimeout(resting);
      resting = setTimeout(() => (fast.value = false), REST_MS);
    }
    position.value = next;
    follows = next === count.value;
    frame ??= requestAnimationFrame(draw);
  };

  watch(count, (now) => {
    if (!follows) return;
    position.value = now;
    drawn.value = now;
  });
  onScopeDispose(() => {
    if (frame !== null) cancelAnimationFrame(frame);
    clearTimeout(resting);
  });
  return { position, drawn, fast, go };
}
