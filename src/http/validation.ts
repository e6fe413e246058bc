import * as z from "zod";
import { preview, type Problem } from "../kernel/problem.ts";
import { fail, ok, type Result } from "../kernel/result.ts";

const CUSTOM_MESSAGE = "worded";

/** An issue for a schema's `check` whose message tells the value by itself, so none is appended. */
export function customIssue(
  message: string,
  input: unknown,
  ...path: string[]
): z.core.$ZodRawIssue {
  return { code: "custom", message, input, path, params: { [CUSTOM_MESSAGE]: true } };
}

/** For the `params` of a refinement whose message must not show the value, as it may be a secret. */
export const REDACT_INPUT = { [CUSTOM_MESSAGE]: true };

/** Checks a value against a schema; every problem names its path, the value it got and what to change. */
export function validateSchema<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, Problem[]> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return ok(parsed.data);
  return fail(parsed.error.issues.flatMap((issue) => toProblems(issue, listKnownKeys(schema))));
}

function toProblems(issue: z.core.$ZodIssue, known: readonly string[]): Problem[] {
  const path = formatPath(issue.path);
  if (issue.code === "unrecognized_keys") {
    const fields =
      issue.path.length === 0 && known.length > 0 ? `; it takes ${known.join(", ")}` : "";
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
      return issue.input === undefined
        ? `is required: one of ${issue.values.map(String).join(", ")}`
        : `must be one of ${issue.values.map(String).join(", ")}; got ${preview(issue.input)}`;
    case "too_big":
      return `must be ${formatSize("at most", issue.maximum, issue.origin)}, got ${formatMeasure(issue.input)}`;
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "must not be empty"
        : `must be ${formatSize("at least", issue.minimum, issue.origin)}, got ${formatMeasure(issue.input)}`;
    case "invalid_union":
      return "options" in issue && issue.options !== undefined
        ? `must be one of ${issue.options.map(String).join(", ")}`
        : appendInput(issue);
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.code === "custom" && issue.params?.[CUSTOM_MESSAGE] === true
        ? issue.message
        : appendInput(issue);
  }
}

/** Fields whose values may be secrets, whatever their type. */
const REDACTED_FIELDS = new Set<PropertyKey>(["apiKey", "headers"]);

function isRedacted(path: readonly PropertyKey[]): boolean {
  return path.some((field) => REDACTED_FIELDS.has(field));
}

/** Objects are not shown, because some contain secrets. */
function appendInput({ message, input }: z.core.$ZodIssue): string {
  if (input === undefined) return `is required: it ${message}`;
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? message : `${message}, got ${preview(input)}`;
}

function formatSize(bound: string, amount: number | bigint, origin: string): string {
  if (origin === "string") return `${bound} ${amount} characters long`;
  return origin === "array" ? `${bound} ${amount} items long` : `${bound} ${amount}`;
}

function formatMeasure(input: unknown): string {
  if (typeof input === "string") return `${Array.from(input).length} characters`;
  return Array.isArray(input) ? `${input.length} items` : preview(input);
}

function withArticle(type: string): string {
  const name = type === "record" ? "object" : type;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

function formatPath(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before}[${key}]`;
    return before === "" ? String(key) : `${before}.${String(key)}`;
  }, "");
  return text === "" ? "body" : text;
}

function listKnownKeys(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
