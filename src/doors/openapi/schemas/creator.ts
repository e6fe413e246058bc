import * as z from "zod";

/** The key that created a resource; absent in resources from earlier releases. */
export function creator(did: string) {
  return z
    .string()
    .meta({
      description: `Id of the key that ${did}, \`root\` for the root key; absent for resources that are older than this field or came with the service.`,
    })
    .optional();
}
