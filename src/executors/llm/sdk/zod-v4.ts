// Replaces "zod/v4": a bundler cannot tree-shake the `z` of the AI SDK, whose locales take a tenth of the Worker.
export * from "zod";
export * as z from "./zod-v4-used.ts";
