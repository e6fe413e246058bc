// Starts the example API on a free port.
import "../../../examples/harbour.ts";
