import type { Operations } from "../operation.ts";
import { collectionOperations } from "./tasks/collection.ts";
import { deliverableOperations } from "./tasks/deliverables.ts";
import { taskOperations } from "./tasks/one.ts";
import { peopleOperations } from "./tasks/people.ts";

/** The tasks of the specification, with answers, reviews, feedback and files. */
export const tasksOperations: Operations = {
  ...collectionOperations,
  ...taskOperations,
  ...peopleOperations,
  ...deliverableOperations,
};
