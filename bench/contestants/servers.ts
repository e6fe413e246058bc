import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { until } from "../until.ts";
import { ended } from "./ended.ts";

/** A server from Debian's packages, below this process, reached by a socket in a folder of its own. */
export interface Server {
  /** The socket's path, or its folder's, as the client's library asks for it. */
  readonly path: string;
  readonly stop: () => Promise<void>;
}

const START = { everyMs: 50, withinMs: 20_000 };
const POSTGRES_FOLDER = "/usr/lib/postgresql";

/** What is lacking for PostgreSQL or Redis, in words that tell how to get it; null when nothing is. */
export function lacking(name: "postgres" | "redis"): string | null {
  if (name === "postgres") {
    return postgresBin() === null ? "PostgreSQL (apt-get install postgresql)" : null;
  }
  const found = spawnSync("redis-server", ["--version"]);
  return found.status === 0 ? null : "Redis (apt-get install redis-server)";
}

/** PostgreSQL as it is delivered: each commit waits for its write-ahead log. */
export async function startPostgres(folder: string): Promise<Server> {
  const bin = postgresBin();
  if (bin === null) throw new Error("There is no PostgreSQL");
  const user = serverUser();
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const made = spawnSync(join(bin, "initdb"), ["-D", data, "-U", "bench", "--auth=trust"], {
    ...user,
    cwd: folder,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`PostgreSQL made no database: ${made.stderr}`);
  const settings = [`-c`, `listen_addresses=`, `-c`, `unix_socket_directories=${folder}`];
  const child = spawn(join(bin, "postgres"), ["-D", data, ...settings], {
    ...user,
    cwd: folder,
    stdio: "ignore",
  });
  // Of what a killed one leaves in shared memory nobody would take care: this is its fastest end.
  endWithUs(child, "SIGQUIT");
  // It listens before it is ready.
  const isReady = async (): Promise<boolean> =>
    spawnSync(join(bin, "pg_isready"), ["-h", folder]).status === 0;
  await until("PostgreSQL is not up", isReady, START);
  return { path: folder, stop: () => ended(child, () => child.kill("SIGINT")) };
}

/** Redis that has each write on its disk before it answers. */
export async function startRedis(folder: string): Promise<Server> {
  const path = join(folder, "redis.sock");
  const durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
  const child = spawn(
    "redis-server",
    ["--port", "0", "--unixsocket", path, "--dir", folder, ...durable],
    { stdio: "ignore" },
  );
  endWithUs(child, "SIGKILL");
  await until("Redis is not up", () => accepts(path), START);
  return { path, stop: () => ended(child, () => child.kill("SIGTERM")) };
}

/** The version that would be started; null when there is none. */
export function versionOf(name: "postgres" | "redis"): string | null {
  const bin = postgresBin();
  const program = name === "redis" ? "redis-server" : bin === null ? null : join(bin, "postgres");
  if (program === null) return null;
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return /\d+(?:\.\d+)+/.exec(stdout ?? "")?.[0] ?? null;
}

/** However this process ends, and before the folder goes that the server writes to. */
function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
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

/** PostgreSQL does not run as root: then it runs as the user that its package has made. */
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
