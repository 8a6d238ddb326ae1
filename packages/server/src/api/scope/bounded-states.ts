import { readSection } from '../../domain/attributes/attribute-section.ts'
import type { AttributeValue } from '../../domain/attributes/attribute-value.ts'
import {
  type CurrentAttributes,
  NO_ATTRIBUTES,
} from '../../domain/attributes/current-attributes.ts'
import { shownFrom } from '../../domain/organization.ts'
import { FIX_FLAG, flagsAt, readCounters, unpackFix } from '../../domain/position/fix-record.ts'
import { bareFold } from '../../domain/position/fold-state.ts'
import {
  type AddressAt,
  nothingKnown,
  type ObjectState,
  UNSEEN,
} from '../../domain/position/object-state.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { NewestPosition, ReaderView } from '../../store/change-log.ts'
import type { Reading } from './narrowing.ts'

/**
 * The states of objects for a key that sees only the positions of a range of time. The newest believed position of
 * the range makes the state of its object, with its attributes. An object without one is `UNSEEN`.
 */
export async function boundedStates(
  view: Pick<ReaderView, 'newestIn' | 'organization' | 'states'>,
  objects: readonly number[],
  range: TimeRange,
  { now, addressAt = nothingKnown, hasAttributes }: Reading,
): Promise<Map<number, ObjectState>> {
  const states = new Map<number, ObjectState>(objects.map((object) => [object, UNSEEN]))
  const named = hasAttributes ? await view.states(objects) : new Map<number, ObjectState>()
  const namesOf = (object: number) => named.get(object)?.attributes ?? NO_ATTRIBUTES
  const from = Math.ceil(Math.max(range.from, shownFrom(view.organization, now)))
  let wanted = objects.map((object) => ({ object, from, to: range.to }))
  while (wanted.length > 0) {
    const found = await view.newestIn(wanted)
    const [believed, suspect] = [
      found.filter(isBelieved),
      found.filter((each) => !isBelieved(each)),
    ]
    for (const each of believed) {
      states.set(each.object, stateAt(each, addressAt, namesOf(each.object)))
    }
    wanted = suspect.map(({ object, believedAt: to }) => ({ object, from, to }))
  }
  return states
}

function isBelieved({ record, believedAt }: NewestPosition): boolean {
  return unpackFix(record).timeDevice <= believedAt
}

function stateAt(
  { record, motion, shownAt }: NewestPosition,
  addressAt: AddressAt,
  names: CurrentAttributes,
): ObjectState {
  const fix = unpackFix(record)
  const { timeDevice: time, latitude, longitude } = fix
  const address = fix.address ?? addressAt(latitude, longitude)
  const here = { time, latitude, longitude }
  const timeOf = (which: typeof motion) => (motion === which ? time : null)
  return {
    lastFix: fix,
    timeServer: fix.timeServer,
    timeLastIdle: timeOf('idle'),
    timeLastMove: timeOf('moving'),
    timeLastStop: timeOf('stopped'),
    address: address === null ? null : { value: address, at: time },
    fold: {
      ...bareFold(here, readCounters(Buffer.from(record))),
      shown: { ...here, time: shownAt },
      motion,
    },
    attributes: attributesAt(record, time, names),
  }
}

/** All names of the object, because records have their indices, with the values of this record. */
function attributesAt(record: Uint8Array, at: number, names: CurrentAttributes): CurrentAttributes {
  const values = new Map<number, AttributeValue>()
  if ((flagsAt(record, 0) & FIX_FLAG.attributes) !== 0) {
    readSection(record, record.length, (index, value) => values.set(index, value))
  }
  return names.map(({ name }, index) => {
    const value = values.get(index) ?? null
    return value === null ? { name, value, at: 0, count: 0 } : { name, value, at, count: 1 }
  })
}
