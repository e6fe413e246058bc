/** A worker's time-limited lease of a task. `seq` is the event that granted it. Instants in milliseconds since 1970. */
export interface Lease {
  /** A secret that proves that the worker holds the lease. */
  readonly token: string;
  readonly seq: number;
  /** The name that the worker gave. */
  readonly worker: string | null;
  readonly seconds: number;
  readonly expiresAt: number;
  /** The worker has returned the task. */
  readonly isReturned?: true;
  /** The key that the lease was claimed with; absent for the root key, which never ends. */
  readonly keyId?: string;
}

/** The lease as the log stores it. */
export interface LeaseGrant {
  readonly token: string;
  readonly worker: string | null;
  readonly seconds: number;
  /** As in the lease; also absent in logs from earlier releases. */
  readonly keyId?: string;
}

export function grantLease(grant: LeaseGrant, seq: number, at: number): Lease {
  return { ...grant, seq, expiresAt: at + grant.seconds * 1_000 };
}

/** The lease after a report at `at`; it never ends sooner. */
export function renewLease(lease: Lease, at: number): Lease {
  return { ...lease, expiresAt: Math.max(lease.expiresAt, at + lease.seconds * 1_000) };
}

/** Whether a heartbeat stores a renewal: only after half of the lease, because each renewal writes a row. */
export function shouldStoreRenewal(lease: Lease, now: number): boolean {
  return lease.expiresAt - now < (lease.seconds * 1_000) / 2;
}
