/** What the least and the most of the rounds came to. */
export interface Spread {
  readonly least: number;
  readonly most: number;
}

/** What a contestant did in a work's rounds: medians over the rounds, but for what is said otherwise. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all of the contestant's processes, for each request or life. */
  readonly processorMs: number;
  /** Throughput over the reference's in the same round, with the least and the most of any round; null for the reference itself, or without one. */
  readonly ratio: (Spread & { readonly median: number }) | null;
}

/** What one request or life does to the platform, counted and not timed; null where nobody can count. */
export interface Counts {
  readonly rowsWritten: number | null;
  readonly objectRequests: number | null;
  readonly d1Queries: number | null;
}

export interface Entry {
  readonly contestant: string;
  readonly figures: Figures;
  readonly counts: Counts | null;
}

/** One kind of work, done by several contestants in turns. */
export interface Work {
  /** A name for files: `create`, `read-hot`, `list-status-first-1000000`. */
  readonly id: string;
  readonly title: string;
  /** What is counted one by one. */
  readonly unit: "request" | "life";
  /** The contestant that ratios are to. */
  readonly reference: string | null;
  readonly rounds: number;
  readonly entries: readonly Entry[];
}

/** A whole life's use of the platform, as the platform bills it. Counts for each life. */
export interface LifeUse {
  readonly requests: number;
  readonly objectRequests: number;
  /** Among the requests of objects, those of other objects than the task's included. */
  readonly alarms: number;
  readonly d1Queries: number;
  readonly d1RowsRead: number;
  readonly d1RowsWritten: number;
  readonly objectRowsRead: number;
  readonly objectRowsWritten: number;
  readonly r2Writes: number;
  readonly r2Reads: number;
  readonly queueMessages: number;
  /** Of the Worker and its objects, as measured here. */
  readonly processorMs: number;
  /** Wall time of all of the life's alarms and calls in its objects, in milliseconds, over loopback: deployed, D1 and R2 are waited for longer. */
  readonly objectMs: number;
}

/** The same life where steps are so far apart. */
export interface PacedLife {
  readonly pauseMs: number;
  readonly use: LifeUse;
}

export interface Target {
  readonly what: string;
  /** Words for what is asked, such as "at least 0.8". */
  readonly asked: string;
  readonly measured: number | null;
  /** What was measured in any round, where it is a median of rounds. */
  readonly spread?: Spread;
  readonly isMet: boolean;
}

export interface Results {
  readonly at: string;
  readonly commit: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryBytes: number;
  };
  /** Name and version of everything that was measured, or measured with. */
  readonly versions: Readonly<Record<string, string>>;
  readonly works: readonly Work[];
  readonly bundle: {
    readonly bytes: number;
    readonly gzipBytes: number;
    readonly startUpMs: number;
  };
  /** Without a pause between steps, as the target asks. */
  readonly life: LifeUse;
  /** At the pace that this service has by default. */
  readonly pacedLife: PacedLife;
  readonly targets: readonly Target[];
  /** What was left out, and why: a server that is not installed. */
  readonly leftOut: readonly string[];
}
