import type { SimulatedObject } from "./simulated-object.ts";
import type { CallKind } from "./fault-plan.ts";
import type { Network } from "./network.ts";

/**
 * Simulates a Durable Object namespace. `idFromString` rejects ids for which `find` returns no
 * object.
 */
export function namespaceOf(
  network: Network,
  kind: CallKind,
  verbs: readonly string[],
  find: (name: string) => SimulatedObject | undefined,
): object {
  const stubs = new Map<string, object>();
  return {
    idFromName: (name: string) => ({ toString: () => name }),
    idFromString(name: string) {
      if (find(name) === undefined) throw new TypeError("Invalid Durable Object ID");
      return { toString: () => name };
    },
    get(id: { toString(): string }) {
      const name = id.toString();
      const known = stubs.get(name);
      if (known !== undefined) return known;
      const object = find(name);
      if (object === undefined) throw new Error(`Unknown object: ${name}`);
      const stub = stubOf(network, kind, verbs, object);
      stubs.set(name, stub);
      return stub;
    },
  };
}

function stubOf(
  network: Network,
  kind: CallKind,
  verbs: readonly string[],
  object: SimulatedObject,
): object {
  return Object.fromEntries(
    verbs.map((verb) => [
      verb,
      (...args: readonly unknown[]) => {
        const { endedInstances: ends } = object;
        return network.call({ kind, verb, to: object.name }, (answer, isLate) => {
          // A late call reaches only the instance to which it was sent, not the next instance.
          if (!isLate || object.endedInstances === ends) object.arrive(verb, args, answer);
          else answer({ ok: false, error: new Error(`${object.name} was reset`) });
        });
      },
    ]),
  );
}

/** An R2 bucket that stores only keys, without contents. */
export class Files {
  readonly keys = new Set<string>();
  readonly #wire: Network;

  constructor(network: Network) {
    this.#wire = network;
  }

  put(key: string): Promise<void> {
    return this.#call("save", () => void this.keys.add(key));
  }

  list({ prefix }: { readonly prefix: string }): Promise<{ objects: { key: string }[] }> {
    return this.#call("list", () => {
      const found = [...this.keys].filter((key) => key.startsWith(prefix));
      return { objects: found.map((key) => ({ key })) };
    });
  }

  delete(keys: readonly string[]): Promise<void> {
    return this.#call("erase", () => keys.forEach((key) => this.keys.delete(key)));
  }

  #call<Value>(verb: string, effect: () => Value): Promise<Value> {
    return this.#wire.call({ kind: "r2", verb, to: "r2" }, (answer) => {
      answer({ ok: true, value: effect() });
    });
  }
}
