import type { JsonSchemaValidator } from "@modelcontextprotocol/client";

// Replaces the platform shims of the MCP SDK (see wrangler.toml), which contain two JSON Schema validators that are
// not needed.

/**
 * Accepts everything. The SDK client validates results only after it has listed tools, and the SDK server
 * validates answers to elicitation; neither is used.
 */
export class DefaultJsonSchemaValidator {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    // Without validation the type of the value is the caller's.
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  }
}

/** CORS exists only in browsers. */
export const CORS_IS_POSSIBLE = false;
