/**
 * A pay-as-you-go list price in US dollars for usage beyond the included amount. `source` states the price; with
 * `isQuoted`, the price comes from a third party that quotes the vendor.
 */
export interface Price {
  readonly dollars: number;
  /** How many units `dollars` buys. */
  readonly per: number;
  /** The unit in the plural, as it follows a number. */
  readonly unit: string;
  readonly vendor: string;
  readonly source: string;
  /** The date on the source. */
  readonly edition: string;
  readonly isQuoted?: boolean;
}

/** The month in which all prices were read. */
export const READ_IN = "November 2026";

const MILLION = 1_000_000;

const WORKERS = {
  vendor: "Cloudflare Workers",
  source: "https://developers.cloudflare.com/workers/platform/pricing/",
  edition: "dated July 2026",
};
const OBJECTS = {
  vendor: "Cloudflare Durable Objects",
  source: "https://developers.cloudflare.com/durable-objects/platform/pricing/",
  edition: "dated June 2026",
};
const D1 = {
  vendor: "Cloudflare D1",
  source: "https://developers.cloudflare.com/d1/platform/pricing/",
  edition: "dated July 2026",
};
const R2 = {
  vendor: "Cloudflare R2",
  source: "https://developers.cloudflare.com/r2/pricing/",
  edition: "undated",
};
const QUEUES = {
  vendor: "Cloudflare Queues",
  source: "https://developers.cloudflare.com/queues/platform/pricing/",
  edition: "dated July 2026",
};
const WORKFLOWS = {
  vendor: "Cloudflare Workflows",
  source: "https://developers.cloudflare.com/workflows/reference/pricing/",
  edition: "dated July 2026",
};
const TEMPORAL = {
  vendor: "Temporal Cloud",
  source: "https://docs.temporal.io/cloud/pricing",
  edition: "undated",
};
const STEP_FUNCTIONS = {
  vendor: "AWS Step Functions",
  source: "https://aws.amazon.com/step-functions/pricing/",
  edition: "undated",
};
const LAMBDA = {
  vendor: "AWS Lambda",
  source: "https://aws.amazon.com/lambda/pricing/",
  edition: "dated September 2026",
  isQuoted: true,
};
const INNGEST = {
  vendor: "Inngest",
  source: "https://www.inngest.com/pricing",
  edition: "dated September 2026",
};
const TRIGGER = {
  vendor: "Trigger.dev",
  source: "https://trigger.dev/pricing",
  edition: "dated October 2026",
  isQuoted: true,
};
const UPSTASH = {
  vendor: "Upstash",
  source: "https://upstash.com/pricing/workflow.md",
  edition: "undated",
};

function perMillion(dollars: number, unit: string, from: Omit<Price, "dollars" | "per" | "unit">) {
  return { dollars, per: MILLION, unit, ...from } satisfies Price;
}

/** The Cloudflare prices that apply to a Bosun task. */
export const CLOUDFLARE = {
  requests: perMillion(0.3, "requests", WORKERS),
  processorMs: perMillion(0.02, "ms of CPU time", WORKERS),
  objectRequests: perMillion(0.15, "object requests", OBJECTS),
  objectGbSeconds: perMillion(12.5, "GB-s of object duration", OBJECTS),
  objectRowsRead: perMillion(0.001, "rows read in objects", OBJECTS),
  objectRowsWritten: perMillion(1, "rows written in objects", OBJECTS),
  d1RowsRead: perMillion(0.001, "rows read in D1", D1),
  d1RowsWritten: perMillion(1, "rows written in D1", D1),
  r2ClassA: perMillion(4.5, "R2 class A operations", R2),
  r2ClassB: perMillion(0.36, "R2 class B operations", R2),
  queueOperations: perMillion(0.4, "queue operations", QUEUES),
} as const;

/** Per gigabyte and month. */
export const STORAGE = {
  d1: { dollars: 0.75, per: 1, unit: "GB-month", ...D1 },
  objects: { dollars: 0.2, per: 1, unit: "GB-month", ...OBJECTS },
  r2: { dollars: 0.015, per: 1, unit: "GB-month", ...R2 },
} as const satisfies Readonly<Record<string, Price>>;

/** The prices of other services. */
export const OTHERS = {
  workflowRequests: perMillion(0.3, "requests", WORKFLOWS),
  workflowSteps: perMillion(8, "steps", WORKFLOWS),
  temporalActions: perMillion(50, "Actions", TEMPORAL),
  temporalActionsBeyond100M: perMillion(25, "Actions", TEMPORAL),
  stateTransitions: perMillion(25, "state transitions", STEP_FUNCTIONS),
  expressRequests: perMillion(1, "requests", {
    vendor: "AWS Step Functions, Express",
    source:
      "https://aws.amazon.com/blogs/compute/building-cost-effective-aws-step-functions-workflows/",
    edition: "undated",
  }),
  expressGbSeconds: perMillion(16.67, "GB-s", {
    vendor: "AWS Step Functions, Express",
    source: "https://www.wring.co/blog/aws-step-functions-pricing-guide",
    edition: "dated March 2026",
    isQuoted: true,
  }),
  durableOperations: perMillion(8, "durable operations", LAMBDA),
  inngestExecutions: perMillion(50, "executions", INNGEST),
  inngestExecutionsLowest: perMillion(15, "executions", INNGEST),
  triggerRuns: perMillion(25, "runs", TRIGGER),
  upstashSteps: perMillion(10, "steps", UPSTASH),
} as const;

/** The cost of a million tasks that use `count` units each. */
export function forAMillion(count: number, price: Price): number {
  return ((count * price.dollars) / price.per) * MILLION;
}
