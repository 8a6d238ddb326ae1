import { toJson } from '../../base/domain/common/plain-json.ts'
import { runInTurns, takeTurn } from '../../base/domain/common/slots.ts'
import type { Steps } from '../../base/domain/common/steps.ts'
import { csvLine, csvRow, type Format } from '../formats/formats.ts'
import { GEOJSON_AROUND, type Geometry } from '../formats/geojson.ts'
import { JSON_AROUND } from '../formats/json.ts'
import { type Dated, sheetHead, sheetRow } from '../formats/xlsx.ts'

/*
 * Rows of one kind, apart from positions: how a format writes them, and the body of a list of them.
 */

export type Row = Readonly<Record<string, unknown>>

/** Rows of one kind, apart from positions. */
export type RowKind<Item> = {
  /** The fields of a row in their order. */
  readonly columns: readonly string[]
  readonly dated: Dated
  row(item: Item): Row
  /** The JSON of a row, if there is a faster way to it. */
  json?(item: Item): string
  /** The location of the thing. Absent: the kind is not on the map. */
  geometry?(row: Row, item: Item): Geometry | null
  /** The fields that the geometry has. */
  readonly inGeometry?: readonly string[]
}

/** The JSON of lists by their fields. */
export type Lists = Readonly<Record<string, string>>

/** Rows with lists that may be long. */
export type LongRowKind<Item> = {
  readonly columns: readonly string[]
  readonly dated: Dated
  /** The row with empty lists. */
  frame(item: Item): Row
  /** The lists in the row. */
  lists(item: Item): Steps<Lists>
  /** The JSON of the geometry. */
  geometry(lists: Lists): Steps<string>
  readonly inGeometry: readonly string[]
}

/** The text around rows. */
type AroundRows = { readonly head: string; readonly between: string; readonly tail: string }

/** How rows are written. */
export type RowForm<Item> = AroundRows & { row(item: Item): string }

/** The same of rows that may be long. */
export type LongRowForm<Item> = AroundRows & { write(item: Item): Steps<string> }

export type AnyRowForm<Item> = RowForm<Item> | LongRowForm<Item>

/** How a format writes rows of a kind. The kinds have no form in formats of positions. */
export function rowForm<Item>(format: Format, kind: RowKind<Item>): RowForm<Item> {
  const { columns, dated, row, json = (item) => toJson(row(item)) } = kind
  switch (format) {
    case 'json':
      return { ...JSON_AROUND, row: json }
    case 'ndjson':
      return { ...NOTHING, row: (item) => `${json(item)}\n` }
    case 'csv':
      return { ...NOTHING, head: csvLine(columns), row: (item) => csvRow(columns, row(item)) }
    case 'xlsx':
      return {
        ...NOTHING,
        head: sheetHead(columns, dated),
        row: (item) => sheetRow(columns, row(item)),
      }
    case 'geojson':
      return { ...GEOJSON_AROUND, row: (item) => feature(kind, item) }
    default:
      throw new RangeError(`${format} is for positions`)
  }
}

/** The same of a kind with long rows. */
export function longRowForm<Item>(format: Format, kind: LongRowKind<Item>): LongRowForm<Item> {
  const { columns, dated, frame, lists } = kind
  function form(
    around: AroundRows,
    text: (row: Row, lists: Lists) => string | Steps<string>,
  ): LongRowForm<Item> {
    return {
      ...around,
      *write(item) {
        const content = text(frame(item), yield* lists(item))
        return typeof content === 'string' ? content : yield* content
      },
    }
  }
  switch (format) {
    case 'json':
      return form(JSON_AROUND, filled)
    case 'ndjson':
      return form(NOTHING, (row, lists) => `${filled(row, lists)}\n`)
    case 'csv':
      return form({ ...NOTHING, head: csvLine(columns) }, (row, lists) =>
        csvRow(columns, { ...row, ...lists }),
      )
    case 'xlsx':
      return form({ ...NOTHING, head: sheetHead(columns, dated) }, (row, lists) =>
        sheetRow(columns, { ...row, ...lists }),
      )
    case 'geojson':
      return form(GEOJSON_AROUND, (row, lists) => longFeature(kind, row, lists))
    default:
      throw new RangeError(`${format} is for positions`)
  }
}

const NOTHING = { head: '', between: '', tail: '' }

function feature<Item>({ row, geometry, inGeometry = [] }: RowKind<Item>, item: Item): string {
  const all = row(item)
  const properties = { ...all }
  for (const name of inGeometry) delete properties[name]
  return toJson({ type: 'Feature', geometry: geometry?.(all, item) ?? null, properties })
}

function* longFeature<Item>(
  { geometry, inGeometry }: LongRowKind<Item>,
  row: Row,
  lists: Lists,
): Steps<string> {
  const shown = <Value>(all: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !inGeometry.includes(name)))
  const properties = filled(shown(row), shown(lists))
  return `{"type":"Feature","geometry":${yield* geometry(lists)},"properties":${properties}}`
}

/** The JSON of a row, with these texts instead of its empty lists. */
export function filled(row: object, arrays: Readonly<Record<string, string>>): string {
  let text = toJson(row)
  for (const [name, array] of Object.entries(arrays)) {
    // No text of a user has this part: JSON escapes its quotes.
    const empty = `"${name}":[]`
    const at = text.lastIndexOf(empty)
    text = `${text.slice(0, at)}"${name}":${array}${text.slice(at + empty.length)}`
  }
  return text
}

/** Rows encoded before other requests get a turn: about 1 ms of work. */
const SLICE = 100

/** A longer text is a part of its own: a place may have some hundred thousand vertices. */
const LONG_CHARACTERS = 64 * 1024

/** The parts of a body whose rows are encoded one by one. */
export async function* rowsParts<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  form: AnyRowForm<Item>,
): AsyncGenerator<Buffer> {
  const { head, between, tail } = form
  yield Buffer.from(head)
  let before = ''
  for await (const items of pages) {
    let text = ''
    for (const [index, item] of items.entries()) {
      text += before + ('write' in form ? await runInTurns(form.write(item)) : form.row(item))
      before = between
      const isPart = text.length > LONG_CHARACTERS || index % SLICE === SLICE - 1
      if (!isPart || index === items.length - 1) continue
      yield Buffer.from(text)
      text = ''
      await takeTurn()
    }
    if (text !== '') yield Buffer.from(text)
  }
  yield Buffer.from(tail)
}

/** The body of a page whose rows are encoded one by one, those of a long page as the client takes them. */
export function rowsBody<Item>(
  items: readonly Item[],
  form: AnyRowForm<Item>,
): Promise<Buffer | AsyncGenerator<Buffer>> {
  return wholeOrStreamed(rowsParts([items], form))
}

/** A body up to this length is answered whole. */
const MAX_WHOLE_BYTES = 1024 * 1024

/**
 * The body made of these pieces. A short body is complete. A longer one is made as the client reads it, so that it is
 * never in memory as a whole. Rejects if a failure comes before the first megabyte.
 */
export async function wholeOrStreamed<Piece extends Uint8Array>(
  pieces: AsyncGenerator<Piece>,
): Promise<Buffer | AsyncGenerator<Piece>> {
  const begun: Piece[] = []
  for (let bytes = 0; bytes < MAX_WHOLE_BYTES; ) {
    const piece = await pieces.next()
    if (piece.done) return Buffer.concat(begun)
    begun.push(piece.value)
    bytes += piece.value.length
  }
  return streamed(begun, pieces)
}

/** Empties `begun`, or a slow client would hold it to the end. */
async function* streamed<Piece>(
  begun: Piece[],
  pieces: AsyncGenerator<Piece>,
): AsyncGenerator<Piece> {
  try {
    while (begun.length > 0) yield begun.shift()!
    yield* pieces
  } finally {
    await pieces.return(undefined)
  }
}
