import type { Operations } from "../operation.ts";
import { accessOperations } from "./tools/access.ts";
import { catalogueOperations } from "./tools/catalogue.ts";
import { importOperations } from "./tools/import.ts";
import { invokeOperations } from "./tools/invoke.ts";
import { manageOperations } from "./tools/manage.ts";

/** Tools, from the catalogue to their use. */
export const toolOperations: Operations = {
  ...catalogueOperations,
  ...manageOperations,
  ...importOperations,
  ...invokeOperations,
  ...accessOperations,
};
