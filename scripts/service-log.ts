import { stripVTControlCharacters } from "node:util";

/** Wrangler logs each request too, but without its error, agent and task. */
const WRANGLER_LINE = /^\[wrangler:info\] /;
const HEADING = /^[▲✘] \[(WARNING|ERROR)\] \{$/;
const FIELD = /^ {4}(\w+): (.*?),?$/;
const CONTINUATION = /^(?: {4}.*)?$/;
const END = /^ {2}\}$/;
const TASK_ID_CHARACTERS = 12;

/** A warning or an error whose last line has not arrived yet. */
interface OpenEvent {
  readonly level: string;
  readonly fields: Map<string, string>;
  /** The error's stack trace and other multi-line values. */
  readonly more: string[];
}

/**
 * Formats the log of a local service. Wrangler prints a warning or an error as an object on several lines. This class
 * turns it into one line, followed by the stack trace if there is one:
 * `warning llm_request_failed error='…' agent=support task=4f2ac19e0b1d request=…`.
 */
export class ServiceLog {
  #open: OpenEvent | null = null;

  /** Adds a line of Wrangler's output and returns the lines to print. */
  add(given: string): readonly string[] {
    const line = stripVTControlCharacters(given);
    const open = this.#open;
    if (open === null) return this.#begin(line);
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name !== undefined && value !== undefined) open.fields.set(name, value);
    else if (!CONTINUATION.test(line)) return this.#end(open, line);
    else if (line !== "") open.more.push(line);
    return [];
  }

  #begin(line: string): readonly string[] {
    const level = HEADING.exec(line)?.[1];
    if (level === undefined) return line.trim() === "" || WRANGLER_LINE.test(line) ? [] : [line];
    this.#open = { level: level.toLowerCase(), fields: new Map(), more: [] };
    return [];
  }

  /** `line` is either the last line of the event or the first line after it. */
  #end(open: OpenEvent, line: string): readonly string[] {
    this.#open = null;
    return [formatEvent(open), ...open.more, ...(END.test(line) ? [] : this.#begin(line))];
  }
}

function formatEvent({ level, fields }: OpenEvent): string {
  const { event = "", agentId, taskId, requestId, ...others } = Object.fromEntries(fields);
  const named = {
    ...others,
    agent: withoutQuotes(agentId),
    task: withoutQuotes(taskId)?.slice(0, TASK_ID_CHARACTERS),
    request: withoutQuotes(requestId),
  };
  const words = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return [level, withoutQuotes(event), ...words].join(" ");
}

function withoutQuotes(value: string | undefined): string | undefined {
  return value?.replace(/^'(.*)'$/, "$1");
}
