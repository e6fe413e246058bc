import type { IncomingMessage, ServerResponse } from "node:http";
import { json, MEBIBYTE } from "./protocol.ts";

type Serve = (response: ServerResponse, rpc: string, request: IncomingMessage) => void;

const SKILL = { id: "s", name: "Sail", description: "", tags: ["sea", "wind"] };

/** Builds a valid card for an agent at `url`. */
export function goodCard(url: string, more: object = {}): object {
  return {
    name: "Hostile",
    description: "Does one thing wrong.",
    version: "1.0.0",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true },
    defaultInputModes: ["application/json"],
    defaultOutputModes: ["text/plain"],
    skills: [SKILL],
    ...more,
  };
}

const at = (url: string, protocolVersion = "1.0", protocolBinding = "JSONRPC") => ({
  supportedInterfaces: [{ url, protocolBinding, protocolVersion }],
});
const card =
  (more: (rpc: string, request: IncomingMessage) => object): Serve =>
  (response, rpc, request) =>
    json(response, goodCard(rpc, more(rpc, request)));
const refuses =
  (status: number, headers: Record<string, string> = {}): Serve =>
  (response) => {
    response.writeHead(status, headers);
    response.end("no");
  };

/** Invalid or unusual cards, by server name. */
export const CARDS: Readonly<Record<string, Serve>> = {
  "card-hangs": () => {},
  "card-text": (response) => response.end("<!doctype html><h1>Welcome</h1>"),
  "card-broken": (response) => json(response, '{"name": "Hostile", "skills": ['),
  "card-list": (response) => json(response, []),
  "card-nameless": card(() => ({ name: " " })),
  "card-types": card(() => ({ skills: { name: "Sail" } })),
  "card-numbers": card(() => ({ supportedInterfaces: [{ url: 7 }] })),
  "card-old": (response, rpc) =>
    json(response, { name: "Old", protocolVersion: "0.3.0", url: rpc, skills: [] }),
  "card-newer": card((rpc) => at(rpc, "2.0")),
  "card-grpc": card((rpc) => at(rpc, "1.0", "GRPC")),
  "card-none": card(() => ({ supportedInterfaces: [] })),
  "card-private": card(() => at("http://10.1.2.3/rpc")),
  "card-elsewhere": card(() => at("https://agents.example.com/rpc")),
  "card-file": card(() => at("file:///etc/passwd")),
  "card-relative": card(() => at("/rpc")),
  "card-huge": (response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(`{"name": "${"x".repeat(50 * MEBIBYTE)}"}`);
  },
  "card-deep": (response) => json(response, `${"[".repeat(50_000)}${"]".repeat(50_000)}`),
  "card-404": refuses(404),
  "card-500": refuses(500),
  "card-401": refuses(401),
  "card-loop": (response, _, request) => {
    response.writeHead(302, { Location: request.url ?? "/" });
    response.end();
  },
  "card-absurd": card(() => ({
    name: "N".repeat(10_000),
    description: `D\u0000${"d".repeat(50_000)}`,
    skills: Array.from({ length: 500 }, (_, place) => ({
      name: `skill ${place} ${"s".repeat(200)}`,
      tags: ["same", "same", " "],
    })),
  })),
  /** A card whose protocol version is the request's `Authorization` header. */
  "card-echo": card((_, { headers }) => ({
    protocolVersion: headers.authorization,
    ...at("https://agents.example.com/rpc", `${headers.authorization}`),
  })),
  "card-rest": card((rpc) => at(rpc, "1.0", "http+json")),
};
