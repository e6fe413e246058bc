import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** One D1 query. A batch consists of several. The counts are null if D1 reports none. */
export interface Query {
  readonly sql: string;
  readonly rowsRead: number | null;
  readonly rowsWritten: number | null;
  readonly statement: object;
}

/** Rows written, counted as the platform bills them. */
interface RowsWritten {
  /** In task and queue objects: rows written with SQL, plus one for each alarm that is set. */
  readonly objects: number;
  /** In tool meters and the tasks' side state: one row for each key-value change. */
  readonly meters: number;
  readonly d1: number;
  /** In the feed, where tasks that publish at the same time share rows. */
  readonly feed: number;
}

export interface Counters {
  rowsWritten(): RowsWritten;
  queries(): readonly Query[];
  /**
   * Counts the rows that all SELECTs read. `raw` and `first` return no counts, so their queries run
   * again.
   */
  rowsRead(): Promise<number>;
  /** Calls to tasks and queues, and their alarms. The platform bills each one as a request. */
  requests(): readonly string[];
  reset(): void;
  /** Restores the patched classes, because other test files share the isolate. */
  stop(): void;
}

interface Answered {
  readonly meta: { readonly rows_read: number; readonly rows_written: number };
}

/**
 * Counts the storage operations of the Worker and all its objects with the runtime's own counters.
 * All bindings in an isolate share their classes, so patching the classes counts every call.
 */
export async function startCounting(): Promise<Counters> {
  const cursors: { readonly rowsWritten: number }[] = [];
  const feedCursors: { readonly rowsWritten: number }[] = [];
  const counts = { alarms: 0, meters: 0 };
  const queries: Query[] = [];
  const requests: string[] = [];
  const watched: (() => void)[] = [];
  const watch = <Result, Args extends unknown[]>(
    thing: object,
    method: string,
    seen: Seen<Result, Args>,
  ): void => void watched.push(watchCalls(thing, method, seen));

  await runInDurableObject(env.TASKS.get(env.TASKS.newUniqueId()), (_, { storage }) => {
    watch(storage.sql, "exec", (cursor: SqlStorageCursor<never>, [sql]: [string]) =>
      (/\b(batches|segments)\b/.test(sql) ? feedCursors : cursors).push(cursor),
    );
    watch(storage, "setAlarm", () => (counts.alarms += 1));
    for (const method of ["put", "delete"]) {
      watch(storage.kv, method, () => (counts.meters += 1));
    }
  });
  for (const objects of [env.TASKS, env.QUEUES]) {
    await runInDurableObject(objects.get(objects.newUniqueId()), (instance) => {
      const methods = Object.getOwnPropertyNames(Reflect.getPrototypeOf(instance));
      for (const method of methods.filter((name) => name !== "constructor")) {
        watch(instance, method, () => requests.push(method));
      }
    });
  }
  const record = (statement: object, answered: Answered | null): void => {
    const { rows_read: rowsRead = null, rows_written: rowsWritten = null } = answered?.meta ?? {};
    const sql = String(Reflect.get(statement, "statement"));
    queries.push({ sql, rowsRead, rowsWritten, statement });
  };
  const statement = env.DB.prepare("SELECT 1");
  for (const method of ["run", "all"]) {
    watch(statement, method, (answer: Promise<Answered>, _, self) =>
      answer.then(
        (answered) => record(self, answered),
        () => record(self, null),
      ),
    );
  }
  for (const method of ["raw", "first"]) {
    watch(statement, method, (_answer, _, self) => record(self, null));
  }
  watch(env.DB, "batch", (answer: Promise<Answered[]>, [statements]: [object[]]) =>
    answer.then(
      (all) => statements.forEach((one, place) => record(one, all[place] ?? null)),
      () => statements.forEach((one) => record(one, null)),
    ),
  );
  return {
    rowsWritten: () => ({
      objects: sum(cursors.map(({ rowsWritten }) => rowsWritten)) + counts.alarms,
      meters: counts.meters,
      feed: sum(feedCursors.map(({ rowsWritten }) => rowsWritten)),
      d1: sum(queries.map(({ rowsWritten }) => rowsWritten ?? 0)),
    }),
    queries: () => queries,
    rowsRead: async () => {
      const selects = queries.filter(({ sql }) => /^\s*select/i.test(sql));
      const rows = await Promise.all(
        selects.map(async ({ rowsRead, statement: select }) => {
          if (rowsRead !== null) return rowsRead;
          const all: () => Promise<Answered> = Reflect.get(select, "all");
          return (await all.call(select)).meta.rows_read;
        }),
      );
      return sum(rows);
    },
    requests: () => requests,
    reset: () => {
      requests.length = 0;
      cursors.length = 0;
      feedCursors.length = 0;
      queries.length = 0;
      Object.assign(counts, { alarms: 0, meters: 0 });
    },
    stop: () => {
      for (const unwatch of watched.splice(0).toReversed()) unwatch();
    },
  };
}

type Seen<Result, Args> = (result: Result, args: Args, self: object) => unknown;

/**
 * Calls `seen` with each result of a method, before the caller receives the result. Returns a
 * function that restores the method.
 */
function watchCalls<Result, Args extends unknown[]>(
  thing: object,
  method: string,
  seen: Seen<Result, Args>,
): () => void {
  const owner: object = Reflect.getPrototypeOf(thing) ?? thing;
  const original: (...args: Args) => Result = Reflect.get(owner, method);
  Reflect.set(owner, method, function watched(this: object, ...args: Args): Result {
    const result = original.apply(this, args);
    seen(result, args, this);
    return result;
  });
  return () => void Reflect.set(owner, method, original);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
