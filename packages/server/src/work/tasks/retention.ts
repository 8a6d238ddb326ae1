import { disclosuresPurgeableBefore, purgeableBefore } from '../../base/domain/organization.ts'
import { type Clock, DAY_MS, utcDay } from '../../base/domain/time/time.ts'
import { type Repeated, repeat, type Wait, waitUnlessAborted } from '../../engine/repeat.ts'
import type { DisclosureStore, UsageStore } from '../../engine/store/audit-store.ts'
import type { ChangeLogStore } from '../../engine/store/change-log.ts'
import type { LinkStore } from '../../engine/store/key-store.ts'
import type { Expiry } from '../../engine/store/position-store.ts'
import type { OrganizationStore, Store } from '../../engine/store/store.ts'

/*
 * This file deletes what has expired: positions, records, coverage, changes, and counts of usage and disclosure.
 */

/** A clock does not drift or get corrected by more than this between two looks. */
const LEAP_MS = 3_600_000
const US_PER_MS = 1_000

/**
 * The time of day for actions that cannot be undone, in milliseconds since the epoch. If the clock jumps
 * ahead by more than an hour between two looks, this clock runs as before for a day, so that somebody
 * can notice.
 */
export function cautiousTime(clock: Clock): () => number {
  const monotonicMs = () => clock.monotonic() / US_PER_MS
  /** How far this clock is ahead of the monotonic one. */
  let aheadMs = clock.now() - monotonicMs()
  let leaptAt: number | undefined

  return () => {
    const monotonic = monotonicMs()
    const nowAheadMs = clock.now() - monotonic
    const isLeap = nowAheadMs - aheadMs > LEAP_MS
    leaptAt = isLeap ? (leaptAt ?? monotonic) : undefined
    if (leaptAt === undefined || monotonic - leaptAt >= DAY_MS) {
      aheadMs = nowAheadMs
      leaptAt = undefined
    }
    return Math.round(monotonic + aheadMs)
  }
}

const EVERY_MS = 3_600_000
/** The pause between slices of some milliseconds. Requests and packets get most of the time. */
const PAUSE_MS = 20

/**
 * Deletes expired positions, records and kept days of coverage, at once and every hour. If the store fails, the
 * next hour tries again; `failed` gets the error. A clock that jumps far ahead deletes nothing for a day.
 */
export function startRetention(
  store: Store,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  const time = cautiousTime(clock)

  async function purge(
    { purgeExpired }: Pick<Store['positions'], 'purgeExpired'>,
    id: number,
    signal: AbortSignal,
  ): Promise<void> {
    let isAny = false
    for (let next: number | null = 0; next !== null && !signal.aborted; ) {
      // The operator may have corrected the retention since the previous slice.
      const organization = await store.organizations.find(id)
      if (organization === null) return
      const now = time()
      const before: Expiry = (object) => {
        const moment = purgeableBefore(organization, object, now)
        isAny ||= moment > 0
        return moment
      }
      next = await purgeExpired(id, before, next, failed)
      if (next !== null || isAny) await wait(PAUSE_MS, signal)
    }
  }

  async function purgeAll(signal: AbortSignal): Promise<void> {
    await store.positions.makeRoom(clock.now(), signal).catch(failed)
    for (const { id } of await store.organizations.list()) {
      await purge(store.positions, id, signal)
      await purge(store.records, id, signal)
      await purge(store.coverage, id, signal)
    }
  }
  return repeat(purgeAll, EVERY_MS, failed, wait)
}

/**
 * Deletes changes that are older than `days` from the log, at once and every hour, in slices. If the store
 * fails, the next hour tries again; `failed` gets the error. A clock that jumps far ahead deletes nothing
 * for a day.
 */
export function startChangesRetention(
  changeLog: Pick<ChangeLogStore, 'purge'>,
  days: number,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  const time = cautiousTime(clock)

  async function purge(signal: AbortSignal): Promise<void> {
    const before = time() - days * DAY_MS
    while (!signal.aborted && (await changeLog.purge(before))) await wait(PAUSE_MS, signal)
  }
  return repeat(purge, EVERY_MS, failed, wait)
}

/** A year and a month, so that this month can be compared with the same month last year. */
const KEPT_USAGE_DAYS = 400

type Counts = {
  usage: Pick<UsageStore, 'purge'>
  disclosures: Pick<DisclosureStore, 'purge'>
  links: Pick<LinkStore, 'purge'>
  organizations: Pick<OrganizationStore, 'list'>
}

/**
 * Deletes old counts of usage, disclosures as old as each organization keeps them, and links that ended before. A clock that jumps far ahead
 * deletes nothing for a day.
 */
export function startUsageRetention(
  { usage, disclosures, links, organizations }: Counts,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  const time = cautiousTime(clock)
  const purge = async () => {
    const now = time()
    await usage.purge(utcDay(now) - KEPT_USAGE_DAYS)
    const byDay = Map.groupBy(await organizations.list(), (each) =>
      disclosuresPurgeableBefore(each, now),
    )
    for (const [before, meant] of byDay) {
      if (before <= 0) continue
      const ids = new Set(meant.map(({ id }) => id))
      await disclosures.purge(ids, before)
      await links.purge(ids, before * DAY_MS)
    }
  }
  return repeat(purge, EVERY_MS, failed, wait)
}
