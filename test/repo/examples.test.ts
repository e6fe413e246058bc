import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

/** Runs an example that exits on its own, and returns its output and exit code. */
async function ending(example: string, port: string) {
  const child = spawn(process.execPath, [`examples/${example}.ts`, port], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit: Promise<unknown[]> = once(child, "exit");
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { out, err, code };
}

describe.each(["harbour", "everything", "a2a-agent", "webhook-receiver"])(
  "npm run %s",
  (example) => {
    it("a port in use is reported in one line", async () => {
      const other = createServer().listen(0, "127.0.0.1");
      await once(other, "listening");
      // A server that listens on a TCP port has an address object.
      const { port } = other.address() as AddressInfo;
      const next = port < 65_535 ? port + 1 : port - 1;
      const err = `Port ${port} is already in use. Choose another: npm run ${example} -- ${next}\n`;
      expect(await ending(example, String(port))).toEqual({ out: "", err, code: 1 });
      other.close();
    });

    it.each(["abc", "", "-1", "80.5", "65536", "1e3", "0x50"])(
      "npm run rejects the argument %j",
      async (port) => {
        const err = `The port must be a whole number from 0 to 65535, not "${port}". For example: npm run ${example} -- 8790\n`;
        expect(await ending(example, port)).toEqual({ out: "", err, code: 1 });
      },
    );
  },
);
