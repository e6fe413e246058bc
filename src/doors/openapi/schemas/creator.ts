import * as z from "zod";

/** The key behind a resource, which everything before this release lacks. */
export function creator(did: string) {
  return z
    .string()
    .meta({
      description: `Id of the key that ${did}, \`root\` for the root key; absent for what is older than this field or came with the service.`,
    })
    .optional();
}
