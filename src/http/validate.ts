import * as z from "zod";
import { shown, type Problem } from "../domain/problem.ts";
import { fail, ok, type Result } from "../domain/result.ts";

const WORDED = "worded";

/** An issue for a schema's `check` whose message tells the value by itself, so none is appended. */
export function worded(message: string, input: unknown, ...path: string[]): z.core.$ZodRawIssue {
  return { code: "custom", message, input, path, params: { [WORDED]: true } };
}

/** For the `params` of a refinement whose message must not show the value, as it may be a secret. */
export const DISCREET = { [WORDED]: true };

/** Checks a value against a schema; every problem names its path, the value it got and what to change. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, Problem[]> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return ok(parsed.data);
  return fail(parsed.error.issues.flatMap((issue) => problems(issue, knownKeys(schema))));
}

function problems(issue: z.core.$ZodIssue, known: readonly string[]): Problem[] {
  const path = pathOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    const fields =
      issue.path.length === 0 && known.length > 0 ? `; it takes ${known.join(", ")}` : "";
    return issue.keys.map((key) => ({
      path: path === "body" ? key : `${path}.${key}`,
      message: `is not a known field${fields}`,
    }));
  }
  return [{ path, message: messageOf(issue) }];
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `is required: ${aOrAn(issue.expected)}`
        : `must be ${aOrAn(issue.expected)}${isDiscreet(issue.path) ? "" : `, got ${shown(issue.input)}`}`;
    case "invalid_value":
      return issue.input === undefined
        ? `is required: one of ${issue.values.map(String).join(", ")}`
        : `must be one of ${issue.values.map(String).join(", ")}; got ${shown(issue.input)}`;
    case "too_big":
      return `must be ${size("at most", issue.maximum, issue.origin)}, got ${measured(issue.input)}`;
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1
        ? "must not be empty"
        : `must be ${size("at least", issue.minimum, issue.origin)}, got ${measured(issue.input)}`;
    case "invalid_union":
      return "options" in issue && issue.options !== undefined
        ? `must be one of ${issue.options.map(String).join(", ")}`
        : withInput(issue);
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.code === "custom" && issue.params?.[WORDED] === true
        ? issue.message
        : withInput(issue);
  }
}

/** Fields whose values may be secrets, whatever their type. */
const DISCREET_FIELDS = new Set<PropertyKey>(["apiKey", "headers"]);

function isDiscreet(path: readonly PropertyKey[]): boolean {
  return path.some((field) => DISCREET_FIELDS.has(field));
}

/** Objects are not shown, because some contain secrets. */
function withInput({ message, input }: z.core.$ZodIssue): string {
  if (input === undefined) return `is required: it ${message}`;
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? message : `${message}, got ${shown(input)}`;
}

function size(bound: string, amount: number | bigint, origin: string): string {
  if (origin === "string") return `${bound} ${amount} characters long`;
  return origin === "array" ? `${bound} ${amount} items long` : `${bound} ${amount}`;
}

function measured(input: unknown): string {
  if (typeof input === "string") return `${Array.from(input).length} characters`;
  return Array.isArray(input) ? `${input.length} items` : shown(input);
}

function aOrAn(type: string): string {
  const name = type === "record" ? "object" : type;
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

function pathOf(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before}[${key}]`;
    return before === "" ? String(key) : `${before}.${String(key)}`;
  }, "");
  return text === "" ? "body" : text;
}

function knownKeys(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
