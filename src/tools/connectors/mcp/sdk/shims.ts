import type { JsonSchemaValidator } from "@modelcontextprotocol/client";

// What both halves of the MCP SDK ask of their platform. Their own answers for Workers bring a validator
// of JSON Schema twice over, for what is not done here. wrangler.toml puts this in their place.

/**
 * Lets everything pass. A client judges results by the schemas of a list that it has asked for before, and
 * a server the answers of people it has asked: calls here are made without a list, and nobody is asked.
 */
export class DefaultJsonSchemaValidator {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    // Nobody has told what the value must be, so that it can be taken for anything.
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  }
}

/** Browsers alone know CORS. */
export const CORS_IS_POSSIBLE = false;
