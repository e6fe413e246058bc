import { app } from "./app.ts";

export { TaskObject } from "./tasks/object.ts";
export { ToolMeter } from "./tools/meter.ts";

export default { fetch: app.fetch };
