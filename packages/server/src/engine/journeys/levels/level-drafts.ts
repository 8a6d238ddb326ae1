import type { StoredAttribute } from '../../../base/domain/attributes/attribute-catalogue.ts'
import type { LevelChange } from '../../../base/domain/record.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import type { Work } from '../../tracking/work.ts'
import type { PlaceIndex, VisitedPlace } from '../rules/place-index.ts'
import {
  addPosition,
  addRow,
  CHUNK_ROWS,
  type RecordSource,
  type Sums,
  segmentSums,
  sumsFrom,
} from '../rules/progress.ts'
import { packLevelCheckpoint } from './level-progress.ts'
import type { LevelEvent, SettledEvent } from './level-state.ts'

/** A change of level as it is derived. */
export type ChangeDraft = { readonly record: LevelChange; readonly checkpoint: Uint8Array | null }

type Parts = {
  readonly source: Pick<RecordSource, 'rows'>
  readonly places: PlaceIndex
}

/** The records of events of a level with this digest, with what the rows from their starts to their ends say. */
export function* changeDrafts(
  parts: Parts,
  entry: StoredAttribute,
  digest: string,
  events: readonly (LevelEvent | SettledEvent)[],
): Work<ChangeDraft[]> {
  const drafts: ChangeDraft[] = []
  for (const event of events) {
    const isOpen = !('checkpoint' in event)
    const record = { ...(yield* changeOf(parts, entry, event)), isOpen }
    drafts.push({
      record,
      checkpoint: isOpen ? null : packLevelCheckpoint(event.checkpoint, digest),
    })
  }
  return drafts
}

function* changeOf(
  { source, places }: Parts,
  { id: attribute, decimals }: StoredAttribute,
  { kind: change, start, end, before, after, reach }: LevelEvent,
): Work<Omit<LevelChange, 'isOpen'>> {
  const { first, sums } = yield* sumsOf(source, start, end)
  const { latitude, longitude, address } = first
  const within = first.isSuspect ? [] : places.at(latitude, longitude)
  return {
    ...{ kind: 'level', start, end, until: end, latitude, longitude, address },
    geofences: idsOf(within, 'geofence'),
    sites: idsOf(within, 'site'),
    ...segmentSums(sums),
    ...{ attribute, change, amount: Math.abs(after - before), before, after, reach, decimals },
  }
}

/** The first believed row of a range, or else the first one, and the sums of all. */
function* sumsOf(
  source: Parts['source'],
  start: number,
  end: number,
): Work<{ first: TrackRow; sums: Sums }> {
  let first: TrackRow | undefined
  let sums: Sums | undefined
  let previous: TrackRow | undefined
  for (let after = start - 1; after < end; ) {
    const chunk = yield* source.rows(after, CHUNK_ROWS)
    for (const row of chunk) {
      if (row.time > end) break
      if (first === undefined || (first.isSuspect && !row.isSuspect)) first = row
      sums ??= sumsFrom(row)
      if (previous === undefined) addPosition(sums, row)
      else addRow(sums, previous, row)
      previous = row
    }
    after = chunk.length < CHUNK_ROWS ? end : chunk.at(-1)!.time
  }
  if (first === undefined || sums === undefined)
    throw new TypeError('a change of level has no rows')
  return { first, sums }
}

function idsOf(places: readonly VisitedPlace[], type: VisitedPlace['placeType']): number[] {
  return places.filter(({ placeType }) => placeType === type).map(({ place }) => place)
}
