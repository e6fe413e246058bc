// A small HTTP API that you can connect to Bosun. `node examples/harbour.ts [port]` serves it on this machine.
// The harbours are fictional. The tides are computed from the four main tidal constituents.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import description from "./harbour.openapi.json" with { type: "json" };
import { givenPort } from "./port.ts";

const KEY = "harbour-key";
const BODY_CHARACTERS_MAX = 10_000;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const EPOCH = Date.UTC(2000, 0, 1);

/** Speeds of the tidal constituents M2, S2, K1 and O1, in degrees per hour. */
const SPEEDS = [28.9841042, 30, 15.0410686, 13.9430356];
/** For each constituent, `ranges` lists half the range in metres, and `phases` the phase in degrees at the epoch. */
const HARBOURS = [
  { id: "sandvik", mean: 1.1, ranges: [0.44, 0.16, 0.07, 0.03], phases: [250, 292, 165, 12] },
  { id: "port-ellery", mean: 3.9, ranges: [2.6, 0.9, 0.1, 0.08], phases: [118, 161, 101, 340] },
  { id: "kelp-bay", mean: 1.6, ranges: [0.58, 0.14, 0.39, 0.24], phases: [201, 198, 108, 91] },
];
const BERTHS = HARBOURS.flatMap(({ id }) =>
  [12, 25, 90].map((length, index) => ({
    id: `${id}-${index + 1}`,
    harbour: id,
    max_length_m: length,
  })),
);
const bookings = new Map<number, { berth: string; ship: object; start: number; end: number }>();
let lastBooking = 0;

/** An error response. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function heightAt({ mean, ranges, phases }: (typeof HARBOURS)[number], at: number): number {
  const hours = (at - EPOCH) / (60 * MINUTE_MS);
  return SPEEDS.reduce((height, speed, index) => {
    const degrees = speed * hours - (phases[index] ?? 0);
    return height + (ranges[index] ?? 0) * Math.cos((degrees * Math.PI) / 180);
  }, mean);
}

function tides(id: string, query: URLSearchParams): object {
  const harbour = HARBOURS.find((one) => one.id === id);
  if (harbour === undefined) throw new Refusal(404, `There is no harbour ${id}; see /harbours.`);
  const start = dayOf(query.get("date"), "date");
  const days = Number(query.get("days") ?? 1);
  if (!Number.isInteger(days) || days < 1 || days > 7) {
    throw new Refusal(400, "days must be a whole number from 1 to 7.");
  }
  const turns = [];
  for (let at = start; at < start + days * DAY_MS; at += MINUTE_MS) {
    const height = heightAt(harbour, at);
    const rose = height > heightAt(harbour, at - MINUTE_MS);
    const rises = heightAt(harbour, at + MINUTE_MS) > height;
    if (rose === rises) continue;
    const turn = rose ? "high" : "low";
    turns.push({ turn, at: new Date(at).toISOString(), height_m: Number(height.toFixed(2)) });
  }
  return { harbour: id, tides: turns };
}

function berths(query: URLSearchParams): object {
  const free = query.get("free");
  if (free !== null && free !== "true" && free !== "false") {
    throw new Refusal(400, "free must be true or false.");
  }
  const harbours = query.getAll("harbour");
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const chosen = BERTHS.filter(({ harbour }) => harbours.length === 0 || harbours.includes(harbour))
    .map((berth) => ({ ...berth, free: !isTaken(berth.id, today, today + DAY_MS) }))
    .filter((berth) => free === null || String(berth.free) === free);
  return { berths: chosen };
}

function book(id: string, body: string): object {
  const berth = BERTHS.find((one) => one.id === id);
  if (berth === undefined) throw new Refusal(404, `There is no berth ${id}; see /berths.`);
  const { ship, from, nights } = parsed(body);
  const { name, length_m: length } = ship ?? {};
  if (typeof name !== "string" || name === "")
    throw new Refusal(400, "ship.name must be a non-empty string.");
  if (typeof length !== "number" || length <= 0 || length > berth.max_length_m) {
    throw new Refusal(400, `ship.length_m must be above 0 and at most ${berth.max_length_m}.`);
  }
  if (!Number.isInteger(nights) || nights < 1 || nights > 30) {
    throw new Refusal(400, "nights must be a whole number from 1 to 30.");
  }
  const start = dayOf(from, "from");
  const end = start + nights * DAY_MS;
  if (isTaken(id, start, end)) throw new Refusal(409, `${id} is taken on some of these nights.`);
  lastBooking += 1;
  bookings.set(lastBooking, { berth: id, ship: { name, length_m: length }, start, end });
  return { booking: lastBooking, berth: id, ship: { name, length_m: length }, from, nights };
}

function cancel(id: string): null {
  if (bookings.delete(Number(id))) return null;
  throw new Refusal(404, `There is no booking ${id}.`);
}

function isTaken(berth: string, start: number, end: number): boolean {
  return [...bookings.values()].some(
    (one) => one.berth === berth && one.start < end && one.end > start,
  );
}

function dayOf(date: unknown, name: string): number {
  const at = typeof date === "string" ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date)
    throw new Refusal(400, `${name} must be a day, such as 2026-05-01.`);
  return at;
}

function parsed(body: string) {
  if (body.length > BODY_CHARACTERS_MAX) throw new Refusal(413, "The body is too long.");
  try {
    return Object(JSON.parse(body));
  } catch {
    throw new Refusal(400, "The body must be JSON.");
  }
}

async function answer(request: IncomingMessage, origin: string): Promise<[number, object | null]> {
  const { pathname, searchParams } = new URL(request.url ?? "/", origin);
  const [, first, id = "", second] = pathname.split("/").map(decodeURIComponent);
  const route = `${request.method} ${[first, id && "*", second].filter(Boolean).join("/")}`;
  if (route === "GET openapi.json") return [200, { ...description, servers: [{ url: origin }] }];
  if (route === "GET harbours") return [200, { harbours: HARBOURS.map((one) => one.id) }];
  if (route === "GET harbours/*/tides") return [200, tides(id, searchParams)];
  if (route === "GET berths") return [200, berths(searchParams)];
  const act = { "POST berths/*/bookings": book, "DELETE bookings/*": cancel }[route];
  if (act === undefined) throw new Refusal(404, `There is no route ${route}; see /openapi.json.`);
  if (request.headers["x-api-key"] !== KEY)
    throw new Refusal(401, "X-Api-Key is missing or wrong.");
  const made = act(id, await text(request));
  return [made === null ? 204 : 201, made];
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const [status, body] = await answer(request, `http://${request.headers.host}`);
    send(response, status, body);
  } catch (error) {
    if (error instanceof Refusal) send(response, error.status, { error: error.message });
    else if (error instanceof URIError) send(response, 400, { error: "The path is malformed." });
    else throw error;
  }
}

function send(response: ServerResponse, status: number, body: object | null): void {
  response.writeHead(status, body === null ? {} : { "Content-Type": "application/json" });
  response.end(body === null ? "" : JSON.stringify(body));
}

const server = createServer((request, response) => void serve(request, response));
server.listen(await givenPort("harbour"), "127.0.0.1", () => {
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => server.close(() => process.exit(0)).closeAllConnections());
