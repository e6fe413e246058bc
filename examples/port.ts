import { once } from "node:events";
import { createServer } from "node:net";

const PORT_MAX = 65_535;
const PORT = /^\d{1,5}$/;

/**
 * The port given on the command line of `npm run <command>`; 0, the default, means any free port. If the port cannot
 * be used, prints the reason and exits with code 1.
 */
export async function givenPort(command: string): Promise<number> {
  const [, , given = "0"] = process.argv;
  const port = Number(given);
  if (!PORT.test(given) || port > PORT_MAX) {
    const wanted = `The port must be a whole number from 0 to ${PORT_MAX}, not ${JSON.stringify(given)}`;
    return end(`${wanted}. For example: npm run ${command} -- 8790`);
  }
  const errorCode = port === 0 ? null : await errorCodeOf(port);
  if (errorCode === null) return port;
  const other = port < PORT_MAX ? port + 1 : port - 1;
  const what = errorCode === "EADDRINUSE" ? "is already in use" : `cannot be used (${errorCode})`;
  return end(`Port ${port} ${what}. Choose another: npm run ${command} -- ${other}`);
}

/** The system's error code if the process cannot listen on the port, otherwise null. */
async function errorCodeOf(port: number): Promise<string | null> {
  const probe = createServer().listen(port, "127.0.0.1");
  try {
    await once(probe, "listening");
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
  probe.close();
  await once(probe, "close");
  return null;
}

function end(message: string): never {
  console.error(message);
  process.exit(1);
}
