import * as z from "zod";
import { isFramingHeader, isHeaderName } from "../kernel/header-name.ts";
import { preview, type Problem, fail, ok, type Result } from "../kernel/result.ts";
import {
  ID_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  PAGE_OFFSET_MAX,
  SEARCH_CHARACTERS_MAX,
} from "../kernel/limits.ts";
import { CURSOR_CHARACTERS_MAX, SECRET_CHARACTERS_MAX } from "./limits.ts";
import { IDENTIFIER_PATTERN, IDENTIFIER_RULE, RESERVED_AGENT_IDS } from "../kernel/identifier.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { formatCount } from "../kernel/text.ts";
import { checkText, joinPath } from "./json-body.ts";

const CUSTOM_MESSAGE = "customMessage";

/**
 * An issue for a schema's `check`. Nothing is appended to the message, so it must contain the received value if clients
 * should see it.
 */
export function customIssue(
  message: string,
  input: unknown,
  ...path: string[]
): z.core.$ZodRawIssue {
  return { code: "custom", message, input, path, params: { [CUSTOM_MESSAGE]: true } };
}

/** Pass this as the `params` of a refinement to keep the value, which may be a secret, out of the message. */
export const REDACT_INPUT = { [CUSTOM_MESSAGE]: true };

/**
 * Checks a value against a schema. Each problem states the path, what is required and, unless it may be secret, the
 * received value.
 */
export function validateSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, Problem[]> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return ok(parsed.data);
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return fail(parsed.error.issues.flatMap((issue) => toProblems(issue, known)));
}

function toProblems(issue: z.core.$ZodIssue, known: readonly string[]): Problem[] {
  const path = joinPath(issue.path) || "body";
  if (issue.code === "unrecognized_keys") {
    const fields =
      issue.path.length === 0 && known.length > 0 ? `; known fields: ${known.join(", ")}` : "";
    return issue.keys.map((key) => ({
      path: path === "body" ? key : `${path}.${key}`,
      message: `is not a known field${fields}`,
    }));
  }
  return [{ path, message: formatIssue(issue) }];
}

function formatIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `is required: ${withArticle(issue.expected)}`
        : `must be ${withArticle(issue.expected)}${isRedacted(issue.path) ? "" : `, got ${preview(issue.input)}`}`;
    case "invalid_value":
      return formatChoice(issue.values.map(String), issue.input);
    case "too_big":
      return `must ${formatSize("at most", issue.maximum, issue.origin)}, got ${formatMeasure(issue.input)}`;
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "must not be empty"
        : `must ${formatSize("at least", issue.minimum, issue.origin)}, got ${formatMeasure(issue.input)}`;
    case "invalid_union":
      return "options" in issue && issue.options !== undefined
        ? formatChoice(issue.options.map(String), discriminatorOf(issue))
        : appendInput(issue);
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.code === "custom" && issue.params?.[CUSTOM_MESSAGE] === true
        ? issue.message
        : appendInput(issue);
  }
}

/** Objects and lists are not shown, because some contain secrets. */
function formatChoice(choices: string[], given: unknown): string {
  if (given === undefined) return `is required: one of ${choices.join(", ")}`;
  const rule = `must be one of ${choices.join(", ")}`;
  return typeof given === "object" && given !== null ? rule : `${rule}; got ${preview(given)}`;
}

/** The value of the field that selects an object's schema. The issue's input is the object. */
function discriminatorOf({ input, path }: z.core.$ZodIssue): unknown {
  const field = path.at(-1);
  return typeof input === "object" && input !== null && field !== undefined
    ? Reflect.get(input, field)
    : undefined;
}

/** Fields whose values may be secrets, regardless of their type. */
const REDACTED_FIELDS = new Set<PropertyKey>(["apiKey", "headers"]);
/** Objects in whose place a client may send the secret that they contain. */
const OBJECTS_WITH_SECRETS = new Set<PropertyKey | undefined>(["executor", "connector"]);

function isRedacted(path: readonly PropertyKey[]): boolean {
  return path.some((field) => REDACTED_FIELDS.has(field)) || OBJECTS_WITH_SECRETS.has(path.at(-1));
}

/** Objects are not shown, because some contain secrets. */
function appendInput({ message, input }: z.core.$ZodIssue): string {
  if (input === undefined) return `is required and ${message}`;
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? message : `${message}, got ${preview(input)}`;
}

function formatSize(bound: string, amount: number | bigint, origin: string): string {
  if (origin === "string") return `be ${bound} ${amount} characters long`;
  return origin === "array"
    ? `have ${bound} ${formatCount(Number(amount), "item")}`
    : `be ${bound} ${amount}`;
}

function formatMeasure(input: unknown): string {
  if (typeof input === "string") return `${Array.from(input).length} characters`;
  return Array.isArray(input) ? `${input.length} items` : preview(input);
}

/** Zod's types whose names differ from those of JSON. */
const TYPE_NAMES: Readonly<Record<string, string>> = { record: "object", int: "integer" };

function withArticle(type: string): string {
  const name = TYPE_NAMES[type] ?? type;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

/** A free-form JSON object. `findJsonProblems` has already checked its depth, numbers and strings. */
export const jsonObject = z
  .custom<JsonObject>((value) => isJsonObject(value as Json | undefined), {
    error: "must be an object",
  })
  .meta({ type: "object", additionalProperties: true });

/** A display name. Its length is checked before leading and trailing spaces are removed. */
export const displayName = z
  .string()
  .max(NAME_CHARACTERS_MAX)
  .trim()
  .min(1)
  .meta({ pattern: "\\S" });

/** The id of an existing resource. */
export const idText = z.string().min(1).max(ID_CHARACTERS_MAX);

/** An id chosen by the client. */
export const identifier = z
  .string()
  .regex(IDENTIFIER_PATTERN, { error: IDENTIFIER_RULE, abort: true });

/** The id of a new agent, which must not be a reserved path segment under /agents. */
export const agentIdentifier = identifier.refine((id) => !RESERVED_AGENT_IDS.includes(id), {
  error: `must not be one of the reserved words ${RESERVED_AGENT_IDS.join(", ")}`,
});

/** Printable ASCII without leading or trailing spaces. Such text is valid in every header and form. */
export const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
export const PRINTABLE_ASCII_RULE =
  "must be printable ASCII without line breaks, tabs, or leading or trailing spaces";

/** A string that messages never quote, because it may be a secret. */
export function redactedString(
  charactersMax: number,
  rule: string,
  good: RegExp | ((text: string) => boolean),
  { allowsEmpty = false }: { readonly allowsEmpty?: boolean } = {},
) {
  const isGood = good instanceof RegExp ? (text: string) => good.test(text) : good;
  const pattern = good instanceof RegExp ? { pattern: good.source } : {};
  return z
    .custom<string>()
    .meta({
      type: "string",
      ...(allowsEmpty ? {} : { minLength: 1 }),
      maxLength: charactersMax,
      ...pattern,
    })
    .check((ctx) => {
      const given: unknown = ctx.value;
      if (given === "" && allowsEmpty) return;
      const message = checkRedactedString(given, charactersMax, (text) =>
        isGood(text) ? null : rule,
      );
      if (message !== null) ctx.issues.push(customIssue(message, given));
    });
}

/** The problem with a string that must not be quoted, or null. `findProblem` checks a string of valid length. */
export function checkRedactedString(
  given: unknown,
  charactersMax: number,
  findProblem: (text: string) => string | null,
): string | null {
  if (given === undefined) return "is required: a string";
  if (typeof given !== "string") return "must be a string";
  if (given === "") return "must not be empty";
  const { length } = Array.from(given);
  if (length <= charactersMax) return findProblem(given);
  return `must be at most ${charactersMax} characters long, got ${length} characters`;
}

/** A secret to send to another system. */
export const secretText = redactedString(
  SECRET_CHARACTERS_MAX,
  PRINTABLE_ASCII_RULE,
  PRINTABLE_ASCII,
);

/** The name of the header or query parameter that contains a secret. */
export const credentialFieldName = redactedString(
  NAME_CHARACTERS_MAX,
  "must be a valid header name (letters, digits, - _ . and some other symbols) and must not be a header that the request itself needs, such as Host or Content-Type",
  (text) => isHeaderName(text) && !isFramingHeader(text),
);

/** An integer query parameter between `from` and `to`, in decimal digits without leading zeros. */
export function queryInteger(from: number, to: number) {
  const rule = `must be a whole number from ${from} to ${to}`;
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})$/, { error: rule })
    .transform(Number)
    .refine((value) => value >= from && value <= to, { error: rule })
    .meta({ type: "integer", minimum: from, maximum: to });
}

/**
 * A query parameter that can be repeated: a string, or an array of strings. `read` converts it or returns what is wrong
 * with it. `items` is the JSON Schema of one value. The operation must list the parameter in `repeatedQuery`.
 */
export function queryList<Given extends string, Item>(
  read: (texts: readonly string[]) => Result<Item[], string>,
  items: JsonObject,
) {
  return z
    .custom<Given | readonly Given[]>(isTextOrTexts, { error: "must be a string or a list" })
    .meta({ type: "array", items, minItems: 1 })
    .transform((given, context): Item[] => {
      const result = read(typeof given === "string" ? [given] : given);
      if (result.ok) return result.value;
      context.issues.push(customIssue(result.failure, given));
      return z.NEVER;
    });
}

function isTextOrTexts(given: unknown): boolean {
  const texts = typeof given === "string" ? [given] : given;
  return Array.isArray(texts) && texts.length > 0 && texts.every((one) => typeof one === "string");
}

/**
 * A query parameter that can be repeated and whose values can be separated by commas. The result contains each value
 * once, in the order of `choices`.
 */
export function queryChoices<Choice extends string>(choices: readonly Choice[]) {
  return queryList<Choice | `${Choice},${string}`, Choice>(
    (texts) => {
      const given = new Set(texts.flatMap((text) => text.split(",")));
      for (const one of given) {
        if (!choices.some((choice) => choice === one)) return fail(formatChoice([...choices], one));
      }
      return ok(choices.filter((choice) => given.has(choice)));
    },
    { type: "string", enum: [...choices] },
  );
}

/** The paging parameters of a list. `items` is the plural noun for its entries, such as `Tasks`. */
export function pageQueryOf(items: string) {
  return {
    limit: queryInteger(1, PAGE_LIMIT_MAX)
      .default(PAGE_LIMIT_DEFAULT)
      .describe(`${items} per page.`),
    offset: queryInteger(0, PAGE_OFFSET_MAX)
      .default(0)
      .describe(`${items} to skip before the page.`),
  };
}

/** A cursor that the list returned. */
/** A date-time, or a date, which means the first or last millisecond of that day in UTC. The result is in milliseconds since 1970. */
export function queryDate(end: "start" | "end") {
  const time = end === "start" ? "T00:00:00.000Z" : "T23:59:59.999Z";
  return z
    .union(
      [
        z.iso.date({ abort: true }).transform((day) => `${day}${time}`),
        z.iso.datetime({ offset: true, abort: true }),
      ],
      {
        error:
          "must be a date such as 2030-01-31 or a date-time with a time zone, such as 2030-01-31T12:00:00Z",
      },
    )
    .transform((text) => Date.parse(text));
}

export const cursorText = z.string().min(1).max(CURSOR_CHARACTERS_MAX).optional();

export const searchText = z.string().min(1).max(SEARCH_CHARACTERS_MAX).optional();

/**
 * Reads the known query parameters. All other parameters are problems, except those in `ignored` (null ignores all).
 * Only those in `repeated` can have more than one value; they are then an array, as Hono's validator passes them.
 */
export function readQuery(
  url: string,
  known: readonly string[],
  ignored: readonly string[] | null = [],
  repeated: readonly string[] = [],
): { values: Record<string, string | string[]>; problems: Problem[] } {
  // Most URLs have no query and need not be parsed.
  const search = new URLSearchParams(url.includes("?") ? new URL(url).search : "");
  const values: Record<string, string | string[]> = {};
  const problems = ignored === null ? [] : findUnknownParameters(search, known, ignored);
  for (const name of known) {
    const given = search.getAll(name);
    const [value] = given;
    if (value === undefined) continue;
    const text = given.map(checkText).find((problem) => problem !== null);
    if (given.length > 1 && !repeated.includes(name)) {
      problems.push({ path: name, message: `must be given only once, got ${given.length} values` });
    } else if (given.includes("")) {
      problems.push({ path: name, message: "must not be empty; omit it instead" });
    } else if (text !== undefined) {
      problems.push({ path: name, message: `contains text that ${text}` });
    } else {
      values[name] = given.length === 1 ? value : given;
    }
  }
  return { values, problems };
}

function findUnknownParameters(
  search: URLSearchParams,
  known: readonly string[],
  ignored: readonly string[],
): Problem[] {
  const all = [...known, ...ignored];
  const takes = all.length === 0 ? "this route takes none" : `known: ${all.join(", ")}`;
  return [...new Set(search.keys())]
    .filter((name) => !all.includes(name))
    .map((name) => ({
      path: name === "" ? "query" : name,
      message: `is not a known query parameter; ${takes}`,
    }));
}
