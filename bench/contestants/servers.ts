import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { until } from "../until.ts";
import { endProcess } from "./ended.ts";

/** A database server from a Debian package. It runs as a child process and listens on a socket in its own folder. */
export interface Server {
  /** The path of the socket or of its folder, depending on what the client library expects. */
  readonly path: string;
  readonly stop: () => Promise<void>;
}

const START = { everyMs: 50, withinMs: 20_000 };
const POSTGRES_FOLDER = "/usr/lib/postgresql";

/** The server's name and the command that installs it; null if the server is installed. */
export function missingServer(name: "postgres" | "redis"): string | null {
  if (name === "postgres") {
    return postgresBin() === null ? "PostgreSQL (apt-get install postgresql)" : null;
  }
  const found = spawnSync("redis-server", ["--version"]);
  return found.status === 0 ? null : "Redis (apt-get install redis-server)";
}

/** Starts PostgreSQL with its default settings, so each commit waits for the write-ahead log. */
export async function startPostgres(folder: string): Promise<Server> {
  const bin = postgresBin();
  if (bin === null) throw new Error("PostgreSQL is not installed (apt-get install postgresql)");
  const user = serverUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const made = spawnSync(join(bin, "initdb"), ["-D", data, "-U", "bench", "--auth=trust"], {
    ...user,
    cwd: folder,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const settings = [`-c`, `listen_addresses=`, `-c`, `unix_socket_directories=${folder}`];
  const child = spawn(join(bin, "postgres"), ["-D", data, ...settings], {
    ...user,
    cwd: folder,
    stdio: "ignore",
  });
  // SIGQUIT is the fastest way to stop the server without leaving shared memory behind.
  killOnExit(child, "SIGQUIT");
  // PostgreSQL accepts connections before it can answer queries.
  const isReady = async (): Promise<boolean> =>
    spawnSync(join(bin, "pg_isready"), ["-h", folder]).status === 0;
  await until("PostgreSQL did not start", isReady, START);
  return { path: folder, stop: () => endProcess(child, () => child.kill("SIGINT")) };
}

/** Starts a Redis that syncs each write to disk before it responds. */
export async function startRedis(folder: string): Promise<Server> {
  const path = join(folder, "redis.sock");
  const durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
  const child = spawn(
    "redis-server",
    ["--port", "0", "--unixsocket", path, "--dir", folder, ...durable],
    { stdio: "ignore" },
  );
  killOnExit(child, "SIGKILL");
  await until("Redis did not start", () => accepts(path), START);
  return { path, stop: () => endProcess(child, () => child.kill("SIGTERM")) };
}

/** The installed version of a server; null if the server is not installed. */
export function versionOf(name: "postgres" | "redis"): string | null {
  const bin = postgresBin();
  const program = name === "redis" ? "redis-server" : bin === null ? null : join(bin, "postgres");
  if (program === null) return null;
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return /\d+(?:\.\d+)+/.exec(stdout ?? "")?.[0] ?? null;
}

/** Stops the server when this process exits, before the server's folder is deleted. */
function killOnExit(child: ChildProcess, signal: NodeJS.Signals): void {
  process.prependOnceListener("exit", () => child.kill(signal));
}

function postgresBin(): string | null {
  try {
    const [newest] = readdirSync(POSTGRES_FOLDER).toSorted((a, b) => Number(b) - Number(a));
    return newest === undefined ? null : join(POSTGRES_FOLDER, newest, "bin");
  } catch {
    return null;
  }
}

/** PostgreSQL refuses to run as root. If this process runs as root, it starts the server as the package's user. */
function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string): number =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout.trim());
  return { uid: id("-u"), gid: id("-g") };
}

async function accepts(path: string): Promise<boolean> {
  const socket = connect(path);
  const isUp = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  socket.destroy();
  return isUp;
}
