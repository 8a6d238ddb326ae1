import { clientGone } from '../../base/http/send-whole.ts'
import type { OwnObject } from '../../data/cache/fleet-objects.ts'
import type { ReaderView } from '../../engine/store/change-log.ts'
import { StoreUnavailable } from '../../engine/store/store.ts'
import type { Answer, Call } from '../call.ts'
import { inGroups } from '../encode/object-rows.ts'
import { maxRowsIn } from '../formats/formats.ts'
import { type Refusal, rowsAboveMaximum, rowsAboveSheet, tooManyWholeAnswers } from '../refusal.ts'
import type { ChargeLater } from '../request-limits.ts'
import { type AskedObjects, chargeFound, type IsExhausted } from './charge-objects.ts'
import { holdUntil } from './held-call.ts'

/** The costs of answers with the rows of a range, in words. */
export const COSTS_OF_ROWS =
  'Without `limit`, the answer has all rows of the range, however long it is. With `limit`, follow `Link` for the remaining rows. Each answer costs 1 of the daily quota of each object in it. If an object that you ask for is exhausted, the API refuses the call and charges no object, even if that object has no row in the answer. `skip_exhausted` leaves it out instead. Your organization can have two answers without `limit` under way at once. A third one waits for its turn, and is refused with 429 after 10 seconds. It then does not count in the rate window.'

/** An answer with all rows of a range. */
type WholeAnswer = {
  /** The objects asked for, in the order of the answer. */
  readonly objects: readonly OwnObject[]
  readonly payment: AskedObjects
  /** Those of some objects that have a row. */
  withRows(objects: readonly number[]): Promise<Iterable<number>>
  /** The number of rows of an object, counted up to `atMost`. */
  countRows(object: number, atMost: number): Promise<number>
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
  const holder = WHOLE_ANSWERS + organization.id
  const slot = await api.realtime.streams.lineUp(holder, MAX_WHOLE_ANSWERS)
  return answerInRoom(slot, async () => {
    const isTurn = await holdUntil(call, slot.isTaken, Boolean, MAX_TURN_WAIT_MS)
    if (typeof isTurn === 'object') return isTurn
    if (!isTurn) return tooManyWholeAnswers
    const find = (isExhausted: IsExhausted) => objectsWithRows(call, whole, isExhausted)
    const charged = await chargeFound(whole.payment, find, charge)
    if ('status' in charged) return charged
    const { rows: objects, withheld } = charged
    const ids = objects.map(({ object }) => object.id)
    const disclosed = { objects: ids, rows: ids.map(() => 0) }
    return { body: await whole.body(objects), withheld, disclosed }
  })
}

/** The operator's maximum of rows holds for each object, and that of the format for all of them. */
async function objectsWithRows(
  { api, format }: Call,
  { objects, withRows, countRows }: WholeAnswer,
  isExhausted: IsExhausted,
): Promise<OwnObject[] | Refusal> {
  const most = api.historyLimits.maxHistoryRows ?? Number.POSITIVE_INFINITY
  let remaining = maxRowsIn(format)
  const found: OwnObject[] = []
  for (const group of inGroups(objects.filter(({ object }) => !isExhausted(object.id)))) {
    const ids = group.map(({ object }) => object.id)
    const withRow = new Set(await withRows(ids))
    for (const own of group) {
      const { id } = own.object
      if (!withRow.has(id)) continue
      const counted = Math.min(most, remaining)
      if (counted !== Number.POSITIVE_INFINITY) {
        const rows = await countRows(id, counted + 1)
        if (rows > most) return rowsAboveMaximum(most)
        if (rows > remaining) return rowsAboveSheet(maxRowsIn(format))
        remaining -= rows
      }
      found.push(own)
    }
  }
  return found
}

/** The whole answers that an organization may have under way at once, over all processes. */
const MAX_WHOLE_ANSWERS = 2
const MAX_TURN_WAIT_MS = 10_000

/** The whole answers of a holder of streams are counted under this number and its own. No other holder has such a number. */
export const WHOLE_ANSWERS = 2 ** 52

/** The room in memory that an answer takes, or its slot among a few at once. */
type Room = { free(): void }

/** Answers with a body that takes room. Frees the room of a stream once the client has it, and any other at once. */
export async function answerInRoom(
  room: Room,
  answer: () => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  let isHeld = false
  try {
    const answered = await answer()
    if ('status' in answered || !isStreamed(answered.body)) return answered
    isHeld = true
    return { ...answered, body: freeAfter(answered.body, room) }
  } finally {
    if (!isHeld) room.free()
  }
}

function isStreamed(body: Answer['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body
}

async function* freeAfter(
  pieces: AsyncIterable<Uint8Array>,
  room: Room,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } finally {
    room.free()
  }
}

/** Reads in one view, unless the client has gone. Rejects if the organization was deleted meanwhile. */
export async function viewOf<Read>(
  { api, organization, request }: Call,
  read: (view: ReaderView) => Promise<Read>,
): Promise<Read> {
  const gone = clientGone(request.connection)
  gone.throwIfAborted()
  const found = await api.views.view(
    organization.id,
    async (view) => ({ read: await read(view) }),
    gone,
  )
  if (found === null) throw new StoreUnavailable('The organization was deleted while it was read.')
  return found.read
}
