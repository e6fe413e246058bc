import { toValue, type Context, type Emitter } from "liquidjs/dist/liquid.browser.mjs";
import { textSize } from "./work.ts";

const TEXT_CHARACTERS_MAX = 1_000_000;

/** Gathers what is written; refuses to grow past a million characters or what the meter allows. */
export class MeteredEmitter implements Emitter {
  buffer = "";
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  write(value: unknown): void {
    this.#context.memoryLimit.use(textSize(value));
    this.buffer += textOf(value);
    if (this.buffer.length > TEXT_CHARACTERS_MAX) {
      throw new Error("the text grows past 1,000,000 characters");
    }
  }
}

/** A value as Liquid writes it: nothing for nil, arrays without separators. */
function textOf(written: unknown): string {
  const value: unknown = toValue(written);
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(textOf).join("");
  // oxlint-disable-next-line typescript/no-base-to-string -- liquidjs writes objects like this, too
  return String(value);
}
