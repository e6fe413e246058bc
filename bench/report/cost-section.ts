import type { LifeUse, PacedLife } from "../results.ts";
import { costOfLives, sumOf, type CostLine } from "./cost.ts";
import { counted, dollars, listPrice, measured, NOTHING, whole } from "./digits.ts";
import { CLOUDFLARE, OTHERS, READ_IN, STORAGE, type Price } from "./prices.ts";
import { figures, table, words } from "./table.ts";
import { costOfOffer, OFFERS, type Offer } from "./vendors.ts";

const TERMS_A_LINE = 4;

/** The cost of a million lives with its computation, and the prices of other services. */
export function costSection(use: LifeUse, paced: PacedLife): string {
  const lines = costOfLives(use);
  const own = sumOf(lines);
  const pacedLines = costOfLives(paced.use);
  const pause = `${whole(paced.pauseMs)} ms`;
  return [
    "## Cost of a million tasks",
    `${dollars(own)} at pace 0 (the target's pace) and ${dollars(sumOf(pacedLines))} at the pace of \`npm run dev\`, ${pause} between two steps, each for a task without input: it calls no tool and delivers one file.`,
    `A life from creation through five steps to completion, including status polls, counted as the platform bills it and multiplied by Cloudflare's list prices in US dollars beyond the amounts included in Workers Paid ($5 a month). A life at pace 0 makes ${counted(use.d1Queries)} D1 queries, which are billed by their rows.`,
    "At pace 0:",
    linesTable(lines),
    formula(lines),
    `At ${pause} between two steps:`,
    linesTable(pacedLines),
    `The processor time is that of the whole runtime on the measuring machine, which is more than the Worker's own, billed time. The wall time of objects was measured over loopback, where D1 and R2 respond in less than a millisecond; in a deployment, waits are longer and are billed. At pace 0 it is longer, because concurrent lives wait for one another. Workers Logs, if enabled, are billed separately. Storage is billed separately: ${listPrice(STORAGE.objects.dollars)} dollars a GB-month in objects, ${listPrice(STORAGE.d1.dollars)} in D1, ${listPrice(STORAGE.r2.dollars)} in R2. R2 rounds a month's operations up to whole millions.`,
    "For comparison, the list prices of other services for one task of five durable steps, without the compute that executes the steps, retries, storage and monthly fees:",
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
  const sum = ["**sum**", "", "", "", `**${dollars(sumOf(lines))}**`];
  return table(
    [
      words("what is billed"),
      words(""),
      figures("per life"),
      figures("$ for a million"),
      figures("$ for a million lives"),
    ],
    [...rows, sum],
  );
}

/** The sum with its factors, in the order of the table. */
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
      words("a task's units × $ for a million"),
      figures("$ for a million tasks"),
      figures("times Bosun's"),
      words("what counts, and what is extra"),
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

/** Each source once, with the date that the source states. */
function sources(): string {
  const prices: Price[] = [CLOUDFLARE, STORAGE, OTHERS].flatMap((list) => Object.values(list));
  const lines = [...new Map(prices.map((price) => [price.source, price])).values()].map(
    ({ vendor, source, edition, isQuoted = false }) =>
      `- ${vendor}: <${source}>, ${edition}${isQuoted ? ", quoted by a third party" : ""}`,
  );
  return [`Sources, read in ${READ_IN} in archived copies:`, lines.join("\n")].join("\n\n");
}
