import { env } from "cloudflare:workers";

/** Records the calls to bindings: database queries, Durable Object calls and file operations. */
export interface BindingCalls {
  readonly env: Env;
  /** Returns the calls since the previous `take`, in order. */
  take(): string[];
}

/** Wraps the Worker's bindings so that each call is recorded. */
export function recordBindingCalls(): BindingCalls {
  const lines: string[] = [];
  const { DB, FILES, TASKS, METERS, QUEUES, FEED, ONCE, WEBHOOKS, KEEPERS, LIMITS } = env;
  const objects = { TASKS, METERS, QUEUES, FEED, ONCE, WEBHOOKS, KEEPERS, LIMITS };
  const watched = Object.entries(objects).map(([name, namespace]) => [
    name,
    watchedNamespace(namespace, (call) => lines.push(`${name}.${call}`)),
  ]);
  return {
    env: {
      ...env,
      DB: watchedDatabase(DB, (line) => lines.push(`DB.${line}`)),
      FILES: watchedCalls(FILES, (call) => lines.push(`FILES.${call}`)),
      ...Object.fromEntries(watched),
    },
    take: () => lines.splice(0),
  };
}

/** Records every executed statement, whether it runs alone or in a batch. */
function watchedDatabase(database: D1Database, note: (line: string) => void): D1Database {
  const inners = new WeakMap<object, { readonly statement: object; readonly sql: string }>();
  const watched = (statement: object, sql: string): object => {
    const outer = new Proxy(statement, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]): unknown => {
          if (name !== "bind") note(`${String(name)} ${sql}`);
          const made: unknown = Reflect.apply(member, target, given);
          return name === "bind" ? watched(asObject(made), sql) : made;
        };
      },
    });
    inners.set(outer, { statement, sql });
    return outer;
  };
  return new Proxy(database, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: unknown[]): unknown => {
        if (name === "prepare") {
          return watched(asObject(Reflect.apply(member, target, given)), String(given[0]));
        }
        if (name !== "batch") {
          note(String(name));
          return Reflect.apply(member, target, given);
        }
        const all = Array.isArray(given[0]) ? given[0] : [];
        const known = all.map((one: object) => inners.get(one) ?? { statement: one, sql: "" });
        for (const { sql } of known) note(`batch ${sql}`);
        return Reflect.apply(member, target, [known.map(({ statement }) => statement)]);
      };
    },
  });
}

type Note = (call: string, given: readonly unknown[]) => void;

/** Records the calls to an object's methods and passes them on. */
function watchedCalls<Thing extends object>(thing: Thing, note: Note): Thing {
  return new Proxy(thing, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: unknown[]): unknown => {
        note(String(name), given);
        return Reflect.apply(member, target, given);
      };
    },
  });
}

/** Records the calls to a namespace's stubs, but not the calls that return the stubs. */
function watchedNamespace<Namespace extends object>(namespace: Namespace, note: Note): Namespace {
  return new Proxy(namespace, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...given: unknown[]): unknown => {
        const made: unknown = Reflect.apply(member, target, given);
        return name === "get" ? watchedStub(asObject(made), note) : made;
      };
    },
  });
}

/** Calls each method on the stub itself, because a stub has a method for any name. */
function watchedStub(stub: object, note: Note): object {
  return new Proxy(stub, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...given: unknown[]): unknown => {
        note(String(name), given);
        return Reflect.apply(method, target, given);
      };
    },
  });
}

/** Narrows the return values of a namespace's `get` and a statement's `prepare` and `bind`. */
function asObject(made: unknown): object {
  return made as object;
}
