import { runInDurableObject } from "cloudflare:test";

/** An object's writes since the previous call. */
export interface WrittenRows {
  /** Rows written through SQL. */
  readonly rows: number;
  /** The number of values written to key-value storage. */
  readonly kept: number;
  readonly alarms: number;
}

/**
 * Counts the writes of one object. The runtime counts the SQL rows, and patched methods count the
 * key-value writes and the alarms. The object's table must already exist.
 */
export async function countWritten(stub: DurableObjectStub): Promise<() => WrittenRows> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const calls = { kept: 0, alarms: 0 };
  // The patch affects only this instance's storage and disappears with the instance.
  await runInDurableObject(stub, (_, { storage }) => {
    const { sql, kv } = storage;
    const exec = sql.exec.bind(sql);
    Reflect.set(sql, "exec", (...args: Parameters<typeof exec>) => {
      const cursor = exec(...args);
      cursors.push(cursor);
      return cursor;
    });
    const put = kv.put.bind(kv);
    Reflect.set(kv, "put", (key: string, value: unknown) => {
      calls.kept += 1;
      put(key, value);
    });
    const setAlarm = storage.setAlarm.bind(storage);
    Reflect.set(storage, "setAlarm", (at: number) => {
      calls.alarms += 1;
      return setAlarm(at);
    });
  });
  return () => {
    const rows = cursors.splice(0).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    const written = { rows, ...calls };
    Object.assign(calls, { kept: 0, alarms: 0 });
    return written;
  };
}
