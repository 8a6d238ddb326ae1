import type { AttemptCount } from '../domain/attempt-count.ts'

/** The counts of attempts to sign in. */
export interface AttemptStore {
  /** The counts of these origins. An origin without attempts is left out. */
  of(origins: readonly string[]): Promise<AttemptCount[]>
  /**
   * Replaces the counts of these origins with the result of `change`. Calls run one after the other, and
   * `change` may run again. Also deletes each count whose last attempt and last sign-in are older than
   * `forget`, in milliseconds since the epoch.
   */
  change(
    origins: readonly string[],
    change: (stored: AttemptCount[]) => AttemptCount[],
    forget: { attemptsBefore: number; signInsBefore: number },
  ): Promise<void>
}
