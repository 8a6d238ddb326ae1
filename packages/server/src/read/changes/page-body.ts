import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import { takeTurn } from '../../base/domain/common/slots.ts'
import { ITEM_NOUNS } from '../../base/domain/item-rules.ts'
import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import type { DistanceUnit, Organization } from '../../base/domain/organization.ts'
import {
  type AddressAt,
  nothingKnown,
  type ObjectState,
  UNSEEN,
} from '../../base/domain/position/object-state.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import {
  countOf,
  type Page,
  type PageEntry,
  type PositionRun,
  type RecordPutEntry,
} from '../../engine/changes/page.ts'
import type { Api } from '../api.ts'
import { encodeListed } from '../encode/listed-kinds.ts'
import { currentForm, encodeObject, encodeState } from '../encode/object.ts'
import { type PositionRowEncoder, positionRowEncoder } from '../encode/position-rows.ts'
import type { RecordContext } from '../encode/record-fields.ts'
import { encodeRecord } from '../encode/record-rows.ts'
import { positionForm } from '../formats/formats.ts'
import { fixedText } from '../formats/number-format.ts'
import {
  type AttributeForm,
  type Columns,
  columnsOf,
  type ShownAttributes,
} from '../formats/position-format.ts'
import { levelNames } from '../rows/shown-records.ts'
import { sealChangesCursor } from './changes-query.ts'
import type { Read } from './read-page.ts'

/*
 * A page of changes as the body of an answer, or as an event.
 */

export type Body = Buffer | AsyncGenerator<Buffer>

/** The parts that write pages. */
export type BodyParts = Pick<Api, 'secret' | 'knownAddresses'>

/** A page as the body of an answer. `page`: the part of `read` that is paid for. */
export function answerOf(
  api: Api,
  organization: Organization,
  read: Read,
  page: Page,
): Promise<Body> {
  return bodyOf(api, organization, read, page, () => ANSWER)
}

const ANSWER: AroundPage = { before: '{"statusCode":200,"result":', after: '}' }

/** A page as a server-sent event, whose id is the cursor of the next page. */
export function eventOf(
  api: Api,
  organization: Organization,
  read: Read,
  page: Page,
): Promise<Body> {
  const around = (cursor: string) => ({ before: `id: ${cursor}\ndata: `, after: '\n\n' })
  return bodyOf(api, organization, read, page, around)
}

const shownBy = new WeakMap<readonly AttributeEntry[], ShownAttributes>()

/** The same for the same entries, so that rows of objects are encoded by kept encoders. */
function shownOf(entries: readonly AttributeEntry[]): ShownAttributes {
  const shown = shownBy.get(entries) ?? { entries, isCurrent: false }
  shownBy.set(entries, shown)
  return shown
}

/** `around`: the text before and after the page, whose cursor is given. */
export async function bodyOf(
  api: BodyParts,
  organization: Organization,
  { reader, entries, levels }: Pick<Read, 'reader' | 'entries' | 'levels'>,
  page: Page,
  around: (cursor: string) => AroundPage,
): Promise<Body> {
  const addressAt = await api.knownAddresses?.(organization.language)
  const form: PageForm = {
    unit: reader.unit,
    columns: columnsOf(reader.include, entries && shownOf(entries)),
    addressAt,
    current: entries === null ? undefined : currentForm(entries),
    levels: levelNames(levels),
  }
  const cursor = sealChangesCursor(api.secret, organization.id, { reader, offset: page.next })
  return encodePage(page, form, cursor, around(cursor))
}

/** The form in which a reader wants its entries. */
type PageForm = {
  unit: DistanceUnit
  columns: Columns
  addressAt: AddressAt | undefined
  /** For states. Undefined without attributes. */
  current: AttributeForm | undefined
  levels: ReturnType<typeof levelNames>
}

/** The constant text before and after the `result`. */
type AroundPage = { before: string; after: string }

/** Entries that are encoded before other requests get a turn: about 1 ms of work. */
const ENTRIES_A_TURN = 250

/** Whether a page is encoded at once. */
export function isShort(page: Page): boolean {
  return countOf(page) <= ENTRIES_A_TURN
}

/**
 * The `result` of a page as JSON. `cursor`: of the next page. A long page is encoded piece by piece while
 * the client takes it.
 */
function encodePage(
  page: Page,
  form: PageForm,
  cursor: string,
  { before, after }: AroundPage,
): Buffer | AsyncGenerator<Buffer> {
  const head =
    `${before}{"as_of":${page.asOf},"distance_unit":"${form.unit}"` +
    `,"snapshot":${page.isSnapshot},"changes":[`
  const tail = `],"cursor":"${cursor}","has_more":${page.hasMore}}${after}`
  const pieces = encodeEntries(page.entries, form)
  return isShort(page)
    ? Buffer.concat([Buffer.from(head), ...pieces, Buffer.from(tail)])
    : streamed(head, pieces, tail)
}

async function* streamed(
  head: string,
  pieces: Generator<Buffer>,
  tail: string,
): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  for (const piece of pieces) {
    yield piece
    await takeTurn()
  }
  yield Buffer.from(tail)
}

/** The entries with commas between them, in pieces of some `ENTRIES_A_TURN` entries. */
function* encodeEntries(entries: readonly PageEntry[], form: PageForm): Generator<Buffer> {
  const encodeRun = runEncoder(form)
  let parts: Buffer[] = []
  let inParts = 0
  for (const [index, entry] of entries.entries()) {
    for (const { text, count } of textsOf(entry, form, encodeRun, index > 0)) {
      parts.push(text)
      inParts += count
      if (inParts < ENTRIES_A_TURN) continue
      yield joined(parts)
      parts = []
      inParts = 0
    }
  }
  yield joined(parts)
}

/** Does not copy a long slice of a run: the memory of copies makes the garbage collector run twice as often. */
function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** The JSON of an entry, or of slices of a run. `isContinued`: a comma precedes it. */
function* textsOf(
  entry: PageEntry,
  form: PageForm,
  encodeRun: RunEncoder,
  isContinued: boolean,
): Generator<{ text: Buffer; count: number }> {
  if (!('count' in entry)) {
    yield { text: Buffer.from((isContinued ? ',' : '') + encodeEntry(entry, form)), count: 1 }
    return
  }
  for (let from = 0; from < entry.count; from += ENTRIES_A_TURN) {
    const count = Math.min(ENTRIES_A_TURN, entry.count - from)
    yield { text: encodeRun(entry, from, count, isContinued || from > 0), count }
  }
}

const BEFORE = fixedText('{"type":"position","op":"put","late":false,"position":')
const BEFORE_LATE = fixedText('{"type":"position","op":"put","late":true,"position":')

/** Encodes some rows of a run: from number `from` of it on. */
type RunEncoder = (
  run: PositionRun & { seq: number },
  from: number,
  count: number,
  isContinued: boolean,
) => Buffer

/** The rows of an object in the form in which they were written last. `kept`: how, if they were written twice. */
type Written = { state: ObjectState; kept?: PageForm & { encode: PositionRowEncoder } }

/**
 * Constant parts of the rows of an object are kept from the second time on, because its runs may be short and pages come
 * again. A stream writes each state once: an encoder that is kept until the next state costs the garbage collector more
 * than a new one.
 */
const written = new WeakMap<MonitoredObject, Written>()

function encoderOf({ object, state }: PositionRun, pageForm: PageForm): PositionRowEncoder {
  const { unit, columns, addressAt } = pageForm
  const before = written.get(object)
  const isAgain = before?.state === state
  const kept = isAgain ? before.kept : undefined
  if (
    kept?.unit === unit &&
    kept.columns.hasQuality === columns.hasQuality &&
    kept.columns.isExact === columns.isExact &&
    kept.columns.attributes === columns.attributes &&
    kept.addressAt === addressAt
  ) {
    return kept.encode
  }
  const form = positionForm('json', 'points', columns)
  const encode = positionRowEncoder({ object, state }, unit, { form, addressAt })
  written.set(object, isAgain ? { state, kept: { ...pageForm, encode } } : { state })
  return encode
}

function runEncoder(form: PageForm): RunEncoder {
  let lastSeq: number | undefined
  let after = fixedText('')
  return (run, from, count, isContinued) => {
    const { columns, first, late, seq } = run
    if (seq !== lastSeq) after = fixedText(`,"seq":${seq}}`)
    lastSeq = seq
    return encoderOf(run, form)(columns, {
      from: first + from,
      to: first + from + count,
      isContinued,
      around: { before: late ? BEFORE_LATE : BEFORE, after },
    })
  }
}

type OtherEntry = Exclude<PageEntry, PositionRun>

function encodeEntry(entry: OtherEntry, form: PageForm): string {
  const { unit } = form
  const { seq } = entry
  switch (entry.type) {
    case 'position':
      return `{"type":"position","op":"delete","id":${entry.object},"time_device":${instant(entry.time)},"seq":${seq}}`
    case 'positions':
      return `{"type":"positions","op":"replace",${rangeOf(entry)},"seq":${seq}}`
    case 'counters':
      return (
        `{"type":"counters","op":"shift",${rangeOf(entry)},"odometer_mm":${entry.odometer}` +
        `,"mileage_mm":${entry.mileage},"engine_hours_ms":${entry.engineHours},"seq":${seq}}`
      )
    case 'state':
      return `{"type":"state","op":"put","state":${encodeState(entry, unit, form.current)},"seq":${seq}}`
    case 'withheld':
      return `{"type":"withheld","op":"put",${rangeOf(entry)},"seq":${seq}}`
    case 'retention':
      return `{"type":"retention","op":"put","days":${entry.days},"seq":${seq}}`
    case 'object_retention':
      return `{"type":"object_retention","op":"put","id":${entry.object},"days":${entry.days},"seq":${seq}}`
    default:
      return encodeItem(entry, form)
  }
}

type ItemEntry = Extract<OtherEntry, { type: keyof typeof NAMES }>

const NAMES = {
  ...ITEM_NOUNS,
  trips: 'trip',
  stops: 'stop',
  visits: 'visit',
  levels: 'level',
} as const

function encodeItem(entry: ItemEntry, form: PageForm): string {
  const { type, op, seq } = entry
  const name = NAMES[type]
  return op === 'delete'
    ? `{"type":"${name}","op":"delete","id":${entry.id},"seq":${seq}}`
    : `{"type":"${name}","op":"put","${name}":${itemText(entry, form)},"seq":${seq}}`
}

function itemText(entry: Extract<ItemEntry, { op: 'put' }>, form: PageForm): string {
  const { unit } = form
  if ('owned' in entry) return encodeRecord(entry.owned, recordContext(entry, form))
  return entry.type === 'objects'
    ? encodeObject({ object: entry.item, state: entry.state ?? UNSEEN }, unit)
    : encodeListed(entry.type, entry.item as never)
}

function recordContext(
  { object, placeName }: RecordPutEntry,
  { unit, addressAt = nothingKnown, levels }: PageForm,
): RecordContext {
  return {
    unit,
    object: () => object,
    addressAt,
    placeName: () => placeName,
    attributeName: (attribute) => levels.get(attribute)!,
  }
}

function rangeOf({
  object,
  from,
  to,
}: {
  object: number
  from: number | null
  to: number | null
}): string {
  return `"id":${object},"from_time":${instant(from)},"to_time":${instant(to)}`
}

function instant(time: number | null): string {
  return time === null ? 'null' : `"${formatInstant(time)}"`
}
