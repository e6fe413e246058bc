import type { OutputUnit } from "@cfworker/json-schema";

/** One error of the validator with those that it passes on from below. */
export interface Fault {
  readonly keyword: string;
  /** Where in the schema, through references: `#/properties/a/$ref/type`. */
  readonly keywordLocation: string;
  /** Where in the document: `#/a/0`. */
  readonly location: string;
  readonly below: Fault[];
}

// The validator repeats these for every name; what is made of one tells them all.
const REPEATED = new Set(["required", "dependentRequired", "dependencies"]);

/** The validator's flat list, in which each error is followed by those below it, as trees. */
export function faultsOf(units: readonly OutputUnit[]): Fault[] {
  const roots: Fault[] = [];
  const open: Fault[] = [];
  for (const { keyword, keywordLocation, instanceLocation } of units) {
    const fault: Fault = { keyword, keywordLocation, location: instanceLocation, below: [] };
    while (open.length > 0 && !isOver(open.at(-1), fault)) open.pop();
    const siblings = open.at(-1)?.below ?? roots;
    if (keyword === "minContains") dropTried(siblings, keywordLocation);
    if (!isRepeated(siblings.at(-1), fault)) siblings.push(fault);
    open.push(fault);
  }
  return roots;
}

function isOver(above: Fault | undefined, { keywordLocation }: Fault): boolean {
  if (above === undefined) return false;
  if (above.keyword !== "if") return keywordLocation.startsWith(`${above.keywordLocation}/`);
  const schemaLocation = above.keywordLocation.slice(0, -"if".length);
  return ["then/", "else/"].some((arm) => keywordLocation.startsWith(`${schemaLocation}${arm}`));
}

/** The validator leaves behind why items were not among those contained, which is no error. */
function dropTried(siblings: Fault[], keywordLocation: string): void {
  const tried = `${keywordLocation.slice(0, -"minContains".length)}contains/`;
  while (siblings.at(-1)?.keywordLocation.startsWith(tried) === true) siblings.pop();
}

function isRepeated(before: Fault | undefined, fault: Fault): boolean {
  return (
    before !== undefined &&
    before.below.length === 0 &&
    REPEATED.has(fault.keyword) &&
    before.keywordLocation === fault.keywordLocation &&
    before.location === fault.location
  );
}
