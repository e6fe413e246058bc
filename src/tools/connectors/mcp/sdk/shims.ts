import type { JsonSchemaValidator } from "@modelcontextprotocol/client";

// Replaces the platform shims of the MCP SDK (see wrangler.toml), which contain two JSON Schema validators that are
// not needed.

/** Accepts everything: the validators of the SDK client and server are for features that are not used. */
export class DefaultJsonSchemaValidator {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    // Without validation the type of the value is the caller's.
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  }
}

/** CORS exists only in browsers. */
export const CORS_IS_POSSIBLE = false;
