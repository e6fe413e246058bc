import { byLocation, type Choice, type Finding, type Missing } from "./finding.ts";
import { isBelow, lastPartOf } from "./locations.ts";
import { alternativesText, anyOfWanted, nameText } from "./wanted.ts";

const NAMES_TOLD_MAX = 10;

/**
 * What to mend so that a value fits one of several alternatives, given what each finds at fault with
 * it: what the nearest asks for, or in one sentence what all of them do.
 */
export function nearest(location: string, alternatives: readonly Finding[][]): Finding[] {
  const groups = alternatives.map((findings) => [...byLocation(findings).values()]);
  const distances = groups.map((group) => distanceOf(location, group));
  const shortest = Math.min(...distances);
  const near = groups.filter((_, index) => distances[index] === shortest);
  const [first = []] = near;
  if (near.length < 2) return first;
  const shared = sharedOf(near);
  if (shared.length > 0) return shared;
  const all = near.flat();
  if (all.length <= NAMES_TOLD_MAX && all.every((finding) => isMissingFrom(location, finding))) {
    const names = near.map((group) => group.map(nameOf).join(" and "));
    const message = () => `must have ${alternativesText([...new Set(names)])}`;
    return [{ kind: "other", location, message }];
  }
  return near.reduce((best, group) => (weightOf(group) < weightOf(best) ? group : best), first);
}

/** 2: another kind of value; 1: the member that tells the alternatives apart names another; 0: neither. */
function distanceOf(location: string, group: readonly Finding[]): number {
  const choices = group.filter((finding) => finding.kind === "choice");
  if (choices.some((choice) => choice.location === location)) return 2;
  return choices.some((choice) => isTag(location, choice)) ? 1 : 0;
}

function isTag(location: string, choice: Choice): boolean {
  return choice.wanted.values.length === 1 && isMember(location, choice.location);
}

function isMember(location: string, member: string): boolean {
  return isBelow(member, location) && member.lastIndexOf("/") === location.length;
}

/** What every alternative finds, each asking for something else, as one choice among it all. */
function sharedOf(groups: readonly Finding[][]): Finding[] {
  const [first = [], ...others] = groups.map(byLocation);
  return [...first.values()].flatMap((finding): Finding[] => {
    const same = others.map((group) => group.get(finding.location));
    if (finding.kind === "choice") {
      const choices = [finding, ...same.filter(isChoice)];
      if (choices.length < groups.length) return [];
      return [{ ...finding, wanted: anyOfWanted(choices.map(({ wanted }) => wanted)) }];
    }
    if (finding.kind === "missing") {
      const missing = [finding, ...same.filter(isMissing)];
      if (missing.length < groups.length) return [];
      return [{ ...finding, wanted: anyOfWanted(missing.map(({ wanted }) => wanted)) }];
    }
    return [];
  });
}

function isChoice(finding: Finding | undefined): finding is Choice {
  return finding?.kind === "choice";
}

function isMissing(finding: Finding | undefined): finding is Missing {
  return finding?.kind === "missing";
}

function nameOf({ location }: Finding): string {
  return nameText(lastPartOf(location));
}

function isMissingFrom(location: string, finding: Finding): boolean {
  return finding.kind === "missing" && isMember(location, finding.location);
}

/** A member that an alternative does not know is a stronger sign against it than one it lacks. */
function weightOf(group: readonly Finding[]): number {
  return group.reduce((sum, finding) => sum + (finding.kind === "extra" ? 2 : 1), 0);
}
