import { isLocationBelow, lastPartOf } from "./locations.ts";
import {
  type ExpectedValue,
  formatAlternatives,
  formatExpectedValue,
  formatMustBe,
  formatShownName,
  mergeExpectedValues,
} from "./expected.ts";
import type { Json } from "../../../kernel/json.ts";

/** A correction that a value needs. Messages are formatted only for reported mismatches. */
export type Mismatch =
  /** The value has the wrong type, or is none of the allowed values. */
  | ChoiceMismatch
  | MissingMismatch
  /** A member or item that is not allowed. */
  | { readonly kind: "extra"; readonly location: string; readonly message: () => string }
  | { readonly kind: "other"; readonly location: string; readonly message: () => string };

interface ChoiceMismatch {
  readonly kind: "choice";
  readonly location: string;
  readonly wanted: ExpectedValue;
  readonly got: Json | undefined;
}

interface MissingMismatch {
  readonly kind: "missing";
  readonly location: string;
  readonly wanted: ExpectedValue;
  /** The member that requires it; null if it is always required. */
  readonly beside: string | null;
}

export function formatMismatch(finding: Mismatch): string {
  switch (finding.kind) {
    case "choice":
      return formatMustBe(finding.wanted, finding.got);
    case "missing": {
      const beside = finding.beside === null ? "" : ` beside ${formatShownName(finding.beside)}`;
      const wanted = formatExpectedValue(finding.wanted);
      return `is required${beside}${wanted === "" ? "" : `: ${wanted}`}`;
    }
    case "extra":
    case "other":
      return finding.message();
  }
}

/** One mismatch per location: the one that names the allowed values, or the first. */
export function indexByLocation(findings: readonly Mismatch[]): Map<string, Mismatch> {
  const found = new Map<string, Mismatch>();
  for (const finding of findings) {
    const before = found.get(finding.location);
    if (before === undefined || (listsValues(finding) && !listsValues(before))) {
      found.set(finding.location, finding);
    }
  }
  return found;
}

function listsValues(finding: Mismatch): boolean {
  return finding.kind === "choice" && finding.wanted.values.length > 0;
}

const NAMES_SHOWN_MAX = 10;

/**
 * The mismatches of a value that matches none of the alternatives: those of the nearest alternative, or one
 * sentence for all of them.
 */
export function selectNearestAlternative(
  location: string,
  alternatives: readonly Mismatch[][],
): Mismatch[] {
  const groups = alternatives.map((findings) => [...indexByLocation(findings).values()]);
  const distances = groups.map((group) => computeDistance(location, group));
  const shortest = Math.min(...distances);
  const near = groups.filter((_, index) => distances[index] === shortest);
  const [first = []] = near;
  if (near.length < 2) return first;
  const shared = mergeShared(near);
  if (shared.length > 0) return shared;
  const all = near.flat();
  if (all.length <= NAMES_SHOWN_MAX && all.every((finding) => isMissingFrom(location, finding))) {
    const names = near.map((group) => group.map(nameOf).join(" and "));
    const message = () => `must have ${formatAlternatives([...new Set(names)])}`;
    return [{ kind: "other", location, message }];
  }
  return near.reduce(
    (best, group) => (computeWeight(group) < computeWeight(best) ? group : best),
    first,
  );
}

/** 2: another type; 1: another value of the discriminating member; 0: neither. */
function computeDistance(location: string, group: readonly Mismatch[]): number {
  const choices = group.filter((finding) => finding.kind === "choice");
  if (choices.some((choice) => choice.location === location)) return 2;
  return choices.some((choice) => isDiscriminator(location, choice)) ? 1 : 0;
}

function isDiscriminator(location: string, choice: ChoiceMismatch): boolean {
  return choice.wanted.values.length === 1 && isMember(location, choice.location);
}

function isMember(location: string, member: string): boolean {
  return isLocationBelow(member, location) && member.lastIndexOf("/") === location.length;
}

/** A location that every alternative rejects, as one choice among all expected values. */
function mergeShared(groups: readonly Mismatch[][]): Mismatch[] {
  const [first = [], ...others] = groups.map(indexByLocation);
  return [...first.values()].flatMap((finding): Mismatch[] => {
    const same = others.map((group) => group.get(finding.location));
    if (finding.kind === "choice") {
      const choices = [finding, ...same.filter(isChoice)];
      if (choices.length < groups.length) return [];
      return [{ ...finding, wanted: mergeExpectedValues(choices.map(({ wanted }) => wanted)) }];
    }
    if (finding.kind === "missing") {
      const missing = [finding, ...same.filter(isMissing)];
      if (missing.length < groups.length) return [];
      return [{ ...finding, wanted: mergeExpectedValues(missing.map(({ wanted }) => wanted)) }];
    }
    return [];
  });
}

function isChoice(finding: Mismatch | undefined): finding is ChoiceMismatch {
  return finding?.kind === "choice";
}

function isMissing(finding: Mismatch | undefined): finding is MissingMismatch {
  return finding?.kind === "missing";
}

function nameOf({ location }: Mismatch): string {
  return formatShownName(lastPartOf(location));
}

function isMissingFrom(location: string, finding: Mismatch): boolean {
  return finding.kind === "missing" && isMember(location, finding.location);
}

/** An unknown member counts more against an alternative than a missing one. */
function computeWeight(group: readonly Mismatch[]): number {
  return group.reduce((sum, finding) => sum + (finding.kind === "extra" ? 2 : 1), 0);
}
