import type { Fix } from '../../domain/fix.ts'
import type { ObjectState } from '../../domain/object-state.ts'
import type { Track } from '../../domain/track.ts'
import type { Aftermath } from './refold-after.ts'
import { LAST_TIME, later, newer, shifted, shownFix } from './state-in-order.ts'
import type { Owned, StoredPosition } from './stored-position.ts'
import type { Positions } from './tables.ts'
import type { Work } from './work.ts'

/** The state of an object after positions behind its newest have changed. */
export function* stateAfterRefold(
  positions: Positions,
  owned: Owned,
  state: ObjectState,
  aftermath: Aftermath,
  replaced: StoredPosition | null,
  come: Fix | null,
): Work<ObjectState> {
  const { track: reached, shift, turned } = aftermath
  const track = reached ?? (shift === null ? state.track! : shifted(state.track!, shift))
  return {
    ...state,
    ...(yield* lastTimes(positions, owned, state, turned)),
    address: yield* addressAfter(positions, owned, state, replaced, come),
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
  // Retention may have removed it where an older release stored the state.
  return last === null ? lastFix : shownFix(last.fix)
}

/** Where the last time of a motion was one that is none any more, the one before it is looked for. */
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
  come: Fix | null,
): Work<ObjectState['address']> {
  const isGone =
    replaced !== null && replaced.fix.address !== null && address?.at === replaced.fix.timeDevice
  if (isGone) {
    const newest = yield* positions.newest(owned, ({ fix }) => fix.address !== null)
    return newest === null ? null : { value: newest.fix.address!, at: newest.fix.timeDevice }
  }
  if (come === null || come.address === null) return address
  return newer(address, { value: come.address, at: come.timeDevice })
}
