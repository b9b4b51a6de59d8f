/** Modes of screens: `<width>x<height>@<refresh in Hz>`, before rotation. Pure. */

/** In Hz, for modes of which only the size is known. */
const USUAL_RATE = 60;
/** Rates that differ by less are the same to the device, in Hz. */
const SAME_RATE_HZ = 0.5;
/** What `display.forced_mode` accepts. */
const FORCIBLE = /^[1-9]\d{1,4}x[1-9]\d{1,4}@[1-9]\d{0,2}(?:\.\d{1,3})?$/;

export interface Mode {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** In Hz. */
  readonly rate: number;
}

/** @returns undefined for a text that is no mode */
export function modeIn(text: string): Mode | undefined {
  const [, width, height, rate = USUAL_RATE] = /^(\d+)x(\d+)(?:@(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Number(width), height: Number(height), rate: Number(rate) };
}

/** A mode as the configuration has it; undefined if the device does not accept it. */
export function modeText({ width, height, rate }: Mode): string | undefined {
  const text = `${width}x${height}@${Math.round(rate * 1000) / 1000}`;
  return FORCIBLE.test(text) ? text : undefined;
}

/** The modes of a screen that can be forced, each once, in their order. */
export function forcible(modes: readonly string[]): string[] {
  const texts = modes.flatMap((one) => {
    const mode = modeIn(one);
    return (mode && modeText(mode)) ?? [];
  });
  return [...new Set(texts)];
}

/** Whether two modes are the same to the device. */
export function isSameMode(one: string, other: string): boolean {
  const [first, second] = [modeIn(one), modeIn(other)];
  return (
    first !== undefined &&
    second !== undefined &&
    first.width === second.width &&
    first.height === second.height &&
    Math.abs(first.rate - second.rate) < SAME_RATE_HZ
  );
}

/** A mode for people: "1920 × 1080, 59.94 Hz". */
export function modeWords(text: string, language: string): string {
  const mode = modeIn(text);
  if (!mode) return text;
  const rate = new Intl.NumberFormat(language, { maximumFractionDigits: 3 }).format(mode.rate);
  return `${mode.width} × ${mode.height}, ${rate} Hz`;
}
