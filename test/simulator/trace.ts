/** Takes down what happens; null where nobody wants to read it, so that no line is even written. */
export type Trace = ((line: string) => void) | null;
