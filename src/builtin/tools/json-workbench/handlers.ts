import type { CapabilityHandlers } from "../../../tools/connectors/contract.ts";
import { diffDocuments } from "./diff.ts";
import { queryDocument } from "./query.ts";
import { validateDocument } from "./validate.ts";

export const jsonWorkbenchHandlers: CapabilityHandlers = {
  validate: validateDocument,
  query: queryDocument,
  diff: diffDocuments,
};
