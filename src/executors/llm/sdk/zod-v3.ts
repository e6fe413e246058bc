// Replaces "zod/v3": the AI SDK looks for schemas of zod 3, and ours are of zod 4.
export const ZodFirstPartyTypeKind = {};
