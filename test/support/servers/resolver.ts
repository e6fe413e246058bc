/**
 * A DNS-over-HTTPS resolver (JSON format): `GET /dns-query?name=&type=A|AAAA`. The first label of
 * the name selects the response.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const TYPES: Readonly<Record<string, number>> = { A: 1, CNAME: 5, AAAA: 28 };
const PUBLIC_4 = "93.184.216.34";
const PUBLIC_6 = "2606:2800:220:1:248:1893:25c8:1946";
const LARGE_CHARACTERS = 1_000_000;

interface Row {
  readonly type: "A" | "AAAA" | "CNAME";
  readonly data: string;
  readonly ttl?: number;
}

const NAMES: Readonly<Record<string, readonly Row[]>> = {
  /** Public IPv4 and IPv6 addresses. */
  public: [a(PUBLIC_4), aaaaRecord(PUBLIC_6)],
  /** A public and a private IPv4 address. */
  mixed: [a(PUBLIC_4), a("10.0.0.1")],
  /** A public IPv4 address and a private IPv6 address. */
  mixed6: [a(PUBLIC_4), aaaaRecord("::1")],
  /** Two CNAMEs, then a public address. */
  "alias-public": [cname("one.example.net."), cname("two.example.net."), a(PUBLIC_4)],
  /** Two CNAMEs, then a private address. */
  "alias-private": [cname("one.example.net."), cname("db.internal."), a("192.168.1.5")],
  mapped: [aaaaRecord("::ffff:127.0.0.1")],
  /** An invalid address. */
  nonsense: [a("0x7f.1")],
  /** The name exists but has no addresses. */
  empty: [],
};

const asked = new Map<string, number>();

function rowsOf(label: string): readonly Row[] | null {
  // ip-10-0-0-1 resolves to 10.0.0.1, and ip6-0-0-0-0-0-0-0-1 to ::1.
  if (label.startsWith("ip-")) return [a(label.slice("ip-".length).replaceAll("-", "."))];
  if (label.startsWith("ip6-"))
    return [aaaaRecord(label.slice("ip6-".length).replaceAll("-", ":"))];
  // ttl-<seconds> resolves to a public address with that TTL.
  const ttl = /^ttl-(\d+)$/.exec(label)?.[1];
  if (ttl !== undefined) return [{ type: "A", data: PUBLIC_4, ttl: Number(ttl) }];
  return NAMES[label] ?? null;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://resolver");
  const name = searchParams.get("name") ?? "";
  const type = searchParams.get("type") ?? "A";
  // The number of queries for a name.
  if (pathname === "/asked") {
    response.end(String(asked.get(name) ?? 0));
    return;
  }
  asked.set(name, (asked.get(name) ?? 0) + 1);
  const [label = ""] = name.split(".");
  // With these labels, the resolver itself fails. Other unknown names do not exist.
  switch (label) {
    case "servfail":
      return dns(response, 2, name, type, []);
    case "broken":
      return void response.end('{"Status": 0, "Answer": [');
    case "html":
      return void response.end("<!doctype html><title>Sign in</title>");
    case "shape":
      return void response.end('{"Status": 0, "Answer": "93.184.216.34"}');
    case "status":
      return void response.writeHead(500).end("no");
    case "redirect":
      return void response
        .writeHead(302, { Location: `/dns-query?name=public.example.com&type=${type}` })
        .end();
    case "large":
      return void response.end(
        JSON.stringify({ Status: 0, Comment: "x".repeat(LARGE_CHARACTERS) }),
      );
    case "reset":
      return void request.socket.resetAndDestroy();
    case "hang":
      return;
    // Responds to A queries and hangs on AAAA queries.
    case "half":
      if (type === "A") dns(response, 0, name, type, [a(PUBLIC_4)]);
      return;
    default: {
      const rows = rowsOf(label);
      return dns(response, rows === null ? 3 : 0, name, type, rows ?? []);
    }
  }
}

/**
 * Responds as real resolvers do: with the aliases, and with the addresses of the requested type.
 */
function dns(
  response: ServerResponse,
  status: number,
  name: string,
  type: string,
  rows: readonly Row[],
): void {
  const records = rows
    .filter((row) => row.type === type || row.type === "CNAME")
    .map((row) => ({ name, type: TYPES[row.type], TTL: row.ttl ?? 60, data: row.data }));
  const question = [{ name, type: TYPES[type] }];
  const common = { Status: status, TC: false, RD: true, RA: true, AD: false, CD: false };
  response.setHeader("Content-Type", "application/dns-json");
  response.end(
    JSON.stringify({
      ...common,
      Question: question,
      ...(records.length > 0 ? { Answer: records } : {}),
    }),
  );
}

function a(data: string): Row {
  return { type: "A", data };
}

function aaaaRecord(data: string): Row {
  return { type: "AAAA", data };
}

function cname(data: string): Row {
  return { type: "CNAME", data };
}

const server = createServer(answer);
process.once("SIGTERM", () => process.exit(0));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  console.log(`ready http://127.0.0.1:${address.port}`);
});
