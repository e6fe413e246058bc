// The AI SDK knows schemas of zod 3 by these names; ours are of zod 4. In the place of "zod/v3".
export const ZodFirstPartyTypeKind = {};
