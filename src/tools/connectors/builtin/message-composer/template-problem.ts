import { LiquidError } from "liquidjs/dist/liquid.browser.mjs";
import type { Problem } from "../../../../domain/problem.ts";

/** What liquidjs appends to every message; the position is told in words instead. */
const POSITION = /, line:\d+, col:\d+$/;
const OVERFLOW = /call stack/i;
const TOO_MUCH_WORK = /limit exceeded/;

/** A template's error with its line and column; null when `error` is not the template's fault. */
export function templateProblem(error: unknown): Problem | null {
  if (!(error instanceof LiquidError)) return null;
  const [line, column] = error.token.getPosition();
  const where = `line ${line}, column ${column}`;
  return { path: "template", message: `${reason(error)} (${where})` };
}

function reason({ message }: LiquidError): string {
  if (OVERFLOW.test(message)) return "is nested too deeply: use fewer tags inside each other";
  if (TOO_MUCH_WORK.test(message)) {
    return "takes too much work to render: use fewer loops, or give shorter values";
  }
  return `cannot be rendered: ${message.replace(POSITION, "")}`;
}
