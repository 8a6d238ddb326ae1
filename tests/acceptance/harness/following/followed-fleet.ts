import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Sender } from '../sender.ts'
import { assertReplica, assertStored, doublesIn, gapsIn, shownBy } from './compare.ts'
import { type Follower, follow } from './follower.ts'
import { openTrackers, type Trackers } from './trackers.ts'

/** An organization whose trackers send while followers read `/changes`, through any kills. */
export type FollowedFleet = {
  /** Starts the followers, then the trackers. */
  begin(): Promise<void>
  /** Resolves when more packets were acknowledged, and each follower has read more. */
  goOn(): Promise<void>
  /**
   * Stops the trackers. Each follower must then have every acknowledged packet once, and be equal to the
   * histories, latest positions and details. `forget` clears the rate window.
   */
  finish(forget: () => Promise<void>): Promise<FollowedCounts>
  stop(): Promise<void>
}

export type FollowedCounts = Record<
  'packets acknowledged' | 'entries read' | 'gaps' | 'doubles',
  number
>

const PATIENCE_MS = 60_000
const LOOK_MS = 20
/** Milliseconds before each comparison: a server repairs rows after a very late packet in the background. */
const LOOKS_MS = [0, 500, 2_000, 10_000]

/** `known`: an object without positions. `api`: the base address of a running server at this moment. */
export function followFleet(
  sender: Sender,
  known: { id: number; ident: string },
  api: () => string,
): FollowedFleet {
  const one = `types=positions&ids=${known.id}`
  const early = [
    follow(sender, api, 'waits', 'from=now&include=exact'),
    follow(sender, api, 'streams', 'from=history&include=exact&limit=1000'),
    follow(sender, api, 'streams', `from=now&include=exact&${one}`),
  ]
  const trackers = openTrackers(sender, known.ident)
  // It reads the history while packets come.
  const late = follow(sender, api, 'polls', 'from=history&include=exact&limit=5000')
  const followers = [...early, late]
  const isFollowed = (ident: string, { name }: Follower) =>
    ident === known.ident || !name.includes(one)
  const gapsOf = (follower: Follower) => {
    const packets = [...trackers.sent].flatMap(([ident, all]) =>
      isFollowed(ident, follower) ? all : [],
    )
    return gapsIn(follower.replica, packets)
  }

  /** Resolves when no follower lacks a packet. A follower may be slow, but each must read on. */
  async function untilRead(): Promise<void> {
    for (let slow = [...followers]; slow.length > 0; ) {
      const read = new Map(slow.map((each) => [each, each.replica.entries]))
      const isDone = (each: Follower) => gapsOf(each) === 0
      const goesOn = (each: Follower) => each.replica.entries > read.get(each)!
      await until(() => slow.every((each) => goesOn(each) || isDone(each)), followers, trackers)
      slow = slow.filter((each) => !isDone(each))
    }
  }

  async function compare(): Promise<void> {
    const shown = await shownBy(sender, trackers.sent.keys())
    for (const [ident, object] of shown) {
      assertStored(object.rows, trackers.sent.get(ident)!)
      for (const follower of followers) {
        if (!isFollowed(ident, follower)) continue
        explained(follower.name, () => assertReplica(follower.replica, object))
      }
    }
  }

  return {
    async begin() {
      for (const follower of early) follower.start()
      await until(() => early.every(({ hasBegun }) => hasBegun()), early, trackers)
      trackers.start()
    },
    async goOn() {
      if (!late.hasBegun()) late.start()
      const acknowledged = trackers.acknowledged()
      const read = new Map(followers.map((each) => [each, each.replica.entries]))
      await until(
        () =>
          trackers.acknowledged() > acknowledged &&
          followers.every((each) => each.replica.entries > read.get(each)!),
        followers,
        trackers,
      )
    },
    async finish(forget) {
      await trackers.stop()
      await untilRead()
      for (const [at, lookMs] of LOOKS_MS.entries()) {
        await wait(lookMs)
        for (const follower of followers) follower.stop()
        await forget()
        try {
          await compare()
          break
        } catch (error) {
          if (at === LOOKS_MS.length - 1) throw error
          for (const follower of followers) follower.start()
        }
      }
      const doubles = sumOf(followers, ({ replica }) => doublesIn(replica, trackers))
      assert.equal(doubles, 0, `${doubles} positions came twice`)
      return {
        'packets acknowledged': trackers.acknowledged(),
        'entries read': sumOf(followers, ({ replica }) => replica.entries),
        gaps: sumOf(followers, gapsOf),
        doubles,
      }
    },
    async stop() {
      for (const follower of followers) follower.stop()
      await trackers.stop(true)
    },
  }
}

/** Looks again and again until something holds. Throws the fault of a follower or a tracker. */
async function until(
  holds: () => boolean,
  followers: readonly Follower[],
  trackers: Trackers,
): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (!holds()) {
    const faults = followers.flatMap(({ fault }) => fault() ?? [])
    assert.deepEqual([...faults, ...trackers.faults], [])
    if (performance.now() > giveUpAt) throw new Error(stateOf(followers, trackers))
    await wait(LOOK_MS)
  }
}

function stateOf(followers: readonly Follower[], trackers: Trackers): string {
  const read = followers.map(
    ({ name, replica, lastRefusal }) => `${replica.entries} entries, ${lastRefusal()} (${name})`,
  )
  const refused = JSON.stringify([...trackers.refusals])
  return `nothing goes on: ${trackers.acknowledged()} acknowledged, ${refused}; ${read.join(', ')}`
}

function explained(name: string, check: () => void): void {
  try {
    check()
  } catch (cause) {
    throw new Error(`${name}: ${cause}`, { cause })
  }
}

function sumOf(followers: readonly Follower[], countOf: (follower: Follower) => number): number {
  return followers.reduce((sum, follower) => sum + countOf(follower), 0)
}
