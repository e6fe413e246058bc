import { agentOperations } from "../../src/doors/openapi/operations/agents.ts";
import { credentialOperations } from "../../src/doors/openapi/operations/credentials.ts";
import { keyOperations } from "../../src/doors/openapi/operations/keys.ts";
import { toolOperations } from "../../src/doors/openapi/operations/tools.ts";
import { expectedBy } from "./expected.ts";

/** Asserts that a good answer is what the document says of tools, credentials, agents and keys. */
export const expectDocumented = expectedBy({
  ...toolOperations,
  ...credentialOperations,
  ...agentOperations,
  ...keyOperations,
});
