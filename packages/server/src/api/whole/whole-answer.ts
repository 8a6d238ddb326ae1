import type { OwnObject } from '../../cache/fleet-object.ts'
import type { ChargeLater } from '../limits.ts'
import type { Answer, Call } from '../operation.ts'
import { type AskedObjects, chargeFound, type IsExhausted } from '../positions/charge-objects.ts'
import { inGroups } from '../positions/in-groups.ts'
import { type Refusal, rowsAboveMaximum, tooManyRequests } from '../refusal.ts'
import { answerInRoom } from '../reply/answer-in-room.ts'
import { takeWholePlace } from './take-whole-place.ts'

/** Most whole answers are short, so a place is soon free. */
const RETRY_SECONDS = 2

/** The costs of answers with the rows of a range, in words. */
export const COSTS_OF_ROWS =
  'Without `limit` the answer has all rows of the range, however long it is; with it, follow `Link` for the rows that are left. Each answer costs 1 of the daily quota of each object in it, all or none. Where an object asked for is exhausted, in the answer or not, the call is refused and no object charged, unless `skip_exhausted` leaves it out. Your organization may have two answers without `limit` under way at once; another one is refused with 429.'

/** An answer with all rows of a range. */
export type WholeAnswer = {
  /** The objects asked for, in the order of the answer. */
  readonly objects: readonly OwnObject[]
  readonly payment: AskedObjects
  /** Those of some objects that have a row. */
  withRows(objects: readonly number[]): Promise<Iterable<number>>
  /** Whether an object has more rows than this. */
  isLongerThan(object: number, rows: number): Promise<boolean>
  /** The rows of these objects, which are read as the client takes them. */
  body(objects: readonly OwnObject[]): Promise<Answer['body']>
}

/**
 * Finds the objects that have a row, charges 1 to each of them, all or none, and answers with their rows. An object
 * that gets its first row after that is not in the answer. The rows are counted for disclosure as they are read.
 */
export async function wholeAnswer(
  call: Call,
  whole: WholeAnswer,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization } = call
  const place = await takeWholePlace(api.realtime.streams, organization.id)
  if (place === null) return tooManyRequests(RETRY_SECONDS)
  return answerInRoom(place, async () => {
    const find = (isExhausted: IsExhausted) => objectsWithRows(call, whole, isExhausted)
    const charged = await chargeFound(whole.payment, find, charge)
    if ('status' in charged) return charged
    const { rows: objects, withheld } = charged
    const ids = objects.map(({ object }) => object.id)
    const disclosed = { objects: ids, rows: ids.map(() => 0) }
    return { body: await whole.body(objects), withheld, disclosed }
  })
}

/** The operator's maximum of rows holds for each object. */
async function objectsWithRows(
  { api }: Call,
  { objects, withRows, isLongerThan }: WholeAnswer,
  isExhausted: IsExhausted,
): Promise<OwnObject[] | Refusal> {
  const { maxHistoryRows } = api.historyLimits
  const found: OwnObject[] = []
  for (const group of inGroups(objects.filter(({ object }) => !isExhausted(object.id)))) {
    const ids = group.map(({ object }) => object.id)
    const withRow = new Set(await withRows(ids))
    for (const own of group) {
      const { id } = own.object
      if (!withRow.has(id)) continue
      if (maxHistoryRows !== null && (await isLongerThan(id, maxHistoryRows))) {
        return rowsAboveMaximum(maxHistoryRows)
      }
      found.push(own)
    }
  }
  return found
}
