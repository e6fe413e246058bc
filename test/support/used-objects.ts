import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

type Namespace = DurableObjectNamespace;
type Get = (this: Namespace, ...given: Parameters<Namespace["get"]>) => DurableObjectStub;

interface Used {
  readonly of: Namespace;
  readonly stub: () => DurableObjectStub;
  /** Others can ask for it by this name; the same object may have been reached by its id, too. */
  readonly isNamed: boolean;
}

/** Objects that somebody has asked for, with how to reach each; the runtime lists all that there ever were. */
const used = new Map<string, Used>();

const prototype: object = Reflect.getPrototypeOf(env.ONCE) ?? {};
const get: Get = Reflect.get(prototype, "get");
// All namespaces share it, those that objects hold included.
Reflect.set(prototype, "get", function noted(this: Namespace, ...given) {
  const [id] = given;
  const isNamed = id.name !== undefined || used.get(id.toString())?.isNamed === true;
  used.set(id.toString(), { of: this, stub: () => get.call(this, id), isNamed });
  return get.apply(this, given);
} satisfies Get);

Reflect.set(prototype, "getByName", () => {
  throw new Error("Objects are asked for by `get`, which notes them");
});

/** Acts on each object of these namespaces that was used since; one that sleeps wakes. */
export async function forEachUsedObject(
  namespaces: readonly object[],
  act: (state: DurableObjectState) => Promise<void>,
): Promise<void> {
  await wake(({ of }) => namespaces.includes(of), act);
}

/** Wakes each object with a name that was used since. */
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
