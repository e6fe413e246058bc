import { URL_BYTES_MAX } from "../domain/limits.ts";
import { shown } from "../domain/problem.ts";
import { ipProblem, isIp } from "./ip.ts";

/**
 * Domains that lead nowhere on the public internet: RFC 6761, 6762, 7686 and 8375, what ICANN keeps
 * for private use, and what routers and clusters commonly call their own.
 */
const LOCAL_DOMAINS = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "test",
  "example",
  "invalid",
  "onion",
  "alt",
];
const HOST_CHARACTERS_MAX = 253;
const LABEL = /^[a-z\d_-]{1,63}$/;

/**
 * Why requests may not go to this URL, judged by its text alone; null when its name, if it has one,
 * is all that is left to resolve. The reason completes "The address …".
 */
export function addressProblem(url: URL): string | null {
  return formProblem(url) ?? hostProblem(url);
}

/** The part of the judgement that holds for private addresses too, where those are let through. */
export function formProblem(url: URL): string | null {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return `must start with https:// or http://, not ${shown(url.protocol)}`;
  }
  if (url.username !== "" || url.password !== "") {
    return "must not hold a user name or password; credentials have their own place";
  }
  if (url.hostname === "") return "must name a host";
  return url.href.length > URL_BYTES_MAX ? `must be at most ${URL_BYTES_MAX} bytes long` : null;
}

/** Why a secret may not be sent to this URL, or null. Over http, anyone on the network path can read it. */
export function secretProblem({ protocol }: URL): string | null {
  return protocol === "https:" ? null : "must start with https://, as secrets are sent there";
}

/** The host of a URL as an IP address without brackets, or null when it is a name. */
export function ipOf({ hostname }: URL): string | null {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIp(bare) ? bare : null;
}

/** A URL as it may be told: paths and queries hold keys of webhooks and APIs. */
export function place(url: URL): string {
  return url.host === "" ? url.protocol : `${url.protocol}//${url.host}`;
}

/** The reason against an IP address that a host is or resolves to. */
export function leadsTo(ip: string, problem: string): string {
  return `leads to ${ip}, ${problem}, which is refused`;
}

function hostProblem(url: URL): string | null {
  const ip = ipOf(url);
  if (ip !== null) {
    const problem = ipProblem(ip);
    return problem === null ? null : leadsTo(ip, problem);
  }
  const { hostname } = url;
  if (hostname.endsWith(".")) return "must not end its host with a dot";
  const labels = hostname.split(".");
  if (hostname.length > HOST_CHARACTERS_MAX || !labels.every((label) => LABEL.test(label))) {
    return `must name a host that can exist, not ${shown(hostname)}`;
  }
  const isUnknown = LOCAL_DOMAINS.some((name) => `.${hostname}`.endsWith(`.${name}`));
  if (isUnknown || labels.length === 1) {
    return `names ${shown(hostname)}, a host that the public internet does not have, which is refused`;
  }
  return null;
}
