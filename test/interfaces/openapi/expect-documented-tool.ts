import { agentOperations } from "../../../src/interfaces/openapi/operations/agents.ts";
import { credentialOperations } from "../../../src/interfaces/openapi/operations/credentials.ts";
import { keyOperations } from "../../../src/interfaces/openapi/operations/keys.ts";
import { allToolOperations } from "../../../src/interfaces/openapi/operations.ts";
import { expectedBy } from "./expect-documented.ts";

/** Asserts that a good answer is what the document says of tools, credentials, agents and keys. */
export const expectDocumented = expectedBy({
  ...allToolOperations,
  ...credentialOperations,
  ...agentOperations,
  ...keyOperations,
});
