/** Runs `step` in so many loops at once; each loop ends when `step` returns false. */
export async function runConcurrently(loops: number, step: () => Promise<boolean>): Promise<void> {
  const run = async (): Promise<void> => {
    for (let goesOn = true; goesOn;) goesOn = await step();
  };
  await Promise.all(Array.from({ length: loops }, run));
}
