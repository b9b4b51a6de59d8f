import { make } from './dom.ts';

const KEY = 'vitrine-docs-language';
const COPIED_MS = 2000;

/** The addresses in samples become those of the device that has sent the page. */
export function showOrigin(): void {
  // A page that was saved has none.
  if (!location.protocol.startsWith('http')) return;
  for (const element of document.querySelectorAll('.origin')) element.textContent = location.origin;
}

/** All samples are in the language that was chosen at one of them, also after the page was loaded again. */
export function synchroniseSamples(): void {
  const remembered = stored();
  if (remembered !== null) choose(remembered);
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.name.startsWith('sample-')) return;
    // Samples above become longer or shorter: what the user looks at stays in its place.
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' });
    store(target.value);
  });
}

function choose(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('.samples input')) {
    input.checked = input.value === language;
  }
}

/** A browser may forbid storing. */
function stored(): string | null {
  try {
    const language = localStorage.getItem(KEY);
    const isKnown = document.querySelector(`.samples input[value="${CSS.escape(language ?? '')}"]`) !== null;
    return isKnown ? language : null;
  } catch {
    return null;
  }
}

function store(language: string): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // It counts until the page is left.
  }
}

/** A button at each sample that copies what is shown. */
export function addCopyButtons(): void {
  for (const samples of document.querySelectorAll('.samples')) {
    const button = make('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', async () => {
      const chosen = samples.querySelector<HTMLInputElement>('input:checked')?.value ?? '';
      const code = samples.querySelector(`pre[data-code="${CSS.escape(chosen)}"]`)?.textContent ?? '';
      button.textContent = (await copyText(code)) ? 'Copied' : 'Not possible';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, COPIED_MS);
    });
    samples.querySelector('.tabs')?.append(button);
  }
}

/** Without HTTPS browsers have no clipboard API, only the old command. */
async function copyText(text: string): Promise<boolean> {
  if (isSecureContext) {
    const isWritten = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (isWritten) return true;
  }
  const focused = document.activeElement;
  const area = make('textarea', { class: 'hidden' });
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isDone;
}
