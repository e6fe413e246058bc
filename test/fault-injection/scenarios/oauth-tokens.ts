import { expect } from "vitest";
import { post, send } from "../../support/client.ts";
import { passTime } from "../../support/tasks.ts";
import { EXTERNAL_ORIGIN } from "../external-systems.ts";
import { dataOf, uniqueName, type Scenario } from "./scenario.ts";
import { MeteredCalls, PRICING } from "./metered-calls.ts";

const HOUR_MS = 3_600_000;

/** A tool uses OAuth. Its first call fetches a token, and a later call fetches a new one. */
export const oauthTokensScenario: Scenario = {
  async prepare() {
    const id = uniqueName("berths");
    const tool = {
      id,
      name: "Berths",
      pricing: PRICING,
      connector: { type: "http", baseUrl: `${EXTERNAL_ORIGIN}/api` },
      authentication: { type: "oauth", scopes: [] },
      capabilities: [{ id: "free", request: { method: "GET", path: "/berths" } }],
    };
    dataOf(await post("/agents/tools", tool), 201);
    const credentials = {
      type: "oauth-client-credentials",
      tokenUrl: `${EXTERNAL_ORIGIN}/token`,
      clientId: "bosun",
      clientSecret: "s",
    };
    dataOf(await send("PUT", `/agents/tools/${id}/credentials`, credentials), 200, 201);
    return async (client) => {
      const metered = new MeteredCalls(client);
      const call = async (): Promise<void> => {
        const body = { capability: "free", parameters: {} };
        const answer = await metered.one(() =>
          client.once(`/agents/tools/${id}/invoke`, body, async () => false),
        );
        expect(JSON.stringify(dataOf(answer, 200).result)).toContain('"free":3');
      };
      await call();
      passTime(HOUR_MS);
      await call();
      return async () => {
        // Another token request succeeds, which shows that the tool's credentials are still there.
        passTime(HOUR_MS);
        await call();
        await metered.expectCounted(id);
      };
    };
  },
};
