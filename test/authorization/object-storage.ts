import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env, type DurableObject } from "cloudflare:workers";
import { formatLogEntry } from "../support/secret-scanner.ts";

/** The storage of one object: all rows of all tables, and all key-value entries. */
export interface ObjectStorage {
  readonly object: string;
  readonly tables: Readonly<Record<string, string>>;
  readonly values: string;
}

/** Reads the storage of every object. */
export async function readObjectStorage(): Promise<ObjectStorage[]> {
  const { TASKS, METERS, QUEUES, FEED, ONCE, WEBHOOKS, KEEPERS, LIMITS } = env;
  return [
    ...(await storedIn("TASKS", TASKS)),
    ...(await storedIn("METERS", METERS)),
    ...(await storedIn("QUEUES", QUEUES)),
    ...(await storedIn("FEED", FEED)),
    ...(await storedIn("ONCE", ONCE)),
    ...(await storedIn("WEBHOOKS", WEBHOOKS)),
    ...(await storedIn("KEEPERS", KEEPERS)),
    ...(await storedIn("LIMITS", LIMITS)),
  ];
}

async function storedIn<Kind extends DurableObject>(
  object: string,
  namespace: DurableObjectNamespace<Kind>,
): Promise<ObjectStorage[]> {
  const ids = await listDurableObjectIds(namespace);
  return Promise.all(
    ids.map((id) =>
      runInDurableObject(namespace.get(id), (_, { storage }) => {
        const named =
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'";
        const names = storage.sql.exec<{ name: string }>(named).toArray();
        const tables = Object.fromEntries(
          names.map(({ name }) => [
            name,
            formatLogEntry(storage.sql.exec(`SELECT * FROM "${name}"`).toArray()),
          ]),
        );
        return { object, tables, values: formatLogEntry([...storage.kv.list()]) };
      }),
    ),
  );
}
