import type { LifeUse, PacedLife } from "../results.ts";
import { costOfLives, sumOf, type CostLine } from "./cost.ts";
import { counted, dollars, listPrice, measured, NOTHING, whole } from "./digits.ts";
import { CLOUDFLARE, OTHERS, READ_IN, STORAGE, type Price } from "./prices.ts";
import { figures, table, words } from "./table.ts";
import { costOfOffer, OFFERS, type Offer } from "./vendors.ts";

const TERMS_A_LINE = 4;

/** The section with the cost of a million lifecycles, how it is computed, and the prices of other services. */
export function costSection(use: LifeUse, paced: PacedLife): string {
  const lines = costOfLives(use);
  const own = sumOf(lines);
  const pacedLines = costOfLives(paced.use);
  const pause = `${whole(paced.pauseMs)} ms`;
  return [
    "## Cost of a million tasks",
    `A million tasks cost ${dollars(own)} without a pause between steps, which is the figure that the target applies to, and ${dollars(sumOf(pacedLines))} with ${pause} between steps, as in \`npm run dev\`. Both figures are for a task without input, which calls no tool and delivers one file.`,
    `A lifecycle consists of creation, five steps and completion, and includes status polls. What the platform bills for it was counted and multiplied by Cloudflare's list prices in US dollars, before deducting the usage that Workers Paid ($5 per month) includes. A lifecycle without a pause makes ${counted(use.d1Queries)} D1 queries, which are billed by the rows that they read and write.`,
    "Without a pause between steps:",
    linesTable(lines),
    formula(lines),
    `With ${pause} between steps:`,
    linesTable(pacedLines),
    `The CPU time is that of the whole runtime on the machine that ran the benchmark. Only the Worker's own CPU time is billed, which is less. The wall time of objects was measured over loopback, where D1 and R2 respond in less than a millisecond. In a deployment, objects wait longer for them, and this time is billed. Without a pause, the wall time is longer, because concurrent lifecycles wait for one another. Workers Logs, if enabled, and storage are billed separately. Storage costs ${listPrice(STORAGE.objects.dollars)} dollars per GB-month in objects, ${listPrice(STORAGE.d1.dollars)} in D1 and ${listPrice(STORAGE.r2.dollars)} in R2. R2 rounds the operations of a month up to whole millions.`,
    "For comparison, this table shows what other services charge for tasks with five durable steps, at list prices. The prices of the other services do not include the compute that executes the steps, retries, storage or monthly fees:",
    offersTable(own),
    sources(),
  ].join("\n\n");
}

function linesTable(lines: readonly CostLine[]): string {
  const rows = lines.map((line) => [
    line.price.unit,
    line.note ?? "",
    counted(line.count),
    listPrice(line.price.dollars),
    dollars(line.dollars),
  ]);
  const sum = ["**total**", "", "", "", `**${dollars(sumOf(lines))}**`];
  return table(
    [
      words("billed item"),
      words(""),
      figures("per lifecycle"),
      figures("$ per million"),
      figures("$ per million lifecycles"),
    ],
    [...rows, sum],
  );
}

/** The calculation of the total, in the order of the table. */
function formula(lines: readonly CostLine[]): string {
  const terms = lines.map(({ count, price }) => `${counted(count)} × ${listPrice(price.dollars)}`);
  const wrapped: string[] = [];
  for (let at = 0; at < terms.length; at += TERMS_A_LINE) {
    wrapped.push(terms.slice(at, at + TERMS_A_LINE).join(" + "));
  }
  return ["```", wrapped.join("\n  + "), `  ≈ ${dollars(sumOf(lines))}`, "```"].join("\n");
}

function offersTable(own: number): string {
  const offers = OFFERS.map((offer) => ({ offer, cost: costOfOffer(offer) })).toSorted(
    (one, other) => one.cost - other.cost,
  );
  const rows = offers.map(({ offer, cost }) => [
    offer.name,
    offerFormula(offer),
    dollars(cost),
    own > 0 ? measured(cost / own) : NOTHING,
    offer.note,
  ]);
  return table(
    [
      words("service"),
      words("units per task × $ per million units"),
      figures("$ per million tasks"),
      figures("relative to Bosun"),
      words("what is counted, and what costs extra"),
    ],
    [["Bosun", "as above", dollars(own), "1", "Includes compute."], ...rows],
  );
}

function offerFormula({ billed, surcharge = 0 }: Offer): string {
  const terms = billed.map(
    ({ count, price }) => `${price.unit} ${counted(count)} × ${listPrice(price.dollars)}`,
  );
  if (surcharge === 0) return terms.join(" + ");
  const sum = terms.length === 1 ? terms.join() : `(${terms.join(" + ")})`;
  return `${sum} × ${counted(1 + surcharge)}`;
}

/** Lists each source once, with its date. */
function sources(): string {
  const prices: Price[] = [CLOUDFLARE, STORAGE, OTHERS].flatMap((list) => Object.values(list));
  const lines = [...new Map(prices.map((price) => [price.source, price])).values()].map(
    ({ vendor, source, edition, isQuoted = false }) =>
      `- ${vendor}: <${source}>, ${edition}${isQuoted ? ", quoted by a third party" : ""}`,
  );
  return [`Sources, read in ${READ_IN} from archived copies:`, lines.join("\n")].join("\n\n");
}
