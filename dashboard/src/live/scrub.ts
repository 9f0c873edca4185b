// Where somebody stands in a run, and how a slider gets them there: the slider moves at once, what it shows is drawn at most
// once a frame of the screen, and while it flies past hundreds of events only what fits on the screen is drawn.

import { type Ref, type ShallowRef, onScopeDispose, ref, watch } from 'vue';

/** Events in one step of the slider from which on it flies. */
const LEAP = 16;
/** How long the slider rests before everything is drawn again. */
const REST = 150;

export interface Scrubbing {
  /** Where the slider stands. */
  place: Ref<number>;
  /** What is drawn: the place, a frame of the screen later at most. */
  drawn: Ref<number>;
  /** Whether the slider flies. */
  leaping: Ref<boolean>;
  go(to: number): void;
}

/** Moves through so many events as there are, as long as the component lives. */
export function scrubbing(count: Readonly<ShallowRef<number>>): Scrubbing {
  const place = ref(count.value);
  const drawn = ref(count.value);
  const leaping = ref(false);
  /** Whoever stands at the end goes on with the run; whoever went back stays. */
  let follows = true;
  let frame: number | null = null;
  let resting: ReturnType<typeof setTimeout> | undefined;

  const draw = (): void => {
    frame = null;
    drawn.value = place.value;
  };
  const go = (to: number): void => {
    const next = Math.max(0, Math.min(count.value, to));
    if (Math.abs(next - drawn.value) > LEAP) {
      leaping.value = true;
      clearTimeout(resting);
      resting = setTimeout(() => (leaping.value = false), REST);
    }
    place.value = next;
    follows = next === count.value;
    frame ??= requestAnimationFrame(draw);
  };

  watch(count, (now) => {
    if (!follows) return;
    place.value = now;
    drawn.value = now;
  });
  onScopeDispose(() => {
    if (frame !== null) cancelAnimationFrame(frame);
    clearTimeout(resting);
  });
  return { place, drawn, leaping, go };
}
