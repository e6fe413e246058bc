/** A public IP address, so no name has to be resolved. No request is actually sent there. */
export const EXTERNAL_ORIGIN = "https://93.184.216.34";

/**
 * The events that each webhook receiver has received, by path and in order of arrival. Each entry
 * consists of the task's id, the event's sequence number and the event's type.
 */
export const receivedEvents = new Map<string, string[]>();
/** The access tokens issued by the token endpoint. */
const tokens = new Set<string>();

/**
 * Replaces `fetch` with fakes for a webhook receiver, a token endpoint, and an API that accepts the
 * endpoint's tokens. Other requests fail. Returns a function that restores `fetch`.
 */
export function fakeExternalSystems(): () => void {
  const { fetch: whole } = globalThis;
  Reflect.set(globalThis, "fetch", async (input: URL | string | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    return answerTo(new URL(request.url), request);
  });
  return () => void Reflect.set(globalThis, "fetch", whole);
}

async function answerTo({ origin, pathname }: URL, request: Request): Promise<Response> {
  if (origin !== EXTERNAL_ORIGIN) throw new Error(`Unexpected request to ${origin}`);
  if (pathname === "/token") {
    const token = `token-${tokens.size + 1}`;
    tokens.add(token);
    return Response.json({ access_token: token, token_type: "Bearer", expires_in: 3_600 });
  }
  if (pathname === "/api/berths") {
    const [, token = ""] = request.headers.get("Authorization")?.split(" ") ?? [];
    return tokens.has(token) ? Response.json({ free: 3 }) : new Response(null, { status: 401 });
  }
  const { type, data } = await request.json<{
    type: string;
    data: { taskId: string; seq: number };
  }>();
  const events = receivedEvents.get(pathname) ?? [];
  receivedEvents.set(pathname, [...events, `${data.taskId} ${data.seq} ${type}`]);
  return new Response(null, { status: 204 });
}
