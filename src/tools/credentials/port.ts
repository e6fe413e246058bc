import type { Failure } from "../../domain/failure.ts";
import type { Result } from "../../domain/result.ts";

/** An access token, and the revision of the row that holds it. */
export interface Renewed {
  readonly token: string;
  readonly revision: number;
}

/** What the keeper of a tool's credentials does, as its callers see it. */
export interface KeeperPort {
  /** A token of another revision than `staleRevision`: the present one where there is one, else a new one. */
  renew(toolId: string, staleRevision: number): Promise<Result<Renewed, Failure>>;
}

/** The keeper of a tool's credentials. */
export function keeperOf(keepers: Env["KEEPERS"], toolId: string): KeeperPort {
  return portOf(keepers.get(keepers.idFromName(toolId)));
}

/** CredentialKeeper implements KeeperPort, which holds only what RPC carries unchanged. */
function portOf(stub: DurableObjectStub): KeeperPort {
  return stub as unknown as KeeperPort;
}
