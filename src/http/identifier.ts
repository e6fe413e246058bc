import * as z from "zod";
import { IDENTIFIER, IDENTIFIER_RULE, RESERVED_AGENT_IDS } from "../domain/identifier.ts";

/** An id that people choose. */
export const identifier = z.string().regex(IDENTIFIER, { error: IDENTIFIER_RULE, abort: true });

/** The id of an agent that may be new: none that a path below /agents would mean otherwise. */
export const agentIdentifier = identifier.refine((id) => !RESERVED_AGENT_IDS.includes(id), {
  error: `must not be one of the reserved words ${RESERVED_AGENT_IDS.join(", ")}`,
});
