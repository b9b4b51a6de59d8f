/** Something is going on; the text beside it says what. */
export function Spinner() {
  return <span class="spinner" aria-hidden="true" />;
}
