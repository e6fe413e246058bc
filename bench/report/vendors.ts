import { forAMillion, OTHERS, type Price } from "./prices.ts";

/** The units that another vendor bills for one task with five steps, from creation to completion. */
export interface Offer {
  readonly name: string;
  /** Units per task, as the vendor counts them. */
  readonly billed: readonly Billed[];
  /** The plan's surcharge, as a fraction of the usage cost. */
  readonly surcharge?: number;
  /** What is counted, and what costs extra. */
  readonly note: string;
  /** Whether the service does less than the others and is listed only for its price. */
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
    note: "Counts the Worker's request that creates an instance, the instance, and its steps. CPU time, and storage until the instance is deleted, cost extra. Steps have been billed since August 2026 at the earliest.",
  },
  {
    name: "Temporal Cloud, Developer",
    billed: [{ count: 1 + STEPS, price: OTHERS.temporalActions }],
    surcharge: TEMPORAL_SURCHARGE,
    note: "Counts the start and five activities; the plan adds 10 % of the usage. Storage and your own workers cost extra, and each status query is another Action.",
  },
  {
    name: "Temporal Cloud, last band",
    billed: [{ count: 1 + STEPS, price: OTHERS.temporalActionsBeyond100M }],
    surcharge: TEMPORAL_SURCHARGE,
    note: "The lowest listed price, which applies only to Actions 100 to 200 million in a month on the Business plan.",
  },
  {
    name: "AWS Step Functions, Standard",
    billed: [{ count: STEPS, price: OTHERS.stateTransitions }],
    note: "Counts five states. The price list does not say whether the start and the end count; with them, the cost is $175. Compute costs extra.",
  },
  {
    name: "AWS Step Functions, Express",
    billed: [
      { count: 1, price: OTHERS.expressRequests },
      { count: EXPRESS_GB_SECONDS, price: OTHERS.expressGbSeconds },
    ],
    note: "Does less: an execution takes at most 5 minutes, can run more than once, and has no state to query except logs. Counts the minimum that is billed, 100 ms at 64 MB. Compute costs extra.",
    isLess: true,
  },
  {
    name: "AWS Lambda durable functions",
    billed: [{ count: 1 + STEPS, price: OTHERS.durableOperations }],
    note: "Counts the start and five steps. Written and stored data and Lambda itself cost extra.",
  },
  {
    name: "Inngest Pro, first band",
    billed: [{ count: 1 + STEPS, price: OTHERS.inngestExecutions }],
    note: "Counts the run and five steps. The plan ($99 per month, including a million executions), events and compute cost extra.",
  },
  {
    name: "Inngest Pro, last band",
    billed: [{ count: 1 + STEPS, price: OTHERS.inngestExecutionsLowest }],
    note: "The lowest listed price.",
  },
  {
    name: "Trigger.dev",
    billed: [{ count: 1 + STEPS, price: OTHERS.triggerRuns }],
    note: "Counts a run and five child runs, so that each step is durable. As a single run, the cost is $25. Compute is billed per second ($0.0000338 for the default machine) and costs extra.",
  },
  {
    name: "Upstash Workflow",
    billed: [{ count: STEPS, price: OTHERS.upstashSteps }],
    note: "Counts five steps. If the call that ends the run counts as well, the cost is $60. Compute costs extra.",
  },
];

/** The cost of a million tasks in US dollars. */
export function costOfOffer({ billed, surcharge = 0 }: Offer): number {
  const sum = billed.reduce((total, { count, price }) => total + forAMillion(count, price), 0);
  return sum * (1 + surcharge);
}
