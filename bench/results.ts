/** The lowest and the highest value of the rounds. */
export interface Spread {
  readonly least: number;
  readonly most: number;
}

/** The results of a contestant for one work: medians over the rounds unless stated otherwise. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of all processes of the contestant per request or life. */
  readonly processorMs: number;
  /** Throughput divided by that of the reference in the same round, with the lowest and highest ratio; null for the reference itself or without one. */
  readonly ratio: (Spread & { readonly median: number }) | null;
}

/** The calls to the platform per request or life, counted and not timed; null if they cannot be counted. */
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

/** One kind of work, executed by several contestants in turns. */
export interface Work {
  /** A name for files: `create`, `read-hot`, `list-status-first-1000000`. */
  readonly id: string;
  readonly title: string;
  /** The unit that is counted. */
  readonly unit: "request" | "life";
  /** The contestant to which ratios refer. */
  readonly reference: string | null;
  readonly rounds: number;
  readonly entries: readonly Entry[];
}

/** The use of the platform per life, as the platform bills it. */
export interface LifeUse {
  readonly requests: number;
  readonly objectRequests: number;
  /** A subset of `objectRequests`; includes alarms of objects other than the task's. */
  readonly alarms: number;
  readonly d1Queries: number;
  readonly d1RowsRead: number;
  readonly d1RowsWritten: number;
  readonly objectRowsRead: number;
  readonly objectRowsWritten: number;
  readonly r2Writes: number;
  readonly r2Reads: number;
  readonly queueMessages: number;
  /** Processor time of the Worker and its objects, as measured here. */
  readonly processorMs: number;
  /** Wall time of all alarms and calls of the life in objects, in milliseconds, over loopback: deployed, D1 and R2 take longer. */
  readonly objectMs: number;
}

/** The same life with this pause between steps. */
export interface PacedLife {
  readonly pauseMs: number;
  readonly use: LifeUse;
}

export interface Target {
  readonly what: string;
  /** The bound as text, such as "at least 0.8". */
  readonly asked: string;
  readonly measured: number | null;
  /** The lowest and highest value of any round, if `measured` is a median of rounds. */
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
  /** The name and version of everything that was measured or used to measure. */
  readonly versions: Readonly<Record<string, string>>;
  readonly works: readonly Work[];
  readonly bundle: {
    readonly bytes: number;
    readonly gzipBytes: number;
    readonly startUpMs: number;
  };
  /** Without a pause between steps, as the target requires. */
  readonly life: LifeUse;
  /** With the default pause of Bosun. */
  readonly pacedLife: PacedLife;
  readonly targets: readonly Target[];
  /** The omitted contestants, with the reason, such as a server that is not installed. */
  readonly leftOut: readonly string[];
}
