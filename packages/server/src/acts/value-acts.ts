import { addAll, minOf } from '../base/domain/common/any-number.ts'
import type { TimeRange } from '../base/domain/time/time.ts'
import {
  type ErasedRange,
  MAX_VALUE_ERASURES,
  newErasures,
} from '../engine/store/position-store.ts'
import { type ActCall, ADMINISTRATORS, acts, OVERSEERS, organizationOf } from './act.ts'
import * as doc from './document-schema.ts'
import { GIVEN_FOR, givenSince, rangeIn } from './erasures.ts'
import {
  ANY_TIME,
  FOUND_VALUES,
  type GivenValues,
  type Search,
  searchValues,
  sourceOf,
  TO_ERASE,
  TO_FIND,
  type Wanted,
} from './found-values.ts'
import { momentOf } from './input.ts'
import { conflict, existing, invalid } from './refused.ts'

/*
 * Acts that find values of attributes, and erase them. Values are in bodies alone, because logs of proxies have paths.
 */

const ALL = '/organizations/{organization}/attributes'

const VALUES = doc.record(FOUND_VALUES, 'Where objects have values.', 'FoundValues')
const READERS = doc.record(GIVEN_FOR, 'The readers who were given data of the objects.')
const ERASED = doc.record(
  { ...FOUND_VALUES, ...GIVEN_FOR },
  'The values that are erased, and the readers who were given data of the objects.',
  'ErasedValues',
)

export const VALUE_ACTS = acts('Attributes', {
  findValues: {
    method: 'POST',
    path: `${ALL}/find`,
    who: OVERSEERS,
    summary: 'Find the objects whose stored positions have a value of an attribute',
    takes: TO_FIND,
    status: 200,
    answers: VALUES,
    async run(call) {
      return VALUES.write(sourceOf((await searched(call, TO_FIND.in(call.body))).search))
    },
  },
  eraseValues: {
    method: 'POST',
    path: `${ALL}/erase`,
    who: ADMINISTRATORS,
    summary: 'Erase values of attributes from positions, and store none of them again',
    takes: TO_ERASE,
    status: 202,
    answers: ERASED,
    async run(call) {
      const { dryRun, ...given } = TO_ERASE.in(call.body)
      if (given.value === null) {
        for (const field of ['object', 'from', 'to'] as const) {
          if (given[field] === null)
            throw invalid({ field, rule: 'is required unless value is set' })
        }
      }
      await call.known.writeCounts()
      const { search, wanted } = await searched(call, given)
      const found = sourceOf(search)
      const answer = { ...VALUES.write(found), ...(await readersOf(call, found.items)) }
      const erasures = erasuresOf(wanted, search)
      await checkRoom(call, erasures)
      if (!dryRun) await erase(call, erasures)
      return answer
    },
  },
})

async function searched(call: ActCall, given: GivenValues) {
  const { store, now, inTurn, disclosed } = call
  const { id: organization } = await organizationOf(call)
  const wanted = wantedOf(given, now)
  if (wanted.object !== null)
    existing(await store.objects.find(organization, wanted.object), 'object')
  const search = await inTurn(organization, () => searchValues(store, organization, wanted))
  disclosed.values(new Set(search.found.map(({ object }) => object.id)))
  return { search, wanted }
}

/** Throws `Refused`. */
function wantedOf({ from, to, ...given }: GivenValues, now: number): Wanted {
  if (given.names === null && given.value === null) {
    throw invalid({ field: 'names', rule: 'is required unless value is set' })
  }
  if (from !== null && to !== null) return { ...given, ...rangeIn({ from, to }, now) }
  const first = from === null ? ANY_TIME.from : momentOf(from)
  return { ...given, from: first, to: to === null ? ANY_TIME.to : momentOf(to) }
}

/** The readers who were given data of the found objects. Of several, those of the organization. */
export async function readersOf(
  { store, params, now }: ActCall,
  found: readonly { object: number; first: number }[],
) {
  const objects = new Set(found.map(({ object }) => object))
  const [object = null] = objects.size === 1 ? objects : []
  const first = minOf([now, ...found.map((each) => each.first)])
  return READERS.write(await givenSince(store, params.organization!, object, first, now))
}

type ToEraseOf = { id: number; attribute: string; ranges: readonly TimeRange[] }

/** Values of a text go from where they were found: what has other values between stays. */
function erasuresOf({ value, names, object, from, to }: Wanted, { found }: Search): ToEraseOf[] {
  if (value !== null) return found.map((each) => ({ ...each, id: each.object.id }))
  return (names ?? []).map((attribute) => ({ attribute, id: object!, ranges: [{ from, to }] }))
}

/** Nothing is erased unless there is room for all. Throws `Refused`. */
async function checkRoom({ store, params }: ActCall, erasures: ToEraseOf[]): Promise<void> {
  for (const [id, ofObject] of Map.groupBy(erasures, (each) => each.id)) {
    const known: ErasedRange[] = await store.positions.erasures(params.organization!, id)
    for (const what of ofObject) {
      const added = newErasures(known, what)
      if (added === undefined) throw tooMany(id)
      addAll(
        known,
        added.map((range) => ({ ...range, attribute: what.attribute })),
      )
    }
  }
}

const tooMany = (object: number) =>
  conflict(
    `object ${object} would exceed the maximum of ${MAX_VALUE_ERASURES} erased ranges of values; erase all values of the attribute in one range of time instead`,
  )

/** Throws `Refused`. */
async function erase({ store, params, now }: ActCall, erasures: ToEraseOf[]): Promise<void> {
  for (const { id, ...what } of erasures) {
    const erased = await store.positions.erase(params.organization!, id, what, now)
    if (erased === 'too_many') throw tooMany(id)
  }
}
