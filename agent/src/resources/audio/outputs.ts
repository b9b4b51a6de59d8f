import type { SoundOutput } from './ports.ts';

/** Automatic choice: someone plugged the USB device in on purpose; otherwise sound belongs to the screen. */
const PREFERRED: readonly SoundOutput['kind'][] = ['usb', 'hdmi', 'other'];

export interface NamedOutput extends SoundOutput {
  /** Unique; the outputs of `GET /audio` and the values of `audio.output`. */
  name: string;
}

/** Gives every output a unique name: its label; duplicates get the suffix 2, 3, … Sorted by id. */
export function nameOutputs(outputs: readonly SoundOutput[]): NamedOutput[] {
  const names = new Set<string>();
  return outputs
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((output) => {
      let name = output.label;
      for (let number = 2; names.has(name); number++) name = `${output.label} ${number}`;
      names.add(name);
      return { ...output, name };
    });
}

/** The output to play on: the configured one if it exists, else the best. */
export function chooseOutput(
  outputs: readonly NamedOutput[],
  configured: string | null,
): NamedOutput | undefined {
  const rank = ({ plugged, kind }: NamedOutput) => (plugged ? 0 : PREFERRED.length) + PREFERRED.indexOf(kind);
  return (
    outputs.find(({ name }) => name === configured) ??
    outputs.toSorted((one, other) => rank(one) - rank(other)).at(0)
  );
}
