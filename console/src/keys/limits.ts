import type { Schemas } from "../api/client.ts";

export type KeyLimits = Schemas["KeyLimits"];
export type LimitName = keyof KeyLimits;
/** What is typed into the fields of the limits. Empty restores the default. */
export type LimitTexts = Readonly<Record<LimitName, string>>;

export const LIMIT_NAMES = [
  "requestsPerMinute",
  "openStreams",
  "pushConfigurations",
  "liveTasks",
  "storedBytes",
] as const satisfies readonly LimitName[];

export const LIMIT_LABELS: Readonly<Record<LimitName, string>> = {
  requestsPerMinute: "Requests per minute",
  openStreams: "Open streams and waiting requests",
  pushConfigurations: "A2A push configurations",
  liveTasks: "Tasks that have not ended",
  storedBytes: "Stored bytes",
};

export const NO_LIMITS: LimitTexts = {
  requestsPerMinute: "",
  openStreams: "",
  pushConfigurations: "",
  liveTasks: "",
  storedBytes: "",
};

export function limitTexts(limits: KeyLimits): LimitTexts {
  return {
    requestsPerMinute: String(limits.requestsPerMinute),
    openStreams: String(limits.openStreams),
    pushConfigurations: String(limits.pushConfigurations),
    liveTasks: String(limits.liveTasks),
    storedBytes: String(limits.storedBytes),
  };
}

/** The limits of a new key. The API uses its default for those that are empty. */
export function newLimits(texts: LimitTexts): Partial<KeyLimits> | undefined {
  const given = LIMIT_NAMES.flatMap((name): [LimitName, number][] =>
    texts[name].trim() === "" ? [] : [[name, Number(texts[name])]],
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

type LimitChange = Partial<Record<LimitName, number | null>>;

/** The limits that differ from those in effect. An empty text restores the default. */
export function changedLimits(before: KeyLimits, texts: LimitTexts): LimitChange {
  const changes = LIMIT_NAMES.flatMap((name): [LimitName, number | null][] => {
    const text = texts[name].trim();
    if (text === "") return [[name, null]];
    return Number(text) === before[name] ? [] : [[name, Number(text)]];
  });
  return Object.fromEntries(changes);
}
