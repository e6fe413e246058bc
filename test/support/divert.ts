import { onTestFinished } from "vitest";

/**
 * Replaces a method for all objects of its class until the test ends or the returned function is
 * called. `real` calls the original method.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller states the parameter types
export function divert<Given extends unknown[]>(
  owner: object,
  method: string,
  way: (real: () => Promise<unknown>, ...given: Given) => Promise<unknown>,
): () => void {
  const own = Reflect.getOwnPropertyDescriptor(owner, method);
  const whole: (...given: Given) => Promise<unknown> = Reflect.get(owner, method);
  Reflect.set(owner, method, function diverted(this: object, ...given: Given): Promise<unknown> {
    return way(() => whole.apply(this, given), ...given);
  });
  // If an inherited method were restored as an own property, it would hide later replacements.
  const restore = (): void => {
    if (own === undefined) Reflect.deleteProperty(owner, method);
    else Reflect.defineProperty(owner, method, own);
  };
  onTestFinished(restore);
  return restore;
}
