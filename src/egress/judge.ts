import { addressProblem, formProblem, ipOf, leadsTo, place, secretProblem } from "./address.ts";
import type { EgressFault } from "./contract.ts";
import { ipProblem } from "./ip.ts";
import { addressesOf } from "./resolver.ts";

/** Why a request, with or without a secret, to a URL is currently not allowed; null if it is allowed. */
export type Judge = (
  url: URL,
  sendsSecret: boolean,
  caller: AbortSignal | null,
) => Promise<EgressFault | null>;

/** The guard as this deployment sets it up. */
export function judgeOf(env: Pick<Env, "ALLOW_PRIVATE_EGRESS" | "DNS_RESOLVER_URL">): Judge {
  return env.ALLOW_PRIVATE_EGRESS === "true"
    ? judgeForm
    : (url, sendsSecret, caller) =>
        judgeAddress(url, sendsSecret, { resolverUrl: env.DNS_RESOLVER_URL, caller });
}

async function judgeForm(url: URL): Promise<EgressFault | null> {
  return refusal(url, formProblem(url));
}

/** A name is as private as the most private of its addresses: nobody knows which one is taken. */
async function judgeAddress(
  url: URL,
  sendsSecret: boolean,
  { resolverUrl, caller }: { resolverUrl: string; caller: AbortSignal | null },
): Promise<EgressFault | null> {
  const problem = addressProblem(url) ?? (sendsSecret ? secretProblem(url) : null);
  if (problem !== null || ipOf(url) !== null) return refusal(url, problem);
  const name = url.hostname;
  const resolved = await addressesOf(name, resolverUrl, caller);
  if (!resolved.ok) {
    const reason = `the name ${name} cannot be resolved at the moment: ${resolved.failure}`;
    return { kind: "unreachable", reason, isResolverOutage: true };
  }
  if (resolved.value.length === 0) {
    return { kind: "unreachable", reason: `the name ${name} does not resolve` };
  }
  for (const ip of resolved.value) {
    const ipReason = ipProblem(ip);
    if (ipReason !== null) return refusal(url, leadsTo(ip, ipReason));
  }
  return null;
}

function refusal(url: URL, reason: string | null): EgressFault | null {
  return reason === null ? null : { kind: "refused", because: "address", url: place(url), reason };
}
