// Starts the example A2A agent on a free port.
import "../../../examples/a2a-agent.ts";
