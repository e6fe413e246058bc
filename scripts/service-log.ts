// oxlint-disable-next-line no-control-regex -- the escape character begins each colour
const ANSI = /\u001B\[[\d;]*m/g;
/** Wrangler repeats each request, without its error, agent and task. */
const REPEATED = /^\[wrangler:info\] /;
const HEADING = /^[▲✘] \[(WARNING|ERROR)\] \{$/;
const FIELD = /^ {4}(\w+): (.*?),?$/;
const END = /^ {2}\}$/;
const TASK_ID_CHARACTERS = 12;

/**
 * Formats the log of a local service. Wrangler prints a warning or an error as an object over several lines; the result
 * is one line, followed by stack frames, if any:
 * `warning llm_request_failed error='…' agent=support task=4f2ac19e0b1d request=…`.
 */
export class ServiceLog {
  #level: string | null = null;
  #fields = new Map<string, string>();
  #frames: string[] = [];

  /** The lines to print after the next line of Wrangler's output. */
  add(given: string): readonly string[] {
    const line = given.replaceAll(ANSI, "");
    if (this.#level === null) return this.#begin(line);
    if (END.test(line)) return this.#end();
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name !== undefined && value !== undefined) this.#fields.set(name, value);
    else if (line.trim() !== "") this.#frames.push(line);
    return [];
  }

  #begin(line: string): readonly string[] {
    const level = HEADING.exec(line)?.[1];
    if (level === undefined) return line === "" || REPEATED.test(line) ? [] : [line];
    this.#level = level.toLowerCase();
    return [];
  }

  #end(): readonly string[] {
    const { event = "", agentId, taskId, requestId, ...others } = Object.fromEntries(this.#fields);
    const named = {
      ...others,
      agent: withoutQuotes(agentId),
      task: withoutQuotes(taskId)?.slice(0, TASK_ID_CHARACTERS),
      request: withoutQuotes(requestId),
    };
    const words = Object.entries(named).map(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    );
    const lines = [[this.#level, withoutQuotes(event), ...words.flat()].join(" "), ...this.#frames];
    this.#level = null;
    this.#fields = new Map();
    this.#frames = [];
    return lines;
  }
}

function withoutQuotes(value: string | undefined): string | undefined {
  return value?.replace(/^'(.*)'$/, "$1");
}
