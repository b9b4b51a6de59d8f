import { make } from './dom.ts';

/** Shows the fields of a shape where it is used, on request: in the page each shape is once. */
export function addShapeFields(): void {
  for (const use of document.querySelectorAll<HTMLElement>('article [data-shape], .frames [data-shape]')) {
    const fields = document.querySelector(`#shape-${CSS.escape(use.dataset.shape ?? '')} > .fields`);
    if (!fields) continue;
    const details = make('details', { class: 'shape' }, make('summary', {}, 'Fields'));
    details.addEventListener(
      'toggle',
      () => {
        details.append(fields.cloneNode(true));
      },
      { once: true },
    );
    use.after(details);
  }
}
