import type { Json } from "../../../domain/json.ts";
import { mustBe, nameText, wantedText, type Wanted } from "./wanted.ts";

/** One thing to mend. Only the messages of the findings that are told in the end are worded. */
export type Finding =
  /** The value is of no wanted type, or none of the wanted values. */
  | Choice
  | Missing
  /** A member or item that is not taken. */
  | { readonly kind: "extra"; readonly location: string; readonly message: () => string }
  | { readonly kind: "other"; readonly location: string; readonly message: () => string };

export interface Choice {
  readonly kind: "choice";
  readonly location: string;
  readonly wanted: Wanted;
  readonly got: Json | undefined;
}

export interface Missing {
  readonly kind: "missing";
  readonly location: string;
  readonly wanted: Wanted;
  /** The member beside which it is required; null when it always is. */
  readonly beside: string | null;
}

export function messageOf(finding: Finding): string {
  switch (finding.kind) {
    case "choice":
      return mustBe(finding.wanted, finding.got);
    case "missing": {
      const beside = finding.beside === null ? "" : ` beside ${nameText(finding.beside)}`;
      const wanted = wantedText(finding.wanted);
      return `is required${beside}${wanted === "" ? "" : `: ${wanted}`}`;
    }
    case "extra":
    case "other":
      return finding.message();
  }
}

/** The findings by location, one for each: the one that names the values to choose from, or the first. */
export function byLocation(findings: readonly Finding[]): Map<string, Finding> {
  const found = new Map<string, Finding>();
  for (const finding of findings) {
    const before = found.get(finding.location);
    if (before === undefined || (namesValues(finding) && !namesValues(before))) {
      found.set(finding.location, finding);
    }
  }
  return found;
}

function namesValues(finding: Finding): boolean {
  return finding.kind === "choice" && finding.wanted.values.length > 0;
}
