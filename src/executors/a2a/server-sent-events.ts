/** One event of a stream: `type` is "message" if the stream names none. */
export interface ParsedServerSentEvent {
  readonly type: string;
  readonly data: string;
}

/** The events of an event stream (WHATWG HTML, section 9.2). Comments, ids and retry times are ignored. */
export async function* parseEventStream(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ParsedServerSentEvent, void, undefined> {
  let type = "message";
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line === "") {
      if (data.length > 0) yield { type, data: data.join("\n") };
      type = "message";
      data = [];
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") type = value;
    if (field === "data") data.push(value);
  }
}

/** An event in the format of the stream. */
export function serializeServerSentEvent(type: string, value: unknown): string {
  const data = `data: ${JSON.stringify(value)}\n\n`;
  return type === "message" ? data : `event: ${type}\n${data}`;
}

/** Searches each chunk once, so that the cost of an endless line is linear. */
async function* readLines(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  for await (const chunk of body) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    pending.push(first);
    for (const next of others) {
      yield pending.join("").replace(/\r$/, "");
      pending = [next];
    }
  }
}
