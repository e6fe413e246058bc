import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

type Namespace = DurableObjectNamespace;
type Get = (this: Namespace, ...given: Parameters<Namespace["get"]>) => DurableObjectStub;

interface Used {
  readonly of: Namespace;
  readonly stub: () => DurableObjectStub;
  /** Whether the object was ever obtained by name. */
  readonly isNamed: boolean;
}

/**
 * Objects used since the last reset. The runtime's own list contains every object that ever
 * existed.
 */
const used = new Map<string, Used>();

const prototype: object = Reflect.getPrototypeOf(env.ONCE) ?? {};
const get: Get = Reflect.get(prototype, "get");
// All namespaces share this prototype, including those used inside objects.
Reflect.set(prototype, "get", function noted(this: Namespace, ...given) {
  const [id] = given;
  const isNamed = id.name !== undefined || used.get(id.toString())?.isNamed === true;
  used.set(id.toString(), { of: this, stub: () => get.call(this, id), isNamed });
  return get.apply(this, given);
} satisfies Get);

Reflect.set(prototype, "getByName", () => {
  throw new Error("Use `get`, which records the object, instead of `getByName`");
});

/** Calls a function for each used object in these namespaces, waking evicted objects. */
export async function forEachUsedObject(
  namespaces: readonly object[],
  act: (state: DurableObjectState) => Promise<void>,
): Promise<void> {
  await wake(({ of }) => namespaces.includes(of), act);
}

/** Wakes each used object that has a name. */
export async function wakeNamedObjects(): Promise<void> {
  await wake(
    ({ isNamed }) => isNamed,
    async () => {},
  );
}

async function wake(
  isMeant: (one: Used) => boolean,
  act: (state: DurableObjectState) => Promise<void>,
): Promise<void> {
  const meant = [...used.values()].filter(isMeant);
  await Promise.all(meant.map(({ stub }) => runInDurableObject(stub(), (_, state) => act(state))));
}

export function forgetUsedObjects(): void {
  used.clear();
}
