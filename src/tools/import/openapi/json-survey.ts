// GitHub's document has 21 levels, 90,000 objects and lists, and 260,000 values.
const DEPTH_MAX = 100;
const CONTAINERS_MAX = 200_000;
const VALUES_MAX = 800_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Why a JSON text is not worth parsing, or null: `must …`. A text of a few megabytes can describe
 * more objects than a Worker's memory holds, and that ends the whole isolate, so it is counted first.
 */
export function surveyJson(text: string): string | null {
  let depth = 0;
  let containers = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        values += 1;
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth += 1;
        containers += 1;
        values += 1;
        if (depth > DEPTH_MAX) return `must be nested at most ${DEPTH_MAX} levels deep`;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth -= 1;
        break;
    }
    if (containers > CONTAINERS_MAX || values > VALUES_MAX) {
      return `must hold at most ${CONTAINERS_MAX} objects and lists, and ${VALUES_MAX} values`;
    }
  }
  return null;
}

/** The place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
