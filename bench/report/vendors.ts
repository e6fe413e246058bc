import { forAMillion, OTHERS, type Price } from "./prices.ts";

/** What somebody else bills for one task: its creation, five steps and its completion. */
export interface Offer {
  readonly name: string;
  /** Units of one task, as the vendor counts them. */
  readonly billed: readonly Billed[];
  /** A plan's share of what was used, on top. */
  readonly surcharge?: number;
  /** What counts, and what is paid beside it. */
  readonly note: string;
  /** Whether it does less than the others, and is here for its price alone. */
  readonly isLess?: boolean;
}

interface Billed {
  readonly count: number;
  readonly price: Price;
}

const STEPS = 5;
const TEMPORAL_SURCHARGE = 0.1;
/** The least that is billed: 64 MB for 100 ms. */
const EXPRESS_GB_SECONDS = 0.0625 * 0.1;

export const OFFERS: readonly Offer[] = [
  {
    name: "Cloudflare Workflows",
    billed: [
      { count: 2, price: OTHERS.workflowRequests },
      { count: STEPS, price: OTHERS.workflowSteps },
    ],
    note: "The Worker's request that creates an instance, the instance, its steps. Processor time and storage until the instance is forgotten are apart. Steps are billed since August 2026 at the earliest.",
  },
  {
    name: "Temporal Cloud, Developer",
    billed: [{ count: 1 + STEPS, price: OTHERS.temporalActions }],
    surcharge: TEMPORAL_SURCHARGE,
    note: "The start and five activities; 10 % of the usage for the plan. Storage and your workers are apart, and each query of a status is one more Action.",
  },
  {
    name: "Temporal Cloud, last band",
    billed: [{ count: 1 + STEPS, price: OTHERS.temporalActionsBeyond100M }],
    surcharge: TEMPORAL_SURCHARGE,
    note: "The lowest price that is listed, which only Actions 100 to 200 million of a month get, on Business.",
  },
  {
    name: "AWS Step Functions, Standard",
    billed: [{ count: STEPS, price: OTHERS.stateTransitions }],
    note: "Five states; $175 if the start and the end count, which the list leaves open. What carries the steps out is apart.",
  },
  {
    name: "AWS Step Functions, Express",
    billed: [
      { count: 1, price: OTHERS.expressRequests },
      { count: EXPRESS_GB_SECONDS, price: OTHERS.expressGbSeconds },
    ],
    note: "Not the same work: at most 5 minutes, at least once, with no state to ask for but logs. The least that is billed, 100 ms at 64 MB; what carries the steps out is apart.",
    isLess: true,
  },
  {
    name: "AWS Lambda durable functions",
    billed: [{ count: 1 + STEPS, price: OTHERS.durableOperations }],
    note: "The start and five steps. Data that is written and kept, and Lambda itself, are apart.",
  },
  {
    name: "Inngest Pro, first band",
    billed: [{ count: 1 + STEPS, price: OTHERS.inngestExecutions }],
    note: "The run and five steps. The plan ($99 a month with a million executions), events, and what carries the steps out are apart.",
  },
  {
    name: "Inngest Pro, last band",
    billed: [{ count: 1 + STEPS, price: OTHERS.inngestExecutionsLowest }],
    note: "The lowest price that is listed.",
  },
  {
    name: "Trigger.dev",
    billed: [{ count: 1 + STEPS, price: OTHERS.triggerRuns }],
    note: "A run and five runs below it: each survives a failure by itself. As one run it is $25. What carries the steps out is billed by the second ($0.0000338 for the default machine) and apart.",
  },
  {
    name: "Upstash Workflow",
    billed: [{ count: STEPS, price: OTHERS.upstashSteps }],
    note: "Five steps; $60 if the call that ends the run counts. What carries the steps out is apart.",
  },
];

/** US dollars for a million tasks. */
export function costOfOffer({ billed, surcharge = 0 }: Offer): number {
  const sum = billed.reduce((total, { count, price }) => total + forAMillion(count, price), 0);
  return sum * (1 + surcharge);
}
