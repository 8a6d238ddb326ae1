import type { Fix } from '../../domain/fix.ts'
import type { ObjectState } from '../../domain/object-state.ts'
import type { Track } from '../../domain/track.ts'
import type { Aftermath } from './refold-after.ts'
import { LAST_TIME, later, newer, shifted, shownFix } from './state-in-order.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Positions } from './tables.ts'
import type { Work } from './work.ts'

/** The state of an object after positions older than its newest have changed. */
export function* stateAfterRefold(
  positions: Positions,
  owned: Owned,
  state: ObjectState,
  aftermath: Aftermath,
  replaced: StoredPosition | null,
  incoming: Fix | null,
): Work<ObjectState> {
  const { track: reached, shift, turned } = aftermath
  const track = reached ?? (shift === null ? state.track! : shifted(state.track!, shift))
  return {
    ...state,
    ...(yield* lastTimes(positions, owned, state, turned)),
    address: yield* addressAfter(positions, owned, state, replaced, incoming),
    lastFix: yield* lastFixAfter(positions, owned, state, track, replaced),
    track,
  }
}

function* lastFixAfter(
  positions: Positions,
  owned: Owned,
  { lastFix }: ObjectState,
  track: Track,
  replaced: StoredPosition | null,
): Work<Fix | null> {
  const { time } = track.last
  if (lastFix?.timeDevice === time && replaced?.fix.timeDevice !== time) return lastFix
  const last = yield* positions.at(owned, time)
  // If an older release stored the state, retention may have removed this position.
  return last === null ? lastFix : shownFix(last.fix)
}

/**
 * If the position that gave a motion its last time no longer has that motion, find the newest one that
 * has.
 */
function* lastTimes(
  positions: Positions,
  owned: Owned,
  state: ObjectState,
  turned: Aftermath['turned'],
): Work<Partial<ObjectState>> {
  const times: { -readonly [Field in keyof ObjectState]?: number | null } = {}
  for (const motion of ['moving', 'idle', 'stopped'] as const) {
    const field = LAST_TIME[motion]
    const gone = turned.some(({ at, is }) => at === state[field] && is !== motion)
    if (gone) {
      const newest = yield* positions.newest(owned, ({ row }) => row?.motion === motion)
      times[field] = newest?.fix.timeDevice ?? null
      continue
    }
    let time = state[field]
    for (const { at, is } of turned) if (is === motion) time = later(time, at)
    times[field] = time
  }
  return times as Partial<ObjectState>
}

function* addressAfter(
  positions: Positions,
  owned: Owned,
  { address }: ObjectState,
  replaced: StoredPosition | null,
  incoming: Fix | null,
): Work<ObjectState['address']> {
  const isGone =
    replaced !== null && replaced.fix.address !== null && address?.at === replaced.fix.timeDevice
  if (isGone) {
    const newest = yield* positions.newest(owned, ({ fix }) => fix.address !== null)
    return newest === null ? null : { value: newest.fix.address!, at: newest.fix.timeDevice }
  }
  if (incoming === null || incoming.address === null) return address
  return newer(address, { value: incoming.address, at: incoming.timeDevice })
}
