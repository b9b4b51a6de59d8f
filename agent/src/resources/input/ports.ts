import type { Static } from 'typebox';
import type { InputDevice } from './schema.ts';

/** An input device, as the kernel lists it. */
export interface ListedDevice extends Static<typeof InputDevice> {
  /** It reports positions on the screen. */
  hasPositions: boolean;
}

/** A position on an input device, before rotation. */
export interface TouchPoint {
  slot: number;
  /** 0 to 1 of the device's width. */
  x: number;
  y: number;
  pressed: boolean;
  /** ms since 1970. */
  at: number;
}

/** The keyboard layout of the compositor, which reads it when it starts. */
export interface KeyboardLayout {
  /**
   * @returns whether it differs from the one before
   * @throws Error when it could not be stored
   */
  set(layout: string): Promise<boolean>;
}

export interface InputDevices {
  /** The devices that are connected now. Never rejects. */
  list(): Promise<ListedDevice[]>;
  /** Reports when a device was plugged in or unplugged, perhaps several times. @returns stops it */
  watch(changed: () => void): () => void;
  /**
   * Reads a device with positions until it is stopped, also when the reader has to be started again. Others read the same
   * events.
   * @param lost the reader ended, so the end of a touch may have been missed
   * @returns stops it
   */
  read(node: string, onPoint: (point: TouchPoint) => void, lost: () => void): () => void;
}

/**
 * A pointer and a keyboard of the compositor that the agent moves and presses (native/virtual-input.c). Calls come one
 * after the other.
 */
export interface VirtualInput {
  /** The compositor has both. False also when they are gone, as after a restart of the compositor. */
  readonly isRunning: boolean;
  /** Adds both to the compositor. @throws Error when there is no compositor */
  start(): Promise<void>;
  /**
   * Resolves when the compositor has got everything.
   * @param lines as the program describes them
   * @throws Error otherwise
   */
  send(lines: readonly string[]): Promise<void>;
  /** Removes both, if they are there. The compositor releases what is still pressed. */
  stop(): void;
}
