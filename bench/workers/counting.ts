/**
 * Counts the platform calls of a Worker and its objects as the platform bills them. The Worker's code stays unchanged:
 * the counters patch the classes of its bindings, which the whole isolate shares.
 */

type Method = (this: object, ...args: unknown[]) => unknown;
type Class = new (ctx: DurableObjectState, env: Bindings) => object;
type Bindings = Readonly<Record<string, unknown>>;

const counts = {
  /** The number of requests to the Worker itself. */
  requests: 0,
  /** The number of object calls and alarms. */
  objectRequests: 0,
  alarms: 0,
  /** The total duration of object calls and alarms, including waits. */
  objectMs: 0,
  d1Queries: 0,
  d1RowsRead: 0,
  d1RowsWritten: 0,
  /** The number of times an alarm or a stored value was set or deleted. Each of these operations writes a row. */
  objectValuesWritten: 0,
  r2Writes: 0,
  r2Reads: 0,
  queueMessages: 0,
};
/** A cursor's counts are final only when all of its rows have been read. */
const cursors: { readonly rowsRead: number; readonly rowsWritten: number }[] = [];
const watched = new WeakSet<object>();

/** Patches methods of a class to pass the result of each call to `seen`. Each method is patched only once. */
function watch(thing: object, methods: readonly string[], seen: (given: unknown) => void): void {
  for (const name of methods) {
    let owner: object | null = thing;
    while (owner !== null && !Object.hasOwn(owner, name)) owner = Reflect.getPrototypeOf(owner);
    const original: Method | undefined = owner === null ? undefined : Reflect.get(owner, name);
    if (owner === null || original === undefined || watched.has(original)) continue;
    setMethod(owner, name, function watching(...args) {
      const given = original.apply(this, args);
      seen(given);
      return given;
    });
  }
}

function setMethod(owner: object, name: string, method: Method): void {
  watched.add(method);
  Reflect.set(owner, name, method);
}

/** Extends a Durable Object class so that its instances count their calls and writes. */
export function counted(Original: Class): Class {
  watch(Original.prototype, ["alarm"], (ended) => {
    counts.alarms += 1;
    countCall(ended);
  });
  return class extends Original {
    constructor(ctx: DurableObjectState, env: Bindings) {
      const { storage } = ctx;
      watch(storage.sql, ["exec"], (cursor) => cursors.push(cursor as SqlStorageCursor<never>));
      const written = (): void => void (counts.objectValuesWritten += 1);
      watch(storage, ["setAlarm", "deleteAlarm", "put", "delete"], written);
      watch(storage.kv, ["put", "delete"], written);
      watchBindings(env);
      super(ctx, env);
    }
  };
}

function countCall(answer: unknown): void {
  counts.objectRequests += 1;
  const startedAt = performance.now();
  const end = (): void => void (counts.objectMs += performance.now() - startedAt);
  void Promise.resolve(answer).then(end, end);
}

/** Wraps the Worker's handlers to count requests and to serve the counters at `/counted`. */
export function handlers<Env>(worker: ExportedHandler<Env>): ExportedHandler<Env> {
  return {
    ...worker,
    async fetch(request, env, ctx) {
      watchBindings(env as Bindings);
      if (new URL(request.url).pathname === "/counted") return Response.json(countedSoFar());
      counts.requests += 1;
      return worker.fetch?.(request, env, ctx) ?? new Response(null, { status: 404 });
    },
  };
}

function countedSoFar(): Readonly<Record<string, number>> {
  const sum = (of: "rowsRead" | "rowsWritten"): number =>
    cursors.reduce((total, cursor) => total + cursor[of], 0);
  const { objectValuesWritten, ...others } = counts;
  const objectRowsWritten = sum("rowsWritten") + objectValuesWritten;
  return { ...others, objectRowsRead: sum("rowsRead"), objectRowsWritten };
}

function watchBindings(env: Bindings): void {
  for (const binding of Object.values(env)) {
    if (typeof binding !== "object" || binding === null || watched.has(binding)) continue;
    watched.add(binding);
    if ("idFromName" in binding) watchCalls(binding);
    else if ("batch" in binding && "prepare" in binding) watchD1(binding as D1Database);
    else if ("createMultipartUpload" in binding) watchR2(binding);
    else if ("sendBatch" in binding) {
      watch(binding, ["send"], () => (counts.queueMessages += 1));
    }
  }
}

/** A stub has a method for any name, so its methods cannot be patched. Instead, each new stub is wrapped in a proxy. */
function watchCalls(namespace: object): void {
  const owner = Reflect.getPrototypeOf(namespace) ?? namespace;
  for (const name of ["get", "getByName"]) {
    const original: Method | undefined = Reflect.get(owner, name);
    if (original === undefined || watched.has(original)) continue;
    setMethod(owner, name, function got(...args) {
      return countedStub(original.apply(this, args) as object);
    });
  }
}

function countedStub(stub: object): object {
  return new Proxy(stub, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || typeof name === "symbol") return value;
      return (...args: unknown[]): unknown => {
        // The method is read from the stub again, so that it is called on the stub.
        const answer = (target as Readonly<Record<string, Method>>)[name]?.(...args);
        countCall(answer);
        return answer;
      };
    },
  });
}

function watchD1(db: D1Database): void {
  const record = ({ meta }: D1Result): void => {
    counts.d1Queries += 1;
    counts.d1RowsRead += meta.rows_read;
    counts.d1RowsWritten += meta.rows_written;
  };
  // `first` and `raw` do not report row counts, so the rows that they read are not counted. Here, they never write.
  watch(db.prepare("SELECT 1"), ["run", "all"], (answer) => {
    void (answer as Promise<D1Result>).then(record, () => (counts.d1Queries += 1));
  });
  watch(db.prepare("SELECT 1"), ["raw", "first"], () => (counts.d1Queries += 1));
  watch(db, ["batch"], (answers) => {
    void (answers as Promise<D1Result[]>).then(
      (all) => all.forEach(record),
      () => {},
    );
  });
}

function watchR2(bucket: object): void {
  watch(bucket, ["put", "list"], () => (counts.r2Writes += 1));
  watch(bucket, ["get", "head"], () => (counts.r2Reads += 1));
}
