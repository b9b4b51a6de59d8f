import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isSameMode } from '../../base/screen-mode.ts';
import type { Output } from '../../resources/display/ports.ts';
import type { Rotation } from '../../resources/display/schema.ts';
import { validator } from '../../validation/validator.ts';

/** The clockwise rotation by Wayland's name, which counts counter-clockwise. */
const ROTATIONS: ReadonlyMap<string, Rotation> = new Map([
  ['normal', 0],
  ['270', 90],
  ['180', 180],
  ['90', 270],
]);

const HEADLESS = /^HEADLESS-\d+$/;
/** The rate of wlroots' headless outputs, in Hz, while their mode names none. */
const HEADLESS_REFRESH = 60;

/** The parts of an output in `wlr-randr --json` that are used here. */
const CompositorOutput = Type.Object({
  name: Type.String(),
  enabled: Type.Boolean(),
  make: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  model: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  /** Only of outputs that are on. */
  transform: Type.Optional(Type.String()),
  scale: Type.Optional(Type.Number()),
  modes: Type.Optional(
    Type.Array(
      Type.Object({
        width: Type.Integer(),
        height: Type.Integer(),
        refresh: Type.Number(),
        preferred: Type.Boolean(),
        current: Type.Boolean(),
      }),
    ),
  ),
});
export type CompositorOutput = Static<typeof CompositorOutput>;

export const CompositorOutputs = validator(Type.Array(CompositorOutput));

/** The output with the rate at which wlroots really paints it. */
export function withRate(output: CompositorOutput): CompositorOutput {
  if (!HEADLESS.test(output.name)) return output;
  const { modes = [] } = output;
  return { ...output, modes: modes.map((mode) => ({ ...mode, refresh: mode.refresh || HEADLESS_REFRESH })) };
}

/** An output with modes as the contract writes them. Modes that differ only in hidden digits are merged. */
export function outputOf(output: CompositorOutput): Output {
  const { name, enabled, transform, scale, modes = [], make = null, model = null } = output;
  const current = enabled ? modes.find((mode) => mode.current) : undefined;
  const texts = modes.map(({ width, height, refresh }) => modeText(width, height, refresh));
  return {
    name,
    mode: current && current.refresh > 0 ? modeText(current.width, current.height, current.refresh) : null,
    rotation: (enabled ? ROTATIONS.get(transform ?? '') : undefined) ?? null,
    scale: (enabled ? scale : undefined) ?? null,
    modes: [...new Set(texts)],
    make,
    model,
  };
}

/**
 * The arguments of wlr-randr that make an output use a mode; none when it already does.
 * @param mode `<width>x<height>@<refresh>`; null: the one that the screen prefers. The screen's mode with nearly that
 *   rate is taken, or else timings are computed
 */
export function modeArguments({ modes = [] }: CompositorOutput, mode: string | null): string[] {
  const exact = ({ width, height, refresh }: (typeof modes)[number]) =>
    `${width}x${height}@${refresh.toFixed(6)}Hz`;
  const text = (one: (typeof modes)[number]) => modeText(one.width, one.height, one.refresh);
  const fitting =
    mode === null
      ? modes.filter(({ preferred }) => preferred)
      : modes.filter((one) => isSameMode(text(one), mode));
  if (fitting.some(({ current }) => current)) return [];
  const [best] = fitting.toSorted(
    (one, other) => rateError(one.refresh, mode) - rateError(other.refresh, mode),
  );
  if (best) return ['--mode', exact(best)];
  return mode === null ? [] : ['--custom-mode', `${mode}Hz`];
}

function rateError(refresh: number, mode: string | null): number {
  return Math.abs(refresh - Number(mode?.split('@')[1] ?? refresh));
}

/**
 * `<width>x<height>@<refresh>`, with at most two decimals: `1280x720@59.94`; `<width>x<height>` without a rate.
 * @param refresh in Hz, 0 for none
 */
export function modeText(width: number, height: number, refresh: number): string {
  return refresh > 0 ? `${width}x${height}@${Number(refresh.toFixed(2))}` : `${width}x${height}`;
}

/** Wayland's name of a clockwise rotation. */
export function transformOf(rotation: Rotation): string {
  const [name] = [...ROTATIONS].find(([, turned]) => turned === rotation) ?? ['normal'];
  return name;
}
