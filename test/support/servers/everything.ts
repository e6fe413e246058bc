// The reference MCP server as the tests meet it: on a free port, by the same code that a stranger runs.
import "../../../examples/everything.ts";
