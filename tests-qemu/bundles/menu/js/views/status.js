import { NAMES, state } from '../state.js';

export async function show(view) {
  const status = document.createElement('div');
  status.className = 'status';
  const fields = NAMES.map((name) => {
    const field = document.createElement('div');
    const [title, text] = [document.createElement('b'), document.createElement('small')];
    title.textContent = name;
    field.append(title, text);
    return { name, field, text };
  });
  const video = document.createElement('video');
  Object.assign(video, { muted: true, playsInline: true, preload: 'auto' });
  const log = document.createElement('pre');
  status.append(...fields.map(({ field }) => field), video, log);
  view.replaceChildren(status);

  state.listener = () => {
    for (const { name, field, text } of fields) {
      const { proven = false, text: said = '' } = state.fields.get(name) ?? {};
      field.className = proven ? 'field proven' : 'field';
      text.textContent = said;
    }
    const lines = [...state.fields].map(([name, { text }]) => `${name}: ${text}`);
    log.textContent = [...lines, state.done ? 'done' : 'at work', location.href, navigator.userAgent].join(
      '\n',
    );
  };
  state.changed();
}
