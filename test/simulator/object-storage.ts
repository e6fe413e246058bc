import type { Disk, Row } from "./disk.ts";
import type { Sqlite } from "./sqlite.ts";
import { parseStatement } from "./sql-statements.ts";

/** Callbacks from an object's storage to the platform. */
export interface StorageHost {
  readonly disk: Disk;
  /** Called before each write. Throws if the write fails or the object crashes. */
  beforeWrite(what: string): void;
  /** Whether the object survives the next effect. */
  survives(what: string): boolean;
  /** Called after each write, before it is committed. */
  afterWrite(): void;
  alarmSet(): void;
  /** The time of the alarm, or null if no alarm is set or the alarm is running. */
  alarmAt(): number | null;
  /** Resolves in a later turn, as the platform's calls do. */
  later(): Promise<void>;
}

/** The result of calls made by an object that has ended. It never settles. */
const NEVER = new Promise<never>(() => {});

/** Creates the part of an object's storage that simulated objects use. */
export function createStorage(host: StorageHost): DurableObjectStorage {
  const { disk } = host;
  function write(what: string, run: () => void): void {
    host.beforeWrite(what);
    run();
    host.afterWrite();
  }
  function execute(sqlite: Sqlite, sql: string, parameters: readonly SqlStorageValue[]): object {
    if (/^\s*SELECT\b/.test(sql)) return cursorOf(sqlite.read(sql, parameters), 0);
    let changes = 0;
    write(sql, () => {
      changes = disk.execute(sql, parameters);
    });
    return cursorOf([], changes);
  }
  const storage = {
    sql: {
      /** Constant, because no run fills the storage. */
      databaseSize: 4_096,
      exec(sql: string, ...parameters: SqlStorageValue[]) {
        if (disk.sqlite !== null) return execute(disk.sqlite, sql, parameters);
        const statement = parseStatement(sql);
        if (!statement.writes) return statement.run(disk, parameters).values();
        write(sql, () => statement.run(disk, parameters));
        return [].values();
      },
    },
    kv: {
      get: (key: string) => disk.kv.get(key),
      put: (key: string, value: unknown) => write(key, () => disk.put(key, value)),
      delete: (key: string) => write(key, () => disk.remove(key)),
      list: ({ prefix }: { prefix: string }) =>
        [...disk.kv].filter(([key]) => key.startsWith(prefix)).values(),
    },
    transactionSync: <Value>(run: () => Value): Value => disk.transaction(run),
    /** Callers do not await this promise, so a failure ends the object. */
    setAlarm(at: number): Promise<void> {
      if (!host.survives("set alarm")) return NEVER;
      disk.setAlarm({ at });
      host.afterWrite();
      host.alarmSet();
      return Promise.resolve();
    },
    getAlarm: () => Promise.resolve(host.alarmAt()),
    async deleteAlarm(): Promise<void> {
      write("delete alarm", () => disk.setAlarm(null));
      await host.later();
    },
    async deleteAll(): Promise<void> {
      write("delete all", () => disk.deleteAll());
      await host.later();
    },
  };
  return asStorage(storage);
}

/** The part of a cursor that objects use. */
function cursorOf(rows: readonly Row[], rowsWritten: number): object {
  const left = rows.values();
  return {
    next: () => left.next(),
    [Symbol.iterator]: () => left,
    toArray: () => [...left],
    raw: () => left.map((row) => Object.values(row)),
    one() {
      const [row, another] = left;
      if (row === undefined || another !== undefined) throw new Error("Expected exactly one row");
      return row;
    },
    rowsWritten,
  };
}

/** The simulated objects use only these members. A call to any other method throws. */
function asStorage(storage: object): DurableObjectStorage {
  return storage as DurableObjectStorage;
}
