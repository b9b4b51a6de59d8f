import type { Tag, TagAnswer } from '../tags/tag.ts';

/** The tags that a reader's antenna reaches. */
export class Field {
  /** With the number of commands that each still answers before it is taken away. */
  readonly #tags = new Map<Tag, number>();
  #isOn = true;
  /** Called when a tag is put here or taken away. */
  changed: () => void = () => undefined;

  /** Those that have power, in the order in which they came. */
  get tags(): Tag[] {
    return this.#isOn ? [...this.#tags.keys()] : [];
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** @param commands after which it is gone again */
  put(tag: Tag, commands = Number.POSITIVE_INFINITY): void {
    tag.reset();
    this.#tags.set(tag, commands);
    this.changed();
  }

  take(tag: Tag): void {
    if (this.#tags.delete(tag)) this.changed();
  }

  clear(): void {
    this.#tags.clear();
    this.changed();
  }

  /** The tag answers `commands` commands from now on and is then taken away. */
  takeAfter(tag: Tag, commands: number): void {
    if (this.#tags.has(tag)) this.#tags.set(tag, commands);
  }

  /** Switches the carrier. Tags have no power without it. */
  switch(isOn: boolean): void {
    if (isOn && !this.#isOn) for (const tag of this.#tags.keys()) tag.reset();
    this.#isOn = isOn;
  }

  exchange(tag: Tag, data: Buffer): TagAnswer {
    const left = this.#tags.get(tag);
    if (left === undefined || !this.#isOn) return undefined;
    if (left === 0) {
      this.take(tag);
      return undefined;
    }
    this.#tags.set(tag, left - 1);
    const answer = tag.exchange(data);
    if (left === 1) this.take(tag);
    return answer;
  }
}
