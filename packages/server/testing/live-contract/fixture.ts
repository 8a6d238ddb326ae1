import { type TestContext, test } from 'node:test'
import type { RateVerdict } from '../../src/base/access/sliding-log.ts'
import { type ObjectState, UNSEEN } from '../../src/base/domain/position/object-state.ts'
import type { DailyQuota, Realtime } from '../../src/data/live/realtime.ts'

/** A realtime port with its own storage. */
export type OpenedRealtime = {
  realtime: Realtime
  /** Turns the clock of the windows; null if that is a server's own. */
  advanceUs: ((us: number) => void) | null
  /** Opens another process's view after a kill. */
  restart(): Promise<Realtime>
  cleanUp(): Promise<void>
}
export type OpenRealtime = () => Promise<OpenedRealtime>

type Given = OpenedRealtime & { quota: DailyQuota }
type RealtimeBody = (given: Given, context: TestContext) => Promise<void>

/** Declares a test that gets a new realtime port. */
export type RealtimeTest = (name: string, body: RealtimeBody) => void

export function testsOn(open: OpenRealtime): RealtimeTest {
  return (name, body) =>
    void test(name, async (context) => {
      const opened = await open()
      try {
        await body({ ...opened, quota: opened.realtime.quota }, context)
      } finally {
        await opened.cleanUp()
      }
    })
}

/** The UTC day of the tests, in days since the epoch. */
export const TODAY = 20_778

export const NOTHING = { charge: null, shown: [] }

export async function take(realtime: Realtime, organization = 1): Promise<RateVerdict> {
  return (await realtime.ask(organization, NOTHING)).rate
}

/** The newest change that `keep` made, for each realtime port and organization. */
const made = new WeakMap<Realtime, Map<number, number>>()

/** Stores states by the times of their last packets, as the organization's next change. */
export async function keep(
  realtime: Realtime,
  organization: number,
  times: Record<number, number>,
  sequences = made.get(realtime) ?? new Map<number, number>(),
): Promise<void> {
  made.set(realtime, sequences)
  const previous = sequences.get(organization) ?? 0
  const sequence = previous + 1
  sequences.set(organization, sequence)
  await realtime.snapshots.keep(organization, { sequence, previous, states: statesOf(times) })
}

export function statesOf(times: Record<number, number>): Map<number, ObjectState> {
  return new Map(Object.entries(times).map(([object, time]) => [Number(object), stateAt(time)]))
}

/** A state that is identified by the time of its last packet. */
export function stateAt(timeServer: number): ObjectState {
  return { ...UNSEEN, timeServer }
}
