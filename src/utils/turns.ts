/**
 * Returns a function that runs the given functions one after the other, and settles as each of them does. A rejection
 * does not stop the next function.
 */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
