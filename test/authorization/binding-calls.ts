import { env } from "cloudflare:workers";

/** The binding calls that a request caused: queries, object calls and file operations. */
export interface BindingCalls {
  readonly env: Env;
  /** The calls since the previous `take`, in order. */
  take(): string[];
}

/** Wraps the Worker's bindings so that every call is recorded. */
export function recordBindingCalls(): BindingCalls {
  const lines: string[] = [];
  const { DB, FILES, TASKS, METERS, QUEUES, FEED, ONCE, WEBHOOKS, KEEPERS } = env;
  const objects = { TASKS, METERS, QUEUES, FEED, ONCE, WEBHOOKS, KEEPERS };
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

/** Records each executed statement, alone or in a batch. */
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

/** Records an object's calls and passes them on. */
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

/** Records the calls of a namespace's stubs, but not how the stubs were obtained. */
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

/** Returns a method for any name and calls it on the stub itself. */
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

/** Narrows what `get` of a namespace and `prepare` and `bind` of a statement return. */
function asObject(made: unknown): object {
  return made as object;
}
