import { exactEntries, parseExactly } from '../../../base/domain/common/exact-json.ts'
import type { Given } from '../../../base/domain/position/attribute-section.ts'
import type { Source } from '../import-source.ts'
import { fault, faultyRow, ImportMisuse, type Remarks, type Row } from '../row.ts'
import { attributePicker, withAttributes } from '../tables/cells.ts'
import { candidatesFor, checkMapping, type Layout, noteColumns } from '../tables/column-mapping.ts'
import { type Line, readLines } from '../tables/lines.ts'

/** Each mapped column must appear in one of the first rows. A row may leave a key out. */
const ROWS_WITH_ALL_COLUMNS = 1000

/**
 * The rows of a file with one JSON object on each line. Members of a nested object are columns named
 * `outer.inner`. Throws `ImportMisuse` if no row has a mapped column, if the first row is another form of JSON,
 * or if the first object is of another kind of import.
 */
export async function* readNdjsonRows(
  source: Source,
  layout: Layout,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const { mapping } = layout
  const fields = withAttributes(layout.fields, mapping)
  const bind = columnBinder({ ...layout, fields }, remarks)
  const attributesIn = attributePicker(fields)
  let isFirst = true
  let isKnown = false
  let unchecked: Row[] | null = mapping.size > 0 ? [] : null
  const columns = new Set<string>()
  for await (const lines of readLines(source.bytes)) {
    const rows: Row[] = []
    for (const line of lines) {
      if (line.text.trim() === '') continue
      const members = line.tooLong ? null : membersOf(line.text)
      if (isFirst) checkFirst(line, members, source.name)
      isFirst = false
      if (members === null) rows.push(brokenRow(line))
      else {
        if (!isKnown) layout.refuseOtherKind([...members.keys()], source.name)
        isKnown = true
        if (unchecked !== null) for (const column of members.keys()) columns.add(column)
        const cells = bind(members)
        rows.push(rowOf(line, cells, attributesIn(cells)))
      }
    }
    if (unchecked === null) yield rows
    else {
      unchecked = unchecked.concat(rows)
      if (unchecked.length >= ROWS_WITH_ALL_COLUMNS) {
        checkMapping(mapping, [...columns], source.name)
        yield unchecked
        unchecked = null
      }
    }
  }
  if (unchecked !== null && unchecked.length > 0) {
    checkMapping(mapping, [...columns], source.name)
    yield unchecked
  }
}

function checkFirst({ text }: Line, members: Map<string, unknown> | null, source: string): void {
  if (text.trimStart().startsWith('[')) {
    throw arrayOfOthers(source)
  }
  if (members?.get('type') === 'FeatureCollection') {
    throw new ImportMisuse(`'${source}' is GeoJSON, not one object on each line`)
  }
}

function rowOf(line: Line, cells: unknown[], attributes: readonly Given[]): Row {
  return { line: line.number, text: line.text, cells, attributes, fault: null, cutField: null }
}

function brokenRow(line: Line): Row {
  const reason = line.ended ? 'malformed' : 'truncated'
  const detail = line.tooLong ? 'the line is too long' : 'the line is not a JSON object'
  return faultyRow(line.number, line.text, fault(reason, detail))
}

/** The members of an object and of its nested objects. Null if the text is not a JSON object, or nests too deep. */
function membersOf(text: string): Map<string, unknown> | null {
  try {
    const value = parseExactly(text)
    return isObject(value) ? flatten(value, '', new Map()) : null
  } catch {
    return null
  }
}

/** The columns of an object: its members, and `outer.inner` for nested ones. */
export function flatten(
  value: object,
  prefix: string,
  columns: Map<string, unknown>,
): Map<string, unknown> {
  for (const [key, member] of exactEntries(value)) {
    if (isObject(member)) flatten(member, `${prefix}${key}.`, columns)
    else columns.set(prefix + key, member)
  }
  return columns
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Remembered shapes of objects. A source has one or a few. */
const SHAPES = 1000

/** Picks the cells of the fields from an object's columns. */
export function columnBinder(
  layout: Layout,
  remarks: Remarks,
): (columns: Map<string, unknown>) => unknown[] {
  const shapes = new Map<string, string[][]>()
  function shapeOf(names: string[]): string[][] {
    const key = names.join('\n')
    let shape = shapes.get(key)
    if (shape === undefined) {
      const candidates = candidatesFor(layout, names)
      noteColumns(remarks, layout, names, candidates)
      shape = candidates.of.map((ats) => ats.map((at) => names[at]!))
      if (shapes.size >= SHAPES) shapes.clear()
      shapes.set(key, shape)
    }
    return shape
  }
  return (columns) =>
    shapeOf([...columns.keys()]).map((candidates) => {
      const name = candidates.find((candidate) => columns.get(candidate) !== null) ?? candidates[0]
      return name === undefined ? undefined : columns.get(name)
    })
}

/** For a JSON array that is not an export that an import takes. */
export function arrayOfOthers(source: string): ImportMisuse {
  return new ImportMisuse(
    `'${source}' is a JSON array; give one object on each line, as 'jq -c '.[]'' writes them`,
  )
}
