/** The results of the checks so far: by name, whether the check has passed, and a text. */
export const state = {
  fields: new Map(),
  done: false,
  listener: () => undefined,
  changed() {
    this.listener();
  },
  set(name, proven, text) {
    this.fields.set(name, { proven, text });
    this.changed();
  },
};

/** The fields in the order in which the status view shows them. */
export const NAMES = ['modules', 'fetch', 'secure', 'storage', 'worker', 'routes', 'ranges', 'assets'];
