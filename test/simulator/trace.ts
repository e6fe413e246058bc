/** Records a line of the trace. Null if tracing is off, so that no lines are built. */
export type Trace = ((line: string) => void) | null;
