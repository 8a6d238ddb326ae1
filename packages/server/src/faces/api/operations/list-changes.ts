import { Readable } from 'node:stream'
import { includesRecords } from '../../../base/domain/item-rules.ts'
import { clientGone } from '../../../base/http/send-whole.ts'
import { untilChanged } from '../../../engine/changes/change-watch.ts'
import type { Answer, Call } from '../../../read/call.ts'
import { ChangeStream } from '../../../read/changes/change-stream.ts'
import {
  asksForPositions,
  CHANGES,
  type ChangesQuery,
  includesPositions,
  openedTypes,
  type Reading,
  startReading,
  startsWithRecords,
  typesOf,
} from '../../../read/changes/changes-query.ts'
import { chargePage, disclosedIn } from '../../../read/changes/charge-page.ts'
import { takeStreamSlot } from '../../../read/changes/open-streams.ts'
import { answerOf } from '../../../read/changes/page-body.ts'
import { type PageQuery, type Read, readPage } from '../../../read/changes/read-page.ts'
import { wantsEvents } from '../../../read/exchange/negotiation.ts'
import {
  chosenEntries,
  SELECTED_ATTRIBUTES,
} from '../../../read/parameters/attribute-parameters.ts'
import { FROM, readTypes, TYPES } from '../../../read/parameters/choices.ts'
import { CHANGES_LIMIT } from '../../../read/parameters/number-parameters.ts'
import { CHANGES_IDS } from '../../../read/parameters/object-parameters.ts'
import { CHANGES_CURSOR } from '../../../read/parameters/page-cursor.ts'
import {
  operationNotOpened,
  quotaExhausted,
  type Refusal,
  repeatedParameter,
  subscriptionInactive,
  tooManyRequests,
  unavailable,
} from '../../../read/refusal.ts'
import type { ChargeLater } from '../../../read/request-limits.ts'
import { lostAccess } from '../../../read/rows/held-call.ts'
import { recordProgress } from '../../../read/rows/record-selection.ts'
import { answerInRoom } from '../../../read/rows/whole-answer.ts'
import { latest, toHarbour } from '../../../read/schemas/examples.ts'
import type { Operation } from '../operation.ts'

/** Seconds after which a client may try again to open a stream. */
const STREAM_RETRY_SECONDS = 10

/** `GET /changes`: what changed since a cursor, in the order of commit, as a page or as a stream of pages. */
export const listChanges: Operation = {
  id: 'listChanges',
  path: '/changes',
  tag: 'Changes',
  summary: 'Get changes',
  description:
    'Everything that changed since a cursor, in the order of commit: new, late, corrected and deleted positions of the whole fleet, the state of objects, the catalogue, and records: trips, stops, visits and changes of levels. Start without a cursor, apply every entry, and continue with the `cursor` of each page. A page of the snapshot costs 1 of the daily quota of each object whose state or positions it has. Afterwards each position and each state costs a hundredth. Everything else is free.\n\nThe server derives the records of an organization once somebody has asked for them, with `types` here or by `/trips`, `/stops`, `/visits` or `/levels`. They come after the states of the snapshot, and last within a commit. The first request for them waits up to 5 seconds for a short history, and further pages have the rest as it is derived. A page has each of them once, as it is now. A change of an object’s `ident` or `name`, or of a place’s name, sends the entry of that object or place, and none for positions and records. Their `ident`, `name` and `place_name` are those at the delivery. So a copy joins these names when it is read: those of the object by `id` or `object_id`, that of the place by `place_type` and `place_id`. If an object is deleted, drop its records too. An edit of a level in the catalogue of attributes ends cursors of pages with `levels` (410).\n\nWith `Accept: text/event-stream` the answer is a stream of server-sent events. Read it on a server of yours, because the `EventSource` of a browser cannot send a key, and send browsers only what they need. Each page is one event: `data` is the `result`, and `id` its `cursor`. The first event comes at once, then one whenever something has changed, and at least one an hour. If the key, the window, the scope, the subscription, a parameter or the number of streams does not allow the stream, the answer is the usual error. A later error is an event, and ends the stream. `event: resync` replaces a 410: connect without a cursor, and drop what the snapshot does not name. `event: error` has the body of another error. An organization can have 10 streams. A stream ends if its client does not read for 30 seconds: continue from the last `id`. Streams and requests with `wait` end within a second after the key has ended, or after its scope or the subscription has changed.',
  parameters: CHANGES,
  success: 'A page of changes.',
  result: {
    one: 'Changes',
    example: {
      as_of: 5120,
      distance_unit: 'km',
      snapshot: false,
      changes: [
        { type: 'position', op: 'put', late: false, position: latest, seq: 5118 },
        { type: 'geofence', op: 'delete', id: 12, seq: 5119 },
        { type: 'trip', op: 'put', trip: toHarbour, seq: 5120 },
      ],
      cursor: 'kXv0mZbQ',
      has_more: false,
    },
  },
  badRequests: [
    ...CHANGES_LIMIT.refusals,
    ...FROM.refusals,
    ...TYPES.refusals,
    ...SELECTED_ATTRIBUTES.refusals,
    ...CHANGES_CURSOR.refusals,
    ...CHANGES_IDS.refusals,
    repeatedParameter('limit'),
    quotaExhausted([1071]),
  ],
  errors: { 403: 'SubscriptionInactive', 404: 'ObjectNotFound', 410: 'CursorExpired' },
  isCharged: true,
  isStream: true,
  isPosition: false,
  openedBy: ['changes'],
  isPublic: false,
  async prepare(call) {
    const { api, fleet, organization, query, request } = call
    const isStream = request.method === 'GET' && wantsEvents(request.accept)
    const lastEventId = (isStream && request.lastEventId) || undefined
    if (namesClosedType(call)) return operationNotOpened
    const { subscription } = organization
    if (subscription !== 'active' && includesPositions(call.opened.types)) {
      const cursor = lastEventId ?? query.get('cursor')?.[0]
      if (asksForPositions(api, organization, query, cursor)) {
        return subscriptionInactive(subscription)
      }
    }
    const given = CHANGES.of(call)
    if ('status' in given) return given
    if (given.attributes !== undefined) {
      const chosen = await chosenEntries(call, given.attributes)
      if ('status' in chosen) return chosen
    }
    const asked = { ...given, cursor: lastEventId ?? given.cursor }
    const reading = startReading(call, asked, await fleet.objects())
    if ('status' in reading) return reading
    return {
      due: null,
      shown: [],
      async answer(_states, charge) {
        if (isStream) return openStream(call, asked, reading)
        if (startsWithRecords(reading)) await recordProgress(api.records, organization.id)
        return answerPage(call, asked, reading, charge)
      },
    }
  },
}

/** Whether a request names a type of changes that the scope of its key does not open. */
function namesClosedType({ opened, query }: Call): boolean {
  const types = readTypes(query)
  if (types === undefined || 'status' in types) return false
  return types.some((type) => !opened.types.has(type))
}

async function openStream(
  { api, organization, key, request }: Call,
  query: ChangesQuery,
  reading: Reading,
): Promise<Answer | Refusal> {
  if (!api.streams.hasRoom()) return unavailable(STREAM_RETRY_SECONDS)
  const slot = await takeStreamSlot(api.realtime.streams, key)
  if (slot === null) return tooManyRequests(STREAM_RETRY_SECONDS)
  const opening = { organization, key, request, reading, query, slot }
  return { isFresh: true, body: new ChangeStream(api, opening) }
}

/** The answer for a client that has gone. It is logged as aborted. */
const forNobody = (): Answer => ({ isFresh: true, isHeld: true, body: Readable.from([]) })

async function answerPage(
  call: Call,
  asked: ChangesQuery,
  reading: Reading,
  charge: ChargeLater,
): Promise<Answer | Refusal> {
  const { api, organization, request } = call
  const waitMs = request.method === 'GET' ? asked.waitSeconds * 1_000 : 0
  const gone = clientGone(request.connection)
  const read = await awaitPage(call, reading, asked, waitMs, gone).catch((error: unknown) => {
    if (gone.aborted) return undefined
    throw error
  })
  if (read === undefined) return forNobody()
  if ('status' in read) return read
  return answerInRoom(read.room, async () => {
    const takesPositions = includesPositions(openedTypes(reading.wanted, reading.opened))
    const lost = waitMs > 0 ? await lostAccess(call, takesPositions) : undefined
    if (lost !== undefined) return lost
    // Do not charge a client that has left.
    if (gone.aborted) return forNobody()
    const page = await chargePage(read.page, asked.skipsExhausted, charge)
    if ('status' in page) return page
    const body = await answerOf(api, organization, read, page)
    return { isFresh: true, isHeld: waitMs > 0, body, disclosed: disclosedIn(page) }
  })
}

/**
 * Reads the next page. An empty one at the end of the log is held until something changed, until `waitMs`
 * are over, until the client has gone or has lost its access, or until the server drains.
 */
async function awaitPage(
  call: Call,
  reading: Reading,
  query: PageQuery,
  waitMs: number,
  gone: AbortSignal,
): Promise<Read | Refusal> {
  const { api, organization } = call
  const untilUs = api.clock.monotonic() + waitMs * 1_000
  for (let from = reading; ; ) {
    const read = await readPage(api, organization.id, from, query, gone)
    if ('status' in read) return read
    const { page, reader } = read
    const leftMs = (untilUs - api.clock.monotonic()) / 1_000
    const isOver = leftMs <= 0 || gone.aborted || api.changeWatch.isReleased()
    if (page.entries.length > 0 || page.hasMore || isOver) return read
    read.room.free()
    from = { ...reading, wanted: reader, at: { reader, offset: page.next } }
    const waiting = { known: page.asOf, takesRecords: includesRecords(typesOf(reader)) }
    const isEnded = await whileOpen(call, gone, (ended) =>
      untilChanged(api.changeWatch, organization.id, waiting, leftMs, ended),
    )
    if (isEnded) return read
  }
}

/** Whether the client has gone or lost its access during `wait`, whose signal aborts then. */
async function whileOpen(
  { api, organization, key }: Call,
  gone: AbortSignal,
  wait: (ended: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const ended = new AbortController()
  const end = () => ended.abort()
  const release = api.streams.hold({ organization, key, end })
  gone.addEventListener('abort', end)
  try {
    await wait(ended.signal)
  } finally {
    gone.removeEventListener('abort', end)
    release()
  }
  return ended.signal.aborted
}
