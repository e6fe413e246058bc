import { env } from "cloudflare:workers";

const NAMESPACES = [
  "TASKS",
  "METERS",
  "KEEPERS",
  "QUEUES",
  "FEED",
  "WEBHOOKS",
  "ONCE",
  "LIMITS",
] as const;
/** The bindings that store or carry durable data. */
export const BINDINGS = ["DB", "FILES", "TURNS", ...NAMESPACES] as const;
export type Binding = (typeof BINDINGS)[number];

/** Intercepts a call to a binding. `real` makes the original call and may be called twice. */
export type CallInterceptor = (binding: Binding, real: () => Promise<unknown>) => Promise<unknown>;

type Method = (...given: unknown[]) => Promise<unknown>;

/** Members that the runtime or the tests use on a stub. They are not calls made by the service. */
const NO_CALLS = new Set<string | symbol>(["constructor", "fetch", "id", "name", "then"]);

/**
 * Intercepts calls to the bindings from the Worker and from objects, whose bindings share
 * prototypes. Returns a function that removes the interception.
 */
export function interceptCalls(passage: CallInterceptor): () => void {
  const undo = [...methodsOf()].map(([binding, owner, name]) =>
    replace(owner, name, (whole) => {
      return function passed(this: object, ...given: unknown[]): Promise<unknown> {
        return passage(binding, async () => whole.apply(this, given));
      };
    }),
  );
  const namespace = prototypeOf(env.TASKS);
  const put: (whole: Lookup) => Lookup = (whole) =>
    function passed(this: object, id, ...rest) {
      return stubBehind(whole.apply(this, [id, ...rest]), namespaceOf(id), passage);
    };
  const get: Lookup = Reflect.get(namespace, "get");
  Reflect.set(namespace, "get", put(get));
  return () => {
    Reflect.set(namespace, "get", get);
    for (const back of undo) back();
  };
}

type Lookup = (this: object, id: DurableObjectId, ...rest: unknown[]) => object;

function* methodsOf(): Generator<readonly [Binding, object, string]> {
  yield ["DB", prototypeOf(env.DB), "batch"];
  const statement = prototypeOf(env.DB.prepare("SELECT 1"));
  for (const name of ["run", "all", "raw", "first"]) yield ["DB", statement, name];
  for (const name of ["put", "get", "head", "list", "delete"]) {
    yield ["FILES", prototypeOf(env.FILES), name];
  }
  yield ["TURNS", prototypeOf(env.TURNS), "send"];
}

function prototypeOf(binding: object): object {
  const prototype = Reflect.getPrototypeOf(binding);
  if (prototype === null) throw new Error("The binding has no prototype");
  return prototype;
}

function replace(owner: object, name: string, made: (whole: Method) => Method): () => void {
  const whole: Method = Reflect.get(owner, name);
  Reflect.set(owner, name, made(whole));
  return () => void Reflect.set(owner, name, whole);
}

/** Wraps a stub so that calls to its methods are intercepted. */
function stubBehind(stub: object, binding: Binding, passage: CallInterceptor): object {
  return new Proxy(stub, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (typeof name === "symbol" || name === "constructor") return member;
      if (NO_CALLS.has(name)) return (...given: unknown[]) => Reflect.apply(member, target, given);
      return (...given: unknown[]) =>
        passage(binding, async () => Reflect.apply(member, target, given));
    },
  });
}

const known = new Map<string, Binding>();

/** Returns the namespace of an id. All other namespaces reject the id. */
function namespaceOf(id: DurableObjectId): Binding {
  const text = id.toString();
  const found = known.get(text) ?? NAMESPACES.find((name) => takes(env[name], text));
  if (found === undefined) throw new Error(`No namespace of the service accepts the id ${text}`);
  known.set(text, found);
  return found;
}

function takes(namespace: Pick<DurableObjectNamespace, "idFromString">, text: string): boolean {
  try {
    namespace.idFromString(text);
    return true;
  } catch {
    return false;
  }
}
