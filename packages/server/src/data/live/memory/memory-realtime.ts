import { join } from 'node:path'
import { memoryRateWindow } from '../../../base/access/sliding-log.ts'
import { HUNDREDTHS_PER_UNIT } from '../../../base/domain/limits.ts'
import type { ObjectState } from '../../../base/domain/position/object-state.ts'
import type { Clock } from '../../../base/domain/time/time.ts'
import { deferringQuota } from '../deferring-quota.ts'
import {
  amountAt,
  type Charge,
  type ChargeVerdict,
  type DailyQuota,
  type Exhausted,
  type QueuedSlot,
  type Realtime,
  type SharedAnswer,
  type Snapshots,
  type StatesRead,
  type StreamSlots,
} from '../realtime.ts'
import { openQuotaJournal, QUOTA_JOURNAL } from './quota-journal.ts'

/** The realtime port for a deployment of one process. */
export function openMemoryRealtime(dataFolder: string, clock: Clock): Realtime {
  const window = memoryRateWindow(clock)
  const counters = memoryDailyQuota(join(dataFolder, QUOTA_JOURNAL))
  const quota = deferringQuota(counters)
  const snapshots = memorySnapshots()

  async function chargeAndAnswer(
    organization: number,
    charge: Charge,
    answer: Omit<SharedAnswer, 'charge'>,
  ): Promise<SharedAnswer> {
    return { ...answer, charge: await quota.chargeIfUp(organization, charge) }
  }

  return {
    ask(organization, needs): SharedAnswer | Promise<SharedAnswer> {
      const { charge, shown } = needs
      const rate = window.take(organization, needs)
      const atUs = clock.monotonic()
      if (!rate.admitted) return { rate, atUs, charge: null, states: null }
      const states = snapshots.read(organization, shown)
      if (charge === null) return { rate, atUs, charge, states }
      return chargeAndAnswer(organization, charge, { rate, atUs, states })
    },
    giveBack: async (organization, needs, atUs) => window.giveBack(organization, needs, atUs),
    quota,
    snapshots,
    streams: memoryStreamSlots(),
    close: counters.close,
  }
}

/**
 * The daily quota of one process: counters in memory. The journal gets each change before the caller
 * learns of it.
 */
function memoryDailyQuota(journalFile: string): DailyQuota & { close(): Promise<void> } {
  const journal = openQuotaJournal(journalFile)

  function exhaustedBy(charge: Charge): Exhausted {
    const refused: Exhausted = { exhausted: [], left: [] }
    if (charge.limit === null) return refused
    const counts = journal.countsOf(charge.day)
    const limit = charge.limit * HUNDREDTHS_PER_UNIT
    const require = (object: number, amount: number) => {
      const remaining = limit - counts.get(object)
      if (remaining >= amount) return
      refused.exhausted.push(object)
      refused.left.push(Math.max(remaining, 0))
    }
    for (let i = 0; i < charge.objects.length; i += 1) {
      require(charge.objects[i]!, amountAt(charge, i))
    }
    for (const object of charge.ableToPay ?? []) require(object, HUNDREDTHS_PER_UNIT)
    return refused
  }

  return {
    charge(_organization, charge): Promise<ChargeVerdict> {
      const refused = exhaustedBy(charge)
      if (refused.exhausted.length > 0) return Promise.resolve({ charged: false, ...refused })
      if (charge.objects.length === 0) return Promise.resolve({ charged: true, used: null })
      const { highest: used, written } = journal.append(charge, 1)
      return written.then(() => ({ charged: true, used }))
    },
    async used(_organization, objects, day) {
      const counts = journal.countsOf(day)
      return objects.map((object) => counts.get(object))
    },
    giveBack: (_organization, amounts) => journal.append(amounts, -1).written,
    async close() {
      await journal.sync()
      journal.close()
    },
  }
}

export type MemorySnapshots = Omit<Snapshots, 'read'> & {
  read(organization: number, objects: readonly number[]): StatesRead
}

type FleetStates = {
  /** The newest known change of the organization's states; 0 before the first. */
  sequence: number
  states: Map<number, ObjectState>
}

/** Snapshots in the memory of the one process that serves a data folder. */
export function memorySnapshots(): MemorySnapshots {
  const fleets = new Map<number, FleetStates>()

  function of(organization: number): FleetStates {
    let fleet = fleets.get(organization)
    if (fleet === undefined) {
      fleet = { sequence: 0, states: new Map() }
      fleets.set(organization, fleet)
    }
    return fleet
  }

  return {
    isShared: false,
    read(organization, objects) {
      const states = fleets.get(organization)?.states
      return { kept: objects.map((object) => states?.get(object)), version: null }
    },
    keep(organization, { sequence, previous, states }) {
      const fleet = of(organization)
      if (previous > fleet.sequence) fleet.states.clear()
      fleet.sequence = sequence
      for (const [object, state] of states) fleet.states.set(object, state)
    },
    outdate(organization, sequence) {
      const fleet = of(organization)
      if (sequence <= fleet.sequence) return
      fleet.sequence = sequence
      fleet.states.clear()
    },
    fill(organization, states) {
      const kept = of(organization).states
      for (const [object, state] of states) if (!kept.has(object)) kept.set(object, state)
    },
  }
}

/** The slots of one process. */
export function memoryStreamSlots(): StreamSlots {
  /** In the order of arrival. The first ones of a line are taken. */
  const lines = new Map<number, Set<QueuedSlot>>()

  return {
    async lineUp(holder, limit) {
      const line = lines.get(holder) ?? new Set()
      const slot: QueuedSlot = {
        isTaken: async () => line.values().take(limit).toArray().includes(slot),
        free() {
          if (line.delete(slot) && line.size === 0) lines.delete(holder)
        },
      }
      lines.set(holder, line.add(slot))
      return slot
    },
  }
}
