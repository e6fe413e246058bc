import type { Answer, Operation } from "./operation.ts";

/** The header with which a client asks for what may have changed since it read it. */
export const IF_NONE_MATCH = {
  "If-None-Match": {
    description: "The ETag of what you have: an answer comes only if it is another by now.",
    example: '"5d41402abc4b2a76b9719d911017c592"',
  },
} satisfies Operation["headers"];

/** The answer when it is not. */
export const UNCHANGED: Answer = {
  status: 304,
  description: "It is what you have already.",
  headers: { ETag: "What you have sent." },
};
