// npm run -s key: prints the root key of the service on this machine.
import { developmentKey } from "./local.ts";

console.log(developmentKey());
