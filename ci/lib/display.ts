/** Whether a window can be shown: an X or Wayland display is named in the environment. */
export function hasDisplay(env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}
