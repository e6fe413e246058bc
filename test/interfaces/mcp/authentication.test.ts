import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import {
  Client,
  StreamableHTTPClientTransport,
  type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { expect, it, vi } from "vitest";
import worker from "../../../src/index.ts";
import { ORIGIN } from "../../support/client.ts";

const REDIRECT_URL = "http://127.0.0.1:9/callback";

/** An OAuth provider for a client that would sign in if the server offered it. */
function signingIn() {
  const saved = vi.fn<(what: string) => void>();
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT_URL,
    clientMetadata: { client_name: "test", redirect_uris: [REDIRECT_URL] },
    clientInformation: () => undefined,
    saveClientInformation: () => saved("registration"),
    tokens: () => undefined,
    saveTokens: () => saved("tokens"),
    redirectToAuthorization: () => saved("redirect"),
    saveCodeVerifier: () => saved("verifier"),
    codeVerifier: () => "none",
  };
  return { provider, saved };
}

it("a client without a key gets 401 and is offered no OAuth sign-in", async () => {
  const { provider, saved } = signingIn();
  const answers: { path: string; status: number; challenge: string | null }[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    authProvider: provider,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const answer = await worker.fetch(request, env, createExecutionContext());
      const { pathname: path } = new URL(request.url);
      const challenge = answer.headers.get("WWW-Authenticate");
      answers.push({ path, status: answer.status, challenge });
      return answer;
    },
  });
  const client = new Client({ name: "test", version: "1" });
  const connecting = client.connect(transport);
  await expect(connecting).rejects.toThrow(/Authorization: Bearer/);
  // The client would sign in if the challenge named metadata, or if the client found metadata.
  // After any 401, the SDK also tries /register, the default in the 2025-03-26 revision; the
  // service rejects that request.
  expect(answers[0]).toEqual({ path: "/mcp", status: 401, challenge: "Bearer" });
  expect(answers.filter(({ status }) => status < 400)).toEqual([]);
  expect(saved).not.toHaveBeenCalled();
});
