import { env } from "cloudflare:workers";

/** What a request has made the Worker do: each query, each call of an object, each look at a file. */
export interface BindingCalls {
  readonly env: Env;
  /** The work since the last look, in its order. */
  take(): string[];
}

/** The bindings as the Worker has them, but for a note of all that is asked of them. */
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

/** What counts are the statements that run: by themselves, or as many as a batch has. */
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

/** A thing whose calls are noted and go on as they are. */
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

/** A namespace of objects; what counts are the calls of its stubs, and not how they were come by. */
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

/** A stub answers any name with a method, which must be called on the stub itself. */
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

/** What `get` of a namespace gives is a stub, and what `prepare` and `bind` give a statement. */
function asObject(made: unknown): object {
  return made as object;
}
