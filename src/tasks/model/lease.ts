/** A worker's lease on a task. `seq` is that of the event that granted it. Times are in milliseconds since 1970. */
export interface Lease {
  /** The secret that proves that the worker holds the lease. */
  readonly token: string;
  readonly seq: number;
  /** The worker's name; null if it did not specify one. */
  readonly worker: string | null;
  readonly seconds: number;
  readonly expiresAt: number;
  /** Set if the worker returned the task. */
  readonly isReturned?: true;
  /** The id of the key that the task was claimed with; absent for the root key, which never expires. */
  readonly keyId?: string;
}

/** The lease as the log stores it. */
export interface LeaseGrant {
  readonly token: string;
  readonly worker: string | null;
  readonly seconds: number;
  /** As in `Lease`; also absent in logs written by earlier releases. */
  readonly keyId?: string;
}

export function grantLease(grant: LeaseGrant, seq: number, at: number): Lease {
  return { ...grant, seq, expiresAt: at + grant.seconds * 1_000 };
}

/** Renews the lease after a report at `at`. A renewal never makes the lease expire earlier. */
export function renewLease(lease: Lease, at: number): Lease {
  return { ...lease, expiresAt: Math.max(lease.expiresAt, at + lease.seconds * 1_000) };
}

/** When the lease was last granted or renewed. */
export function renewedAtOf({ expiresAt, seconds }: Lease): number {
  return expiresAt - seconds * 1_000;
}

/**
 * Whether to store a heartbeat's renewal of the lease. It is stored only in the second half of the lease, because
 * storing it writes a row.
 */
export function shouldStoreRenewal(lease: Lease, now: number): boolean {
  return lease.expiresAt - now < (lease.seconds * 1_000) / 2;
}
