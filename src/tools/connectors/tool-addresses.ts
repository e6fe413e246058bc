import { ORIGINS_MAX } from "../limits.ts";
import type { ToolAddress } from "../model/tool.ts";
import type { Problem } from "../../kernel/result.ts";
import type { Egress } from "../../platform/egress/contract.ts";

/**
 * Checks addresses, each origin only once, and returns their problems. More than ORIGINS_MAX origins are also a
 * problem.
 */
export async function checkAddresses(
  egress: Egress,
  addresses: readonly ToolAddress[],
  sendsSecret = false,
): Promise<Problem[]> {
  const firsts = new Map(
    addresses.toReversed().map((one) => [originWithCredentials(one.url), one]),
  );
  const origins = new Set(addresses.map(({ url }) => URL.parse(url)?.origin ?? url));
  if (origins.size > ORIGINS_MAX) {
    const path = addresses.at(-1)?.path ?? "connector";
    const message = `is one of ${origins.size} origins; a tool can use at most ${ORIGINS_MAX}`;
    return [{ path, message }];
  }
  const problems = await Promise.all(
    [...firsts.values()].map(async ({ path, url }) => {
      const checked = await egress.checkUrl(url, sendsSecret);
      return checked.ok ? [] : [{ path, message: checked.failure }];
    }),
  );
  return problems.flat();
}

/** The parts of a URL that the check depends on: everything before the path. */
function originWithCredentials(text: string): string {
  const url = URL.parse(text);
  return url === null ? text : `${url.protocol}//${url.username}:${url.password}@${url.host}`;
}
