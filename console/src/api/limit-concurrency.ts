/** Returns a function that runs jobs, at most `most` of them at the same time, in the order in which they arrive. */
export function limitConcurrency(
  most: number,
): <Result>(job: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (job) => {
    if (running >= most) await new Promise<void>((start) => waiting.push(start));
    else running += 1;
    try {
      return await job();
    } finally {
      // The next job takes over this one's place.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
