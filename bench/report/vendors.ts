import { forAMillion, OTHERS, type Price } from "./prices.ts";

/** What another vendor bills for one task: its creation, five steps and its completion. */
export interface Offer {
  readonly name: string;
  /** Units per task, as the vendor counts them. */
  readonly billed: readonly Billed[];
  /** A surcharge of the plan as a share of the usage. */
  readonly surcharge?: number;
  /** What is counted, and what costs extra. */
  readonly note: string;
  /** Whether it does less than the other services and is listed only for its price. */
  readonly isLess?: boolean;
}

interface Billed {
  readonly count: number;
  readonly price: Price;
}

const STEPS = 5;
const TEMPORAL_SURCHARGE = 0.1;
/** The minimum that is billed: 64 MB for 100 ms. */
const EXPRESS_GB_SECONDS = 0.0625 * 0.1;

export const OFFERS: readonly Offer[] = [
  {
    name: "Cloudflare Workflows",
    billed: [
      { count: 2, price: OTHERS.workflowRequests },
      { count: STEPS, price: OTHERS.workflowSteps },
    ],
    note: "The Worker's request that creates an instance, the instance, its steps. Processor time and storage until the instance is deleted are extra. Steps are billed since August 2026 at the earliest.",
  },
  {
    name: "Temporal Cloud, Developer",
    billed: [{ count: 1 + STEPS, price: OTHERS.temporalActions }],
    surcharge: TEMPORAL_SURCHARGE,
    note: "The start and five activities; 10 % of the usage for the plan. Storage and your workers are extra, and each status query is one more Action.",
  },
  {
    name: "Temporal Cloud, last band",
    billed: [{ count: 1 + STEPS, price: OTHERS.temporalActionsBeyond100M }],
    surcharge: TEMPORAL_SURCHARGE,
    note: "The lowest listed price, only for Actions 100 to 200 million of a month on Business.",
  },
  {
    name: "AWS Step Functions, Standard",
    billed: [{ count: STEPS, price: OTHERS.stateTransitions }],
    note: "Five states; $175 if the start and the end count, which the list leaves open. Compute is extra.",
  },
  {
    name: "AWS Step Functions, Express",
    billed: [
      { count: 1, price: OTHERS.expressRequests },
      { count: EXPRESS_GB_SECONDS, price: OTHERS.expressGbSeconds },
    ],
    note: "Not the same work: at most 5 minutes, at least once, without queryable state except logs. The billed minimum, 100 ms at 64 MB; compute is extra.",
    isLess: true,
  },
  {
    name: "AWS Lambda durable functions",
    billed: [{ count: 1 + STEPS, price: OTHERS.durableOperations }],
    note: "The start and five steps. Written and stored data and Lambda itself are extra.",
  },
  {
    name: "Inngest Pro, first band",
    billed: [{ count: 1 + STEPS, price: OTHERS.inngestExecutions }],
    note: "The run and five steps. The plan ($99 a month with a million executions), events and compute are extra.",
  },
  {
    name: "Inngest Pro, last band",
    billed: [{ count: 1 + STEPS, price: OTHERS.inngestExecutionsLowest }],
    note: "The lowest listed price.",
  },
  {
    name: "Trigger.dev",
    billed: [{ count: 1 + STEPS, price: OTHERS.triggerRuns }],
    note: "A run and five child runs, each durable by itself. As one run it is $25. Compute is billed by the second ($0.0000338 for the default machine) and is extra.",
  },
  {
    name: "Upstash Workflow",
    billed: [{ count: STEPS, price: OTHERS.upstashSteps }],
    note: "Five steps; $60 if the call that ends the run counts. Compute is extra.",
  },
];

/** US dollars for a million tasks. */
export function costOfOffer({ billed, surcharge = 0 }: Offer): number {
  const sum = billed.reduce((total, { count, price }) => total + forAMillion(count, price), 0);
  return sum * (1 + surcharge);
}
