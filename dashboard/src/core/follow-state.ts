// Decides whether a scrolled box follows its end. Only the reader can stop it: by scrolling up. Growth of the content never does.

/** The distance that still counts as the end: a line or two of text. */
const END_DISTANCE_PX = 60;

export class FollowState {
  #following = true;
  #top = 0;

  get following(): boolean {
    return this.#following;
  }

  /** The reader, or the page, scrolled to `top`; `distance` is what is left below. Returns whether the box follows. */
  scrolled(top: number, distance: number): boolean {
    const up = top < this.#top;
    this.#top = top;
    // Content that shrinks moves the box up too, but leaves it at its end.
    if (distance <= 1) this.#following = true;
    else if (up) this.#following = false;
    else if (distance < END_DISTANCE_PX) this.#following = true;
    return this.#following;
  }

  jump(): void {
    this.#following = true;
  }
}
