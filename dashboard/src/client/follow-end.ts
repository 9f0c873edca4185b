// Keeps the end of a growing box in view until the reader scrolls up, and again once the reader is back at the end.

import { type Ref, type ShallowRef, onScopeDispose, shallowRef, watch } from 'vue';

import { FollowState } from '../core/follow-state.ts';

export interface FollowEnd {
  /** Whether the box follows its end. */
  following: Readonly<ShallowRef<boolean>>;
  /** Goes to the end and follows it. */
  jump(): void;
  /** To be called on every scroll event of the box. */
  scrolled(): void;
}

/** Follows the end of `box`, whose content is `content`. */
export function useFollowEnd(box: Ref<HTMLElement | null>, content: Ref<HTMLElement | null>): FollowEnd {
  const state = new FollowState();
  const following = shallowRef(true);
  const toEnd = (): void => {
    if (box.value !== null) box.value.scrollTop = box.value.scrollHeight;
  };
  // Items out of sight have an estimated height, and get their own when they come into view. So the end moves after each jump,
  // and only an observer sees the final position.
  const observer = new ResizeObserver(() => {
    if (state.following) toEnd();
  });
  watch(
    [box, content],
    (elements) => {
      observer.disconnect();
      for (const element of elements) if (element !== null) observer.observe(element);
    },
    { immediate: true },
  );
  onScopeDispose(() => observer.disconnect());
  return {
    following,
    jump: () => {
      state.jump();
      following.value = true;
      toEnd();
    },
    scrolled: () => {
      if (box.value === null) return;
      const { scrollTop, scrollHeight, clientHeight } = box.value;
      following.value = state.scrolled(scrollTop, scrollHeight - scrollTop - clientHeight);
    },
  };
}
