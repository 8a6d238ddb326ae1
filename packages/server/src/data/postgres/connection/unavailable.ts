import pg from 'pg'
import { StoreUnavailable } from '../../../engine/store/store.ts'

/** Error codes and classes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const OUTAGES: readonly [codes: RegExp, what: string][] = [
  [/^28/, 'PostgreSQL rejected the login of this user'],
  [/^3D000/, 'PostgreSQL has no such database'],
  [/^53100/, 'the disk of PostgreSQL is full'],
  [/^53300/, 'PostgreSQL has no free connections'],
  [/^53/, 'PostgreSQL is short of resources'],
  [/^57014/, 'PostgreSQL did not finish in time'],
  [/^55P03/, 'PostgreSQL did not finish in time'],
  [/^57P/, 'PostgreSQL is restarting or shutting down'],
  [/^58/, 'PostgreSQL failed to read or write'],
  [/^25006/, 'this PostgreSQL is a read-only replica'],
  [/^25P0[34]/, 'a transaction took too long'],
]

/** Whether a statement gave up because others held a lock for longer than its `lock_timeout`. */
export function isLocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03'
}

/** Whether a transaction was chosen to end a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01'
}

export const TOO_MANY_CONNECTIONS = '53300'

/** Maps an error for the store's callers: an outage becomes `StoreUnavailable`, any other error stays. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  const outage = outageOf(error)
  if (outage === undefined) return error
  return new StoreUnavailable(`The store cannot answer: ${outage}.`, { cause: error })
}

/** Whether an outage is that of a worker of Citus: the coordinator answers that it cannot reach one, or lost one. */
export function isWorkerDown(error: unknown): boolean {
  const cause = error instanceof StoreUnavailable ? error.cause : error
  if (!(cause instanceof pg.DatabaseError)) return false
  return cause.code?.startsWith('08') === true || LOST_WORKER.includes(cause.routine ?? '')
}

/**
 * The coordinator raises these without an error code for a worker that went away in a transaction (remote_transaction.c
 * and placement_connection.c of Citus). The transaction may be committed.
 */
const LOST_WORKER: readonly string[] = [
  'MarkRemoteTransactionFailed',
  'ErrorIfPostCommitFailedShardPlacements',
]

/** Whether the transaction lost against another one, also for an id, and may succeed when run again. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  const { code, constraint, routine } = error
  if (code === '40001' || isDeadlock(error) || routine === MISPLACED) return true
  // An organization that was deleted meanwhile. In a distributed database nothing locks it.
  if (code === '23503' && COUNTS_OF_DELETED.test(error.message)) return true
  return constraint !== undefined && TAKEN_ID.test(constraint)
}

const COUNTS_OF_DELETED = /\b(usage|disclosures|coverage_states)_organization_fkey/

/** Citus adds a number to the names of the tables that it knows. */
const TAKEN_ID = /^ids_pkey(_\d+)?$/

/**
 * PostgreSQL raises this for a row on its way into the default partition while its week gets its own
 * partition (`ExecPartitionCheckEmitError` in execMain.c). A second attempt finds the new partition.
 */
const MISPLACED = 'ExecPartitionCheckEmitError'

function outageOf(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    if (isLost(error)) return 'the transaction kept conflicting with others'
    if (isWorkerDown(error)) return 'the connection to PostgreSQL was lost'
    const { code = '' } = error
    const outage = OUTAGES.find(([codes]) => codes.test(code))?.[1]
    // PostgreSQL says whose limit is reached.
    return code === TOO_MANY_CONNECTIONS ? `${outage} (${error.message})` : outage
  }
  if (!(error instanceof Error)) return undefined
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code !== undefined && (syscall !== undefined || error instanceof AggregateError)) {
    return `PostgreSQL cannot be reached (${code})`
  }
  if (code !== undefined && CERTIFICATE.test(code)) {
    return `the certificate of PostgreSQL is not accepted (${error.message})`
  }
  return DRIVER.test(error.message) ? `PostgreSQL does not answer (${error.message})` : undefined
}

/** https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE =
  /^(ERR_TLS_CERT_ALTNAME_INVALID|CERT_|CRL_|DEPTH_ZERO_|ERROR_IN_C|HOSTNAME_|INVALID_|PATH_LENGTH_|SELF_SIGNED_|UNABLE_TO_)/

/** The driver's own errors have no code. */
const DRIVER =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|The server does not support SSL)/
