import { capabilityPathOf, type PlannedCall, type CompletedCall } from "./tool-calls.ts";
import type { InputAnalysis } from "./insights.ts";
import { formatCount, formatLabel, formatList, toSingleLine } from "../../kernel/text.ts";

/** The calls without a result. */
interface UnavailableCalls {
  /** Calls for which the agent has no grant. */
  readonly missing: readonly PlannedCall[];
  /** Executed calls without a result. */
  readonly failed: readonly CompletedCall[];
}

const PROBLEM_CHARACTERS_MAX = 300;
const FIXED_RULES_NOTE =
  "The agent works by fixed rules, without a language model: it describes what it was given to read, and cannot judge what the task's words mean beyond the columns they name.";
const CORRELATION_NOTE =
  "Figures describe the rows given; that two columns move together does not tell why.";

/** The last sentence of a summary, which names the tools without a result; null if there are none. */
export function formatUnavailableCalls({ missing, failed }: UnavailableCalls): string | null {
  const refused = failed.filter(({ problem }) => problem?.kind === "refused");
  const fruitless = failed.filter((entry) => !refused.includes(entry));
  const parts = [
    ...(missing.length === 0 ? [] : [`the agent has no access to ${formatToolList(missing)}`]),
    ...(refused.length === 0 ? [] : [`calls of ${formatToolList(refused)} were refused`]),
    ...(fruitless.length === 0 ? [] : [`calls of ${formatToolList(fruitless)} gave no result`]),
  ];
  return parts.length === 0 ? null : `Not all was done: ${formatList(parts)}.`;
}

/** "table-analyst (correlate and outliers) and chart-maker (bar)" */
function formatToolList(calls: readonly PlannedCall[]): string {
  return formatList(
    groupByTool(calls).map(([tool, capabilities]) => `${tool} (${formatList(capabilities)})`),
  );
}

/** The sentences of the section "Limits of this work". `more`: limits of single deliverables. */
export function buildLimitations(
  { tables, texts }: InputAnalysis,
  unusable: readonly string[],
  shortfall: UnavailableCalls,
  more: readonly string[],
): string[] {
  return [
    ...groupByTool(shortfall.missing).map(
      ([tool, capabilities]) =>
        `The agent has no access to ${tool} (${formatList(capabilities)}), so that part is missing.`,
    ),
    ...formatFailedCalls(shortfall.failed),
    ...unusable,
    ...more,
    ...[...tables.map(({ findings }) => findings), ...texts].flatMap(({ source, caveats }) =>
      caveats.map((caveat) => `On ${source}: ${caveat}`),
    ),
    ...tables.flatMap(({ findings: { source, profile }, roles }) => {
      if (profile === null) return [];
      const names = (roles?.identifiers ?? []).map(({ name }) => formatLabel(name));
      return [
        ...(profile.unread === 0
          ? []
          : [
              `Of ${source}, ${formatCount(profile.unread, "column")} ${profile.unread === 1 ? "was" : "were"} left out: too many, or too long a name.`,
            ]),
        ...(names.length === 0
          ? []
          : [`${formatList(names)} only tells rows apart, so it was not analysed.`]),
      ];
    }),
    ...(tables.some(({ findings }) => findings.pairs.length > 0) ? [CORRELATION_NOTE] : []),
    FIXED_RULES_NOTE,
  ];
}

/** Calls with the same problem share a sentence. */
function formatFailedCalls(failed: readonly CompletedCall[]): string[] {
  const names = new Map<string, Set<string>>();
  for (const entry of failed) {
    const message = toSingleLine(entry.problem?.message ?? "", PROBLEM_CHARACTERS_MAX);
    const kind = entry.problem?.kind === "refused" ? "was refused" : "gave no result";
    const text = `on ${entry.source} ${kind}: ${message}`;
    names.set(text, (names.get(text) ?? new Set()).add(capabilityPathOf(entry)));
  }
  return Array.from(names, ([text, calls]) => `${formatList([...calls])} ${text}`);
}

function groupByTool(calls: readonly PlannedCall[]): [tool: string, capabilities: string[]][] {
  const tools = new Map<string, Set<string>>();
  for (const { tool, capability } of calls) {
    tools.set(tool, (tools.get(tool) ?? new Set()).add(capability));
  }
  return Array.from(tools, ([tool, capabilities]) => [tool, [...capabilities]]);
}
