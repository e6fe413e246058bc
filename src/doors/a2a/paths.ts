/** Where the parts of the door lie. */
export const CARD_PATH = "/.well-known/agent-card.json";
export const RPC_PATH = "/a2a";
export const REST_ROOT = "/a2a/v1";
