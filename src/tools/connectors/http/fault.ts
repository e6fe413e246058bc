import type { JsonObject } from "../../../domain/json.ts";
import type { Problem } from "../../../domain/problem.ts";
import type { EgressFault } from "../../../egress/contract.ts";
import type { Broken, CallFault } from "../contract.ts";
import type { Redaction } from "../../../secrets/redact.ts";

/** Parameters that cannot be sent. */
export function parametersFault(problems: readonly Problem[]): CallFault {
  return { kind: "parameters", problems };
}

/** An illness of the system, which may be over at the next call; `reason` is a clause: "it …". */
export function ill(reason: string): Broken {
  return { ...lasting(reason), isPassing: true };
}

/** A fault that the next call will meet again, such as an answer of another form than was promised. */
export function lasting(reason: string): Broken {
  const rest = { isPassing: false, isUndone: false, retryAfterSeconds: null, details: null };
  return { kind: "broken", reason, ...rest };
}

/** What cannot be sent as the tool is registered. */
export function unsendable(reason: string): Broken {
  return { ...lasting(reason), isUndone: true };
}

const NOT_NOW = 429;
const UNAVAILABLE = 503;

/** The fault in a status that is no answer to the call; `details` as of `Broken`. */
export function faultOfStatus(
  status: number,
  retryAfterSeconds: number | null,
  details: JsonObject,
): Broken {
  const reason = `it answered HTTP ${status}.`;
  if (status < 500 && status !== NOT_NOW) return { ...lasting(reason), details };
  // A bare 503 may come from a gateway whose system has had the request already.
  const isUndone = status === NOT_NOW || (status === UNAVAILABLE && retryAfterSeconds !== null);
  return { ...ill(reason), isUndone, retryAfterSeconds, details };
}

export function faultOfEgress(fault: EgressFault): CallFault {
  switch (fault.kind) {
    case "refused": {
      const { url, reason } = fault;
      return fault.because === "address"
        ? { kind: "refused_address", url, reason }
        : {
            ...lasting(`it leads to ${url}, which ${reason}.`),
            publicReason: "it redirects to an address to which requests are not allowed.",
          };
    }
    case "timeout":
      return { kind: "timeout", timeoutMs: fault.timeoutMs, isUndone: false };
    case "unreachable": {
      const isUndone = fault.isUnsent ?? false;
      const publicReason = "it cannot be reached.";
      const isResolverOutage = fault.isResolverOutage ?? false;
      const broken = ill(`it cannot be reached: ${fault.reason}.`);
      return { ...broken, publicReason, isUndone, isResolverOutage };
    }
    case "too_large":
      return lasting(`it answered with more than ${fault.bytesMax} bytes.`);
  }
}

/** A fault without the credential in any text that came from outside; `details` are masked by who tells them. */
export function redactedFault(fault: CallFault, redaction: Redaction): CallFault {
  switch (fault.kind) {
    case "refused_address":
      return { ...fault, url: redaction.text(fault.url), reason: redaction.text(fault.reason) };
    case "broken":
    case "unauthorised":
    case "rejected":
      return { ...fault, reason: redaction.text(fault.reason) };
    case "parameters":
    case "timeout":
      return fault;
  }
}
