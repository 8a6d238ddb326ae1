import { networkOf } from '../../../base/access/attempts.ts'
import type { AuditAction, NewAuditEntry } from '../../../base/domain/audit-entry.ts'
import { type Clock, formatInstant } from '../../../base/domain/time/time.ts'

/** A series ends when nothing failed for this long. It is entered at the latest after this long. */
const QUIET_MS = 5 * 60_000
const MAX_SERIES_MS = 60 * 60_000
/** Networks counted separately. The others are counted together. */
const MAX_NETWORKS = 1_000
const OTHERS = 'others'
/** Networks named in an entry. */
const MAX_NAMED = 5

/**
 * A series of failed attempts is one entry of the audit log, so that nobody can flood the log. A killed
 * process loses its current series; the server's log has each attempt.
 */
export type FailureSeries = {
  /** `isRefused`: the attempt came too early and was not checked. */
  add(address: string, isRefused: boolean): void
  /** Enters the counted attempts, if there are any. */
  close(): Promise<void>
  /** Enters them if the series is over. */
  closeIfOver(): Promise<void>
}

type Source = { attempts: number; address: string }
type Series = { since: number; last: number; refused: number; sources: Map<string, Source> }

/** The part of an entry that a series knows. */
export type FailureEntry = Pick<NewAuditEntry, 'organization' | 'changes'> & {
  action: AuditAction
}

export function openFailureSeries(
  action: AuditAction,
  note: (entry: FailureEntry) => Promise<void>,
  clock: Clock,
): FailureSeries {
  let open: Series | null = null

  async function close(): Promise<void> {
    if (open === null) return
    const closed = open
    open = null
    try {
      await note({ action, organization: null, changes: changesOf(closed) })
    } catch (error) {
      // The next attempt to enter it may succeed.
      open ??= closed
      throw error
    }
  }

  return {
    add(address, isRefused) {
      const now = clock.now()
      open ??= { since: now, last: now, refused: 0, sources: new Map() }
      open.last = now
      if (isRefused) open.refused += 1
      const network = networkOf(address)
      const isCounted = open.sources.size < MAX_NETWORKS || open.sources.has(network)
      count(open.sources, isCounted ? network : OTHERS, address)
    },
    close,
    async closeIfOver() {
      if (open === null) return
      const now = clock.now()
      if (now - open.last >= QUIET_MS || now - open.since >= MAX_SERIES_MS) await close()
    },
  }
}

/** A network with attempts from a single address is named by that address. */
function count(sources: Map<string, Source>, network: string, address: string): void {
  const source = sources.get(network)
  if (source === undefined) {
    const name = network === OTHERS || network === networkOf('') ? network : address
    sources.set(network, { attempts: 1, address: name })
    return
  }
  source.attempts += 1
  if (source.address !== address) source.address = network
}

function changesOf({ since, refused, sources }: Series) {
  const all = [...sources.values()].sort((one, other) => other.attempts - one.attempts)
  const attempts = all.reduce((sum, source) => sum + source.attempts, 0)
  const named = all.slice(0, MAX_NAMED).map((each) => `${each.address} (${each.attempts})`)
  if (all.length > MAX_NAMED) named.push(`and ${all.length - MAX_NAMED} more`)
  return {
    attempts: { to: attempts },
    refused: { to: refused },
    networks: { to: sources.size },
    sources: { to: named.join(', ') },
    since: { to: formatInstant(since) },
  }
}
