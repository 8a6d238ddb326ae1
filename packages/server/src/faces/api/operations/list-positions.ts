import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { addAll } from '../../../base/domain/common/any-number.ts'
import { type Organization, shownFrom } from '../../../base/domain/organization.ts'
import type { AddressAt } from '../../../base/domain/position/object-state.ts'
import {
  allRows,
  type PositionColumns,
  someLackAddress,
} from '../../../base/domain/position/position-columns.ts'
import type { TimeRange } from '../../../base/domain/time/time.ts'
import type { FleetObject, OwnObject } from '../../../data/cache/fleet-objects.ts'
import type { History } from '../../../engine/store/position-store.ts'
import type { Answer, Call, Prepared } from '../../../read/call.ts'
import { type PositionRowEncoder, positionRowEncoder } from '../../../read/encode/position-rows.ts'
import { lackNames, withNames } from '../../../read/encode/row-attributes.ts'
import { maxRowsIn, POSITION_FORMATS, positionForm } from '../../../read/formats/formats.ts'
import {
  type ObjectTrack,
  type PositionForm,
  trackOf,
} from '../../../read/formats/position-format.ts'
import { boundTo, COLUMNS, chosenColumns } from '../../../read/parameters/attribute-parameters.ts'
import { HISTORY_LIMIT, STEP, STEP_OF_PAGES } from '../../../read/parameters/number-parameters.ts'
import { OBJECT_ID } from '../../../read/parameters/object-parameters.ts'
import { CURSOR } from '../../../read/parameters/page-cursor.ts'
import { type Asked, parameterSet } from '../../../read/parameters/parameter.ts'
import { TIME_RANGE } from '../../../read/parameters/time-range.ts'
import {
  invalidCursor,
  limitAboveMaximum,
  objectNotFound,
  quotaExhausted,
  rangeAboveMaximum,
  repeatedParameter,
  rowsAboveMaximum,
  rowsAboveSheet,
} from '../../../read/refusal.ts'
import type { Due } from '../../../read/request-limits.ts'
import { mustBeAbleToPay } from '../../../read/rows/charge-objects.ts'
import { countRows, openHistory } from '../../../read/rows/object-history.ts'
import { before, latest } from '../../../read/schemas/examples.ts'
import { type Operation, PREFIX } from '../operation.ts'

/*
 * The positions of an object: parameters, cursor, and the answer.
 */

/** The parameters of a history, with its cursor still sealed. */
export const HISTORY = parameterSet(
  {
    id: OBJECT_ID,
    range: TIME_RANGE,
    stepMs: STEP_OF_PAGES,
    columns: COLUMNS,
    limit: HISTORY_LIMIT,
    cursor: CURSOR,
  },
  ['id', 'range', 'limit', 'cursor', 'stepMs', 'columns'],
)
export type HistoryQuery = Asked<typeof HISTORY>

const TIME_BYTES = 6
const SEAL_BYTES = 16

/** The request that a cursor continues. The cursor is valid for no other. */
export type PagedHistory = { organization: number; object: string; range: TimeRange }

/**
 * A cursor: the `time_device` of the last row given, sealed with the deployment's secret. Any process can
 * open it, and nobody else can make one.
 */
export function sealCursor(secret: KeyObject, paged: PagedHistory, lastTime: number): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(lastTime, 0, TIME_BYTES)
  return Buffer.concat([time, sealOf(secret, paged, time)]).toString('base64url')
}

/** The sealed time. Undefined if the cursor was made for another request. */
export function openCursor(
  secret: KeyObject,
  paged: PagedHistory,
  text: string,
): number | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== TIME_BYTES + SEAL_BYTES || bytes.toString('base64url') !== text) {
    return undefined
  }
  const time = bytes.subarray(0, TIME_BYTES)
  return timingSafeEqual(bytes.subarray(TIME_BYTES), sealOf(secret, paged, time))
    ? time.readUIntBE(0, TIME_BYTES)
    : undefined
}

function sealOf(
  secret: KeyObject,
  { organization, object, range }: PagedHistory,
  time: Buffer,
): Buffer {
  return createHmac('sha256', secret)
    .update(`cursor ${organization} ${object} ${range.from} ${range.to} `)
    .update(time)
    .digest()
    .subarray(0, SEAL_BYTES)
}

/** `GET /objects/{id}/positions`: an object's positions of a time range. Charges 1 for each page. */
export const listPositions: Operation = {
  id: 'listPositions',
  path: '/objects/{id}/positions',
  tag: 'Positions',
  summary: 'List positions of an object',
  description:
    'The recorded positions of one object in a range of time, by `time_device`, ascending. Without `limit`, one answer streams the whole range. With `limit`, follow `Link` for the remaining rows. Each page costs 1 of the daily quota of the object.',
  parameters: HISTORY,
  success: 'The positions of the range, or a page of them.',
  result: { rows: 'Position', example: [before, latest] },
  badRequests: [
    ...TIME_RANGE.refusals,
    ...HISTORY_LIMIT.refusals,
    ...STEP.refusals,
    ...COLUMNS.refusals,
    ...CURSOR.refusals,
    repeatedParameter('limit'),
    ...OBJECT_ID.refusals,
    limitAboveMaximum(100_000),
    rowsAboveMaximum(100_000),
    rangeAboveMaximum(31),
    quotaExhausted([1071]),
  ],
  errors: { 404: 'ObjectNotFound' },
  isCharged: true,
  isPosition: true,
  openedBy: ['positions'],
  isPublic: false,
  isContract: true,
  formats: POSITION_FORMATS,
  async prepare(call) {
    const { api, fleet, format, key, organization } = call
    const asked = HISTORY.of(call)
    if ('status' in asked) return asked
    const columns = await chosenColumns(call, asked.columns)
    if ('status' in columns) return columns
    const { id } = asked
    const paged = pagedOf(organization, asked)
    const range = { ...asked.range }
    let given: number | null = null
    if (asked.cursor !== undefined) {
      const lastTime = openCursor(api.secret, paged, asked.cursor)
      if (lastTime === undefined) return invalidCursor
      given = lastTime
      range.from = lastTime + 1
    }
    const own = (await fleet.objects()).get(id)
    if (own === undefined) return objectNotFound
    // Hide all expired rows, purged already or not. Rows purged during the read are before the range.
    range.from = Math.max(range.from, shownFrom(organization, own.object, api.clock.now()))
    const form = positionForm(format, 'tracks', columns)
    const selection = { object: id, range, stepMs: asked.stepMs, given }
    const due: Due = { objects: [id], rows: [0], isLimited: true }
    const prepared: Prepared = {
      due,
      shown: [id],
      async answer(read) {
        const [fleetObject] = await fleet.states.join([own], read)
        const history = await openHistory(call, selection, asked.limit)
        const blocks = counted(history, (rows) => api.disclosures.rows(key, 'positions', id, rows))
        const encoder = encoderOf(call, own, fleetObject!, form)
        return {
          body: await bodyOf(blocks, encoder, aroundRows(form, own.object.name)),
          next:
            history.next === null
              ? undefined
              : api.url + nextPage(asked, sealCursor(api.secret, paged, history.next)),
        }
      },
    }
    const { maxHistoryRows } = api.historyLimits
    const most = Math.min(maxHistoryRows ?? Number.POSITIVE_INFINITY, maxRowsIn(format))
    if ((asked.limit ?? Number.POSITIVE_INFINITY) <= most) return prepared
    return {
      ...prepared,
      due: mustBeAbleToPay(organization, [id]),
      async answer(read, charge, rate) {
        // A range that is refused costs nothing, so the rows are counted before the charge.
        const rows = await countRows(call, selection, most + 1)
        if (rows > most)
          return most === maxHistoryRows ? rowsAboveMaximum(most) : rowsAboveSheet(most)
        const refused = await charge(due)
        return refused?.refusal ?? prepared.answer(read, charge, rate)
      },
    }
  },
}

function pagedOf(organization: Organization, asked: HistoryQuery): PagedHistory {
  const { id, range, stepMs, columns } = asked
  const step = stepMs === null ? '' : ` step ${stepMs}`
  const object = `${id}${step}${boundTo(columns.attributes)}`
  return { organization: organization.id, object, range }
}

function nextPage(asked: HistoryQuery, cursor: string): string {
  return HISTORY.link(`${PREFIX}/objects/${asked.id}/positions`, { ...asked, cursor })
}

/**
 * The encoder of a block. The first block that needs addresses waits until the known ones can be read, and one with a
 * new name of an attribute until the names are read again.
 */
type EncoderFor = (block: PositionColumns) => PositionRowEncoder | Promise<PositionRowEncoder>

function encoderOf(
  { api, fleet, organization: { distanceUnit, language } }: Call,
  own: OwnObject,
  fleetObject: FleetObject,
  form: PositionForm,
): EncoderFor {
  const { knownAddresses } = api
  let named = fleetObject
  let addressAt: AddressAt | undefined
  let isWaiting = knownAddresses !== null
  const makeEncoder = () => positionRowEncoder(named, distanceUnit, { form, addressAt })
  let encode = makeEncoder()
  const read = async (block: PositionColumns) => {
    if (isWaiting && someLackAddress(allRows(block))) {
      addressAt = await knownAddresses!(language)
      isWaiting = false
    }
    if (form.attributes !== undefined) named = await withNames(fleet, own, named, block)
    encode = makeEncoder()
    return encode
  }
  return (block) => {
    const lacksAddress = isWaiting && someLackAddress(allRows(block))
    const lacksName = form.attributes !== undefined && lackNames(block, named.state.attributes)
    return lacksAddress || lacksName ? read(block) : encode
  }
}

/** The text before and after the rows of an answer. */
type Around = { head: Buffer; track: ObjectTrack; tail: Buffer }

function aroundRows(form: PositionForm, name: string): Around {
  return {
    head: Buffer.from(form.head + form.openObject(name)),
    track: trackOf(form, name),
    tail: Buffer.from(form.closeObject + form.tail),
  }
}

/** The blocks of a history, whose rows are counted as they are read. */
function counted(
  { blocks }: History,
  count: (rows: number) => void,
): AsyncIterator<PositionColumns> {
  const iterator = blocks[Symbol.asyncIterator]()
  return {
    async next() {
      const read = await iterator.next()
      if (!read.done) count(read.value.rows)
      return read
    },
    return: async (value) => (await iterator.return?.(value)) ?? { done: true, value },
  }
}

/**
 * Reads the first block before anything is written, so that a failing store gets a clean 503. A history
 * of one block is answered whole. A longer one is a stream, read as fast as the client takes it.
 */
async function bodyOf(
  blocks: AsyncIterator<PositionColumns>,
  encoder: EncoderFor,
  { head, track, tail }: Around,
): Promise<Answer['body']> {
  const first = await blocks.next()
  if (first.done) return Buffer.concat([head, tail])
  const opening = [head, (await encoder(first.value))(first.value)]
  addAll(opening, track.add(allRows(first.value)))
  const second = await blocks.next()
  if (second.done) return Buffer.concat([...opening, ...track.end(), tail])
  const next = (await encoder(second.value))(second.value, { isContinued: true })
  const begun = [Buffer.concat(opening), next, ...track.add(allRows(second.value))]
  return stream(begun, blocks, encoder, { track, tail })
}

/**
 * `begun`: the blocks read so far. It is emptied, or a slow client would hold them to the end. Later
 * blocks reuse one piece of memory: with new memory for each, V8 collects the whole heap several times a
 * second.
 */
async function* stream(
  begun: Uint8Array[],
  blocks: AsyncIterator<PositionColumns>,
  encoder: EncoderFor,
  { track, tail }: Omit<Around, 'head'>,
): AsyncGenerator<Uint8Array> {
  const copy = blockMemory()
  try {
    while (begun.length > 0) yield begun.shift()!
    for (let block = await blocks.next(); !block.done; block = await blocks.next()) {
      const encode = await encoder(block.value)
      yield encode(block.value, { isContinued: true, copy })
      yield* track.add(allRows(block.value))
    }
    yield* track.end()
    yield tail
  } finally {
    await blocks.return?.()
  }
}

/** Blocks differ by a few bytes, so their memory has room for a little more than the first one. */
const BLOCK_ROOM = 1.1

/** Keeps a copy of one block until the next comes. */
function blockMemory(): (block: Buffer) => Buffer {
  let kept = Buffer.alloc(0)
  return (block) => {
    if (kept.length < block.length) {
      kept = Buffer.allocUnsafeSlow(Math.ceil(block.length * BLOCK_ROOM))
    }
    block.copy(kept)
    return kept.subarray(0, block.length)
  }
}
