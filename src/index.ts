import { app } from "./app.ts";

export { TaskObject } from "./tasks/object.ts";
export { ToolMeter } from "./tools/meter.ts";
export { CredentialKeeper } from "./tools/credentials/keeper.ts";

export default { fetch: app.fetch };
