/**
 * A worker's time-limited hold on a task. `seq` is the event that granted it: a later lease has a
 * higher one. Instants in milliseconds since 1970.
 */
export interface Lease {
  /** Who shows it holds the lease; not to be guessed, and shown to its worker alone. */
  readonly token: string;
  readonly seq: number;
  /** What the worker calls itself. */
  readonly worker: string | null;
  readonly seconds: number;
  readonly expiresAt: number;
  /** The worker has returned the task. */
  readonly isReturned?: true;
  /** The key that the lease was claimed with; absent for the root key, which never ends. */
  readonly keyId?: string;
}

/** A lease as it is asked for, and written into the log. */
export interface LeaseGrant {
  readonly token: string;
  readonly worker: string | null;
  readonly seconds: number;
  /** As in the lease; also absent in logs from earlier releases. */
  readonly keyId?: string;
}

/** A lease from an event on. */
export function grantLease(grant: LeaseGrant, seq: number, at: number): Lease {
  return { ...grant, seq, expiresAt: at + grant.seconds * 1_000 };
}

/** The lease after a sign of life at `at`; it never ends sooner for it. */
export function renewLease(lease: Lease, at: number): Lease {
  return { ...lease, expiresAt: Math.max(lease.expiresAt, at + lease.seconds * 1_000) };
}

/**
 * Whether a heartbeat is worth a written row: once half of the lease is gone. Until then the worker
 * keeps what it has, which is what it is answered.
 */
export function shouldStoreRenewal(lease: Lease, now: number): boolean {
  return lease.expiresAt - now < (lease.seconds * 1_000) / 2;
}
