import { useRef } from "react";

interface IdempotencyKeys {
  /** The key for a request with this body: the same as before if the last one had the same body and got no response. */
  readonly keyFor: (body: object) => string;
  /** Forgets the key, because the request got a response. */
  readonly forget: () => void;
}

/** Keys that make a request safe to send again after its response was lost, so that nothing is done twice. */
export function useIdempotencyKeys(): IdempotencyKeys {
  const last = useRef<{ readonly body: string; readonly key: string } | null>(null);
  return {
    keyFor: (body) => {
      const text = JSON.stringify(body);
      if (last.current?.body !== text) last.current = { body: text, key: crypto.randomUUID() };
      return last.current.key;
    },
    forget: () => {
      last.current = null;
    },
  };
}
