export const AGENT_CARD_PATH = "/.well-known/agent-card.json";
export const A2A_RPC_PATH = "/a2a";
/** Some clients append a slash to the configured address. */
export const A2A_RPC_PATHS: readonly string[] = [A2A_RPC_PATH, `${A2A_RPC_PATH}/`];
export const A2A_REST_ROOT = "/a2a/v1";
/** The paths of both bindings. */
export const A2A_PATHS = /^\/a2a(?:\/?$|\/v1\/)/;
