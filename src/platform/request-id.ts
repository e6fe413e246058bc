import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The id of the request that caused the running code. The HTTP middleware sets it, `withRequestId` and
 * `acceptRequestIds` pass it to Durable Objects, queue messages carry it as a field, and an alarm uses the id of the
 * request that set it.
 */
const requestIds = new AsyncLocalStorage<string | null>();

/** The maximum number of request ids recorded for one batch of work; further ids are omitted. */
const REQUEST_IDS_PER_BATCH_MAX = 10;

/** The last argument of a call to a Durable Object. */
interface RequestTag {
  readonly bosunRequestId: string;
}

/** The id of the request that caused the currently running code; null if there is none. */
export function currentRequestId(): string | null {
  return requestIds.getStore() ?? null;
}

export function runWithRequestId<Value>(requestId: string | null, run: () => Value): Value {
  return requestIds.run(requestId, run);
}

/** Joins the ids of the requests that caused some work, separated by commas. */
export function joinRequestIds(ids: readonly (string | null | undefined)[]): string | null {
  const known = [...new Set(ids.flatMap((joined) => joined?.split(",") ?? []))];
  return known.length === 0 ? null : known.slice(0, REQUEST_IDS_PER_BATCH_MAX).join(",");
}

/**
 * A stub whose calls carry the id of the current request as an additional last argument. The object's class
 * must implement `Rpc` and call `acceptRequestIds`.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the class's contract
export function withRequestId<Rpc extends object>(stub: DurableObjectStub): Rpc {
  const tagged = new Proxy(stub, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== "function") return method;
      return (...args: readonly unknown[]): unknown => {
        const requestId = currentRequestId();
        const tag: readonly RequestTag[] =
          requestId === null ? [] : [{ bosunRequestId: requestId }];
        return Reflect.apply(method, target, [...args, ...tag]);
      };
    },
  });
  return tagged as unknown as Rpc;
}

/**
 * Makes every method of a Durable Object class run with the request id that its call carries. `fallback` returns the id
 * for calls without one, such as alarms and calls that no request caused.
 */
export function acceptRequestIds<Instance extends object>(
  { prototype }: { readonly prototype: Instance },
  fallback: (object: Instance) => string | null = () => null,
): void {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (name === "constructor" || typeof method !== "function") continue;
    const apply = (object: Instance, args: readonly unknown[]): unknown =>
      Reflect.apply(method, object, args);
    function callWithRequestId(this: Instance, ...args: unknown[]): unknown {
      const tag = args.at(-1);
      const isTagged = isRequestTag(tag);
      const requestId = isTagged ? tag.bosunRequestId : (currentRequestId() ?? fallback(this));
      const given = isTagged ? args.slice(0, -1) : args;
      return runWithRequestId(requestId, () => apply(this, given));
    }
    Reflect.set(prototype, name, callWithRequestId);
  }
}

/** No regular method argument has this field. */
function isRequestTag(value: unknown): value is RequestTag {
  return typeof value === "object" && value !== null && "bosunRequestId" in value;
}
