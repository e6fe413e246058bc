import { nameOf, type Call, type Entry } from "./calls.ts";
import type { Findings } from "./findings.ts";
import { rolesOf } from "./roles.ts";
import { counted, label, listed, oneLine } from "./wording.ts";

/** What the work could not do, in the terms of its calls. */
export interface Shortfall {
  /** Calls for which the agent has no grant. */
  readonly missing: readonly Call[];
  /** Calls that were made and gave nothing. */
  readonly failed: readonly Entry[];
}

const PROBLEM_CHARACTERS_MAX = 300;
const FIXED_RULES =
  "The agent works by fixed rules, without a language model: it describes what it was given to read, and cannot judge what the task's words mean beyond the columns they name.";
const NO_CAUSE =
  "Figures describe the rows given; that two columns move together does not tell why.";

/** The last sentence of a summary: which tools' part is missing; null when nothing is. */
export function shortfallSentence({ missing, failed }: Shortfall): string | null {
  const refused = failed.filter(({ problem }) => problem?.kind === "refused");
  const fruitless = failed.filter((entry) => !refused.includes(entry));
  const parts = [
    ...(missing.length === 0 ? [] : [`the agent has no access to ${toolList(missing)}`]),
    ...(refused.length === 0 ? [] : [`calls of ${toolList(refused)} were refused`]),
    ...(fruitless.length === 0 ? [] : [`calls of ${toolList(fruitless)} gave no result`]),
  ];
  return parts.length === 0 ? null : `Not all was done: ${listed(parts)}.`;
}

/** "table-analyst (correlate and outliers) and chart-maker (bar)" */
function toolList(calls: readonly Call[]): string {
  return listed(byTool(calls).map(([tool, capabilities]) => `${tool} (${listed(capabilities)})`));
}

/** The section "Limits of this work", a sentence each. `more` are those of single deliverables. */
export function limitsOf(
  findings: Findings,
  unusable: readonly string[],
  shortfall: Shortfall,
  more: readonly string[],
  task: string,
): string[] {
  return [
    ...byTool(shortfall.missing).map(
      ([tool, capabilities]) =>
        `The agent has no access to ${tool} (${listed(capabilities)}), so that part is missing.`,
    ),
    ...problems(shortfall.failed),
    ...unusable,
    ...more,
    ...[...findings.tables, ...findings.texts].flatMap(({ source, caveats }) =>
      caveats.map((caveat) => `On ${source}: ${caveat}`),
    ),
    ...findings.tables.flatMap(({ source, profile }) => {
      if (profile === null) return [];
      const { identifiers } = rolesOf(profile, task);
      const names = identifiers.map(({ name }) => label(name));
      return [
        ...(profile.unread === 0
          ? []
          : [
              `Of ${source}, ${counted(profile.unread, "column")} ${profile.unread === 1 ? "was" : "were"} left out: too many, or too long a name.`,
            ]),
        ...(names.length === 0
          ? []
          : [`${listed(names)} only tells rows apart, so it was not analysed.`]),
      ];
    }),
    ...(findings.tables.some(({ pairs }) => pairs.length > 0) ? [NO_CAUSE] : []),
    FIXED_RULES,
  ];
}

/** Calls that met the same problem share a sentence. */
function problems(failed: readonly Entry[]): string[] {
  const names = new Map<string, Set<string>>();
  for (const entry of failed) {
    const message = oneLine(entry.problem?.message ?? "", PROBLEM_CHARACTERS_MAX);
    const kind = entry.problem?.kind === "refused" ? "was refused" : "gave no result";
    const told = `on ${entry.source} ${kind}: ${message}`;
    names.set(told, (names.get(told) ?? new Set()).add(nameOf(entry)));
  }
  return Array.from(names, ([told, calls]) => `${listed([...calls])} ${told}`);
}

function byTool(calls: readonly Call[]): [tool: string, capabilities: string[]][] {
  const tools = new Map<string, Set<string>>();
  for (const { tool, capability } of calls) {
    tools.set(tool, (tools.get(tool) ?? new Set()).add(capability));
  }
  return Array.from(tools, ([tool, capabilities]) => [tool, [...capabilities]]);
}
