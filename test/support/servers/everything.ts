// Starts the reference MCP server on a free port.
import "../../../examples/everything.ts";
