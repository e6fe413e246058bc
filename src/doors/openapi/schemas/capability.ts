import * as z from "zod";
import { PARAMETER_TYPES } from "../../../domain/capability.ts";
import { freeForm } from "./free-form.ts";
import { request } from "./request.ts";

const parameter = z
  .strictObject({
    name: z.string().meta({ description: "The key in `parameters` of an invocation." }),
    type: z.enum(PARAMETER_TYPES).meta({ description: "The JSON type of its value." }),
    required: z.boolean().meta({ description: "Whether a call must give it." }),
    description: z.string().meta({ description: "What it means." }).optional(),
    schema: freeForm(
      "The JSON Schema (draft 2020-12) of the value, where more is known than its type. It refers to nothing outside itself, and calls are checked against it.",
    ).optional(),
  })
  .meta({ id: "Parameter", description: "One parameter of a capability." });

const shown = {
  id: z.string().meta({
    description: "The capability's id, unique within its tool.",
    examples: ["correlate"],
  }),
  name: z.string().meta({ description: "Its name, for people to read." }),
  description: z.string().meta({ description: "What it does and gives; may be empty." }),
  parameters: z.array(parameter).meta({ description: "What it takes, in order." }),
};

/** With what carries it out, which only those who manage tools see. */
export const capability = z
  .strictObject({
    ...shown,
    request: request
      .meta({
        description:
          "The HTTP request that is made, of an `http` tool. Only for keys with the scope `tools:manage`.",
      })
      .optional(),
    tool: z
      .string()
      .meta({
        description:
          "The remote tool that is called, of an `mcp` tool. Only for keys with the scope `tools:manage`.",
      })
      .optional(),
  })
  .meta({ id: "Capability", description: "One thing that a tool can do." });

/** GET …/capabilities. */
export const capabilityList = z
  .strictObject({
    toolId: z.string().meta({ description: "The tool's id." }),
    capabilities: z.array(capability).meta({
      description:
        "The page, in the tool's own order. Very large ones end it before `limit` is reached: go on at `nextOffset`.",
    }),
    total: z.int().min(0).meta({ description: "How many match in all." }),
    nextOffset: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: "`offset` of the next page; null on the last one." }),
  })
  .meta({ id: "CapabilityList", description: "One page of a tool's capabilities." });
