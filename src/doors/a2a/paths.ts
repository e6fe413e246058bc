/** Where the parts of the door lie. */
export const CARD_PATH = "/.well-known/agent-card.json";
export const RPC_PATH = "/a2a";
/** Some clients append a slash to the configured address. */
export const RPC_PATHS: readonly string[] = [RPC_PATH, `${RPC_PATH}/`];
export const REST_ROOT = "/a2a/v1";
