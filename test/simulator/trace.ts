/** Records a line of the trace; null if the world is not traced, so that no line is built. */
export type Trace = ((line: string) => void) | null;
