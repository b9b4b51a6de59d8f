/** The readers with the tags in their fields, and who may use a tag. Pure: no time, no input or output. */
import { ApiError } from '../../contract/errors.ts';
import type { HandleIssuer } from './handles.ts';
import type { ReaderState, TagSeen, Tech } from './ports.ts';
import { invalidState, type NfcReader, type NfcTag, nfcTagUnsupported } from './schema.ts';

/** A reader's chip holds two tags at a time. */
const MAX_TAGS = 8;

/** A change that hosts learn of. */
export type Change =
  | { change: 'connected'; reader_id: string; backend: string }
  | { change: 'disconnected'; reader_id: string }
  | { change: 'tag'; tag: NfcTag & { reader_id: string }; seen: TagSeen }
  | { change: 'tag_removed'; reader_id: string; tag_handle: string };

/** One stay of a tag. */
interface Stay {
  tag: number;
  seen: TagSeen;
  handle: string;
  /** Its handle is being used. */
  isUsed: boolean;
}

interface Known {
  state: ReaderState;
  /** By number, in the order in which they came. */
  stays: Map<number, Stay>;
}

/** Permission to use a tag once. Exactly one of its functions is called, once. */
export interface Use {
  /** Number of the tag's stay. */
  readonly tag: number;
  /** The request was not passed to the reader: the handle remains valid. */
  release(): void;
  /**
   * The request was passed to the reader.
   * @returns the next handle of this stay; undefined if the tag has left
   */
  end(): string | undefined;
  /** As `end`, and the tag contains this message now. @param ndef base64; undefined: none */
  endWith(ndef: string | undefined): string | undefined;
}

export class Readers {
  readonly #handles: HandleIssuer;
  #known = new Map<string, Known>();

  constructor(handles: HandleIssuer) {
    this.#handles = handles;
  }

  /** All readers with their present tags. */
  list(): NfcReader[] {
    return [...this.#known.values()].map(shownReader);
  }

  /** Undefined for a reader that is not known. */
  get(reader: string): NfcReader | undefined {
    const known = this.#known.get(reader);
    return known && shownReader(known);
  }

  /** Whether a reader is connected and answers. */
  get hasReader(): boolean {
    return [...this.#known.values()].some(({ state }) => state.present);
  }

  /** The present tags, that which came last first: the program numbers the stays at all its readers. */
  presentTags(): TagSeen[] {
    const stays = [...this.#known.values()].flatMap((known) => [...known.stays.values()]);
    return stays.map(({ seen }) => seen).sort((a, b) => b.tag - a.tag);
  }

  /**
   * A page has written this message, or none, to a tag. Its handle remains valid: it names the stay, which goes on.
   * @param ndef base64; undefined: none
   */
  written(reader: string, tag: number, ndef: string | undefined): void {
    const stay = this.#known.get(reader)?.stays.get(tag);
    if (stay) stay.seen = { ...stay.seen, ndef, unread: false };
  }

  /** Sentences about readers that are not present. */
  absences(): string[] {
    return [...this.#known.values()]
      .filter(({ state }) => !state.present)
      .map(({ state: { reader, problem } }) => `NFC reader ${reader}: ${problem ?? 'It is not connected.'}`);
  }

  /** The program has reported all its readers. */
  replace(states: readonly ReaderState[]): Change[] {
    const before = this.#known;
    this.#known = new Map();
    const connected: Change[] = [];
    for (const state of states) {
      const known = before.get(state.reader);
      const isSame = known?.state.present === true && state.present && known.state.backend === state.backend;
      this.#known.set(state.reader, { state, stays: isSame ? known.stays : new Map() });
      if (isSame) before.delete(state.reader);
      else if (state.present) {
        connected.push({ change: 'connected', reader_id: state.reader, backend: state.backend });
      }
    }
    return [...dropped(before), ...connected];
  }

  /** The program has ended. Its readers are listed until it reports again. */
  disconnect(): Change[] {
    const changes = dropped(this.#known);
    for (const known of this.#known.values()) {
      known.state = { ...known.state, present: false, problem: undefined };
    }
    return changes;
  }

  /** NFC was switched off. */
  clear(): void {
    dropped(this.#known);
    this.#known.clear();
  }

  tagSeen(seen: TagSeen): Change[] {
    const known = this.#known.get(seen.reader);
    if (!known?.state.present) return [];
    const stay = known.stays.get(seen.tag);
    if (stay) {
      stay.seen = seen;
      return [];
    }
    if (known.stays.size >= MAX_TAGS) return [];
    const added: Stay = { tag: seen.tag, seen, handle: this.#handles.issue(seen.reader), isUsed: false };
    known.stays.set(seen.tag, added);
    return [{ change: 'tag', tag: { reader_id: seen.reader, ...shownTag(added) }, seen }];
  }

  tagGone(reader: string, tag: number): Change[] {
    const known = this.#known.get(reader);
    const stay = known?.stays.get(tag);
    if (!known || !stay) return [];
    known.stays.delete(tag);
    return [{ change: 'tag_removed', reader_id: reader, tag_handle: stay.handle }];
  }

  /**
   * Uses a handle. Until the use ends, another one is refused.
   * @param tech that the tag must support; if it does not, the handle remains valid
   * @throws ApiError `not_found`, `invalid_state`, `nfc_tag_unsupported`
   */
  use(reader: string, handle: string, tech: Tech): Use {
    const known = this.#known.get(reader);
    if (!known) throw unknownReader(reader);
    if (!this.#handles.wasIssued(reader, handle)) {
      throw new ApiError('not_found', 'This tag handle was not issued for this reader.');
    }
    const stay = [...known.stays.values()].find((each) => each.handle === handle);
    if (!stay || stay.isUsed) throw new ApiError(invalidState);
    if (!stay.seen.techs.includes(tech)) {
      const what = tech === 'ndef' ? 'is not formatted for NDEF messages' : 'is not ISO-DEP';
      throw new ApiError(nfcTagUnsupported, `The tag ${what}.`);
    }
    stay.isUsed = true;
    const end = () => {
      stay.isUsed = false;
      stay.handle = this.#handles.issue(reader);
      return known.stays.get(stay.tag) === stay ? stay.handle : undefined;
    };
    return {
      tag: stay.tag,
      release: () => {
        stay.isUsed = false;
      },
      end,
      endWith: (ndef) => {
        stay.seen = { ...stay.seen, ndef, unread: false };
        return end();
      },
    };
  }
}

export function unknownReader(reader: string): ApiError {
  return new ApiError('not_found', `There is no NFC reader ${JSON.stringify(reader)}.`);
}

/** Forgets the tags of these readers. */
function dropped(readers: ReadonlyMap<string, Known>): Change[] {
  for (const { stays } of readers.values()) stays.clear();
  return [...readers.values()]
    .filter(({ state }) => state.present)
    .map(({ state }) => ({ change: 'disconnected', reader_id: state.reader }));
}

function shownReader({ state, stays }: Known): NfcReader {
  const { reader: id, backend, present, techs, has_led, has_buzzer } = state;
  const capabilities = { techs: [...techs], has_led, has_buzzer };
  return { id, backend, present, capabilities, tags: [...stays.values()].map(shownTag) };
}

function shownTag({ handle, seen }: Stay): NfcTag {
  const { uid, atqa, sak, techs, ndef } = seen;
  return { tag_handle: handle, uid, atqa, sak, techs: [...techs], ...(ndef ? { ndef } : {}) };
}
