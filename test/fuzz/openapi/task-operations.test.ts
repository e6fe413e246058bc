import { OPERATIONS } from "./operations.ts";
import { fuzzOperations } from "./fuzz-operations.ts";

fuzzOperations(OPERATIONS.filter(({ path }) => /^\/agents\/(?:tasks|events)/.test(path)));
