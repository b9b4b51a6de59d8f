/** Whether a window can be opened: the environment names an X or Wayland display. */
export function hasDisplay(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}
