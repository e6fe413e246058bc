// The MCP project's reference server. `node examples/everything.ts [port]` serves it at /mcp on this machine. By
// itself, the server would listen on every interface. `ON_LOOPBACK`, which is loaded first, binds it to loopback and
// prints its port.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { givenPort } from "./port.ts";

const ON_LOOPBACK = `
  import { Server } from "node:net";
  const { listen } = Server.prototype;
  Server.prototype.listen = function (port, ...rest) {
    this.once("listening", () => console.log("ready http://127.0.0.1:" + this.address().port));
    return listen.call(this, { port: Number(port), host: "127.0.0.1" }, ...rest);
  };
`;

const main = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
const preload = `data:text/javascript,${encodeURIComponent(ON_LOOPBACK)}`;
const child = spawn(process.execPath, ["--import", preload, main, "streamableHttp"], {
  stdio: ["ignore", "pipe", "ignore"],
  env: { PORT: String(await givenPort("everything")) },
});

let printed = "";
child.stdout.on("data", (chunk: Buffer) => {
  if (printed === "described") return;
  printed += chunk.toString();
  const ready = /^ready \S+$/m.exec(printed)?.[0];
  if (ready === undefined) return;
  console.log(ready);
  printed = "described";
});
child.once("exit", (code) => process.exit(code ?? 0));
process.once("SIGTERM", () => child.kill("SIGTERM"));
