// The example A2A agent as the tests meet it: on a free port, by the same code that a stranger runs.
import "../../../examples/a2a-agent.ts";
