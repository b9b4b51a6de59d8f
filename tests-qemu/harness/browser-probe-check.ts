/** Longest time of a check, in ms. */
const CHECK_MS = 120_000;

/** Runs a check, and prints one line of JSON: its name, how long it took in ms, and its error. */
export async function check(name: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  let error: string | undefined;
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new Error('not done in time')), CHECK_MS);
  try {
    await Promise.race([work(), deadline.promise]);
  } catch (caught) {
    error = caught instanceof Error ? (caught.stack ?? caught.message) : String(caught);
  }
  clearTimeout(timer);
  console.log(JSON.stringify({ name, ms: Math.round(performance.now() - start), error }));
}
