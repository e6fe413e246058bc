/** The lowest and the highest value of all rounds. */
export interface Spread {
  readonly least: number;
  readonly most: number;
}

/** A contestant's results for one operation. Values are medians over the rounds, unless stated otherwise. */
export interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The CPU time of all processes of the contestant, per request or lifecycle. */
  readonly processorMs: number;
  /**
   * The throughput divided by that of the reference in the same round, with the lowest and highest ratio of all
   * rounds. Null for the reference itself, and if there is none.
   */
  readonly ratio: (Spread & { readonly median: number }) | null;
}

/** The platform calls per request or lifecycle, counted in a run that is not timed; null if they cannot be counted. */
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

/** One operation, which several contestants execute in turn. */
export interface Work {
  /** The operation's id, such as `create`, `read-hot` or `list-status-first-1000000`. */
  readonly id: string;
  readonly title: string;
  /** The unit that is counted. */
  readonly unit: "request" | "life";
  /** The contestant that ratios are relative to. */
  readonly reference: string | null;
  readonly rounds: number;
  readonly entries: readonly Entry[];
}

/** What the platform bills for one lifecycle. */
export interface LifeUse {
  readonly requests: number;
  readonly objectRequests: number;
  /** A subset of `objectRequests`. Includes alarms of objects other than the task's. */
  readonly alarms: number;
  readonly d1Queries: number;
  readonly d1RowsRead: number;
  readonly d1RowsWritten: number;
  readonly objectRowsRead: number;
  readonly objectRowsWritten: number;
  readonly r2Writes: number;
  readonly r2Reads: number;
  readonly queueMessages: number;
  /** The CPU time of the Worker and its objects, as measured by the benchmark. */
  readonly processorMs: number;
  /**
   * The wall time of all object calls and alarms of a lifecycle, in milliseconds. It was measured over loopback; in a
   * deployment, D1 and R2 take longer.
   */
  readonly objectMs: number;
}

/** The usage of the same lifecycle with a pause between steps. */
export interface PacedLife {
  readonly pauseMs: number;
  readonly use: LifeUse;
}

export interface Target {
  readonly what: string;
  /** The bound in words, such as "at least 0.8". */
  readonly asked: string;
  readonly measured: number | null;
  /** The lowest and highest value of all rounds, if `measured` is the median of the rounds. */
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
  /** The versions of the measured and the measuring software, by name. */
  readonly versions: Readonly<Record<string, string>>;
  readonly works: readonly Work[];
  readonly bundle: {
    readonly bytes: number;
    readonly gzipBytes: number;
    readonly startUpMs: number;
  };
  /** The usage of a lifecycle without a pause between steps. The cost target applies to this lifecycle. */
  readonly life: LifeUse;
  /** The usage of a lifecycle with the pause that `npm run dev` sets. */
  readonly pacedLife: PacedLife;
  readonly targets: readonly Target[];
  /** The omitted contestants, each with the reason, such as a server that is not installed. */
  readonly leftOut: readonly string[];
}
