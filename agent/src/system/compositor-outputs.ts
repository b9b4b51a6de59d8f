import { type Static, Type } from 'typebox';
import type { Output } from '../resources/display/ports.ts';
import type { Rotation } from '../resources/display/schema.ts';

/** By Wayland's name, which counts counter-clockwise, how the picture is turned clockwise. */
const ROTATIONS: ReadonlyMap<string, Rotation> = new Map([
  ['normal', 0],
  ['270', 90],
  ['180', 180],
  ['90', 270],
]);

/** What `wlr-randr --json` prints of an output, as far as it is used here. */
const CompositorOutput = Type.Object({
  name: Type.String(),
  enabled: Type.Boolean(),
  /** Of outputs that are on. */
  transform: Type.Optional(Type.String()),
  modes: Type.Optional(
    Type.Array(
      Type.Object({
        width: Type.Integer(),
        height: Type.Integer(),
        refresh: Type.Number(),
        current: Type.Boolean(),
      }),
    ),
  ),
});
export type CompositorOutput = Static<typeof CompositorOutput>;

export const CompositorOutputs = Type.Array(CompositorOutput);

/** An output in the contract's spelling of modes; doubles, which differ only in what is not shown, go. */
export function outputOf({ name, enabled, transform, modes = [] }: CompositorOutput): Output {
  const current = enabled ? modes.find((mode) => mode.current) : undefined;
  const texts = modes.map(({ width, height, refresh }) => modeText(width, height, refresh));
  return {
    name,
    mode: current && current.refresh > 0 ? modeText(current.width, current.height, current.refresh) : null,
    rotation: (enabled ? ROTATIONS.get(transform ?? '') : undefined) ?? null,
    modes: [...new Set(texts)],
  };
}

/**
 * `<width>x<height>@<refresh>`, the refresh rate with two digits at most: `1280x720@59.94`; `<width>x<height>` alone
 * when there is no rate.
 * @param refresh in Hz, 0 for none
 */
export function modeText(width: number, height: number, refresh: number): string {
  return refresh > 0 ? `${width}x${height}@${Number(refresh.toFixed(2))}` : `${width}x${height}`;
}

/** Wayland's name for a picture that is turned so. */
export function transformOf(rotation: Rotation): string {
  const [name] = [...ROTATIONS].find(([, turned]) => turned === rotation) ?? ['normal'];
  return name;
}
