import { OPERATIONS } from "./operations.ts";
import { fuzz } from "./suite.ts";

fuzz(OPERATIONS.filter(({ path }) => /^\/agents\/(?:tasks|events)/.test(path)));
