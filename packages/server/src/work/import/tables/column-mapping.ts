import {
  ATTRIBUTE_PREFIX,
  attributeField,
  type SavedMapping,
} from '../../../base/domain/import-formats.ts'
import { isDeviceName } from '../../../base/domain/position/attribute.ts'
import { ImportMisuse, type Remarks, SeveralColumns } from '../row.ts'
import { headingsOf, looksMeasured, plainName } from './headings.ts'
import type { GivenNotation, NumberKind } from './notation.ts'
import { type Program, programOf } from './programs.ts'
import { LONGEST_HEADING, splitUnit, type Units, unitNamed } from './units.ts'

/** A field that an import fills, and the usual names of its column. */
export type Field = {
  name: string
  synonyms: readonly string[]
  /** The content of its cells. Absent: text. */
  holds?: NumberKind | { kind: 'moment' | 'date' }
  /** The units that the heading of its column may name. */
  units?: Units
}

/** The mapped columns by field. */
export type Mapping = ReadonlyMap<string, string>

/** The columns that one kind of import expects of a source. */
export type Layout = {
  fields: readonly Field[]
  mapping: Mapping
  /** The fields that must have a column. */
  required: readonly string[]
  /** The parts of a table's notation that the caller knows. */
  given: GivenNotation
  /** The mappings that the organization accepted for such files. */
  saved: readonly SavedMapping[]
  /** Throws `ImportMisuse` if the columns are those of another kind of import. */
  refuseOtherKind(columns: readonly string[], source: string): void
}

/** Columns that are remembered as ignored. The objects of an NDJSON file may have any number of members. */
const MAX_IGNORED = 200

/**
 * Parses `field=column` pairs, separated by commas. The name of a column may have commas too, unless what follows one
 * looks like a pair. Throws `ImportMisuse`.
 */
export function parseMapping(text: string, fields: readonly Field[]): Mapping {
  const mapping = new Map<string, string>()
  for (const pair of text.split(/,(?=[^,]*=)/)) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals === -1 ? undefined : equals).trim()
    const column = equals === -1 ? '' : pair.slice(equals + 1).trim()
    if (column === '') throw new ImportMisuse(`--map: '${pair}' must have the form field=column`)
    if (!fields.some((field) => field.name === name)) {
      throw new ImportMisuse(
        `--map: unknown field '${name}'; use one of ${fields.map((f) => f.name).join(', ')}`,
      )
    }
    if (mapping.has(name)) throw new ImportMisuse(`--map: the field '${name}' is named twice`)
    mapping.set(name, column)
  }
  return mapping
}

/** The columns that a caller names for fields and for attributes. Null: it names none. Throws `ImportMisuse`. */
export function mappingOf(
  map: string | null,
  fields: readonly Field[],
  attributes: string | null,
): Mapping {
  return new Map([
    ...(map === null ? [] : parseMapping(map, fields)),
    ...(attributes === null ? [] : parseAttributes(attributes)),
  ])
}

/** The columns that may fill each field, as `candidatesOf`, and the program that writes such columns. */
export type Candidates = { of: readonly number[][]; program: Program | undefined }

/** The candidates of all fields. The columns of a known program count unless a caller names others. */
export function candidatesFor({ fields, mapping }: Layout, columns: readonly string[]): Candidates {
  const program = programOf(columns)
  const { unused = [], columns: own = {} } = program ?? {}
  const known = new Map([
    // Nothing but a caller's mapping may use these columns.
    ...unused.map((column): [string, string] => [`not ${column}`, column]),
    ...Object.entries(own),
    ...mapping,
  ])
  return { of: fields.map((field) => candidatesOf(field, columns, known)), program }
}

/**
 * The columns that may fill a field, the best first. A mapped column fills its field only. Headings in other languages
 * count if no column has a documented name.
 */
export function candidatesOf(field: Field, columns: readonly string[], mapping: Mapping): number[] {
  const mapped = mapping.get(field.name)
  if (mapped !== undefined) {
    const exact = indexesOf(columns, (column) => column === mapped)
    return exact.length > 0 ? exact : indexesOf(columns, (column) => sameName(column, mapped))
  }
  const taken = [...mapping.values()]
  const free = (column: string) => !taken.some((each) => sameName(each, column))
  const { units, byWhole, byName } = plainHeadingsOf(columns)
  const hasUnit = (at: number) => unitNamed(units[at] ?? '', field.units ?? {}) !== undefined
  const bearingOne = (name: string) => {
    const bare = (byName.get(name) ?? []).filter(hasUnit)
    const all = new Set([...(byWhole.get(name) ?? []), ...bare])
    return [...all].filter((at) => free(columns[at]!)).sort((a, b) => a - b)
  }
  const bearing = (names: readonly string[]) => [...new Set(names.flatMap(bearingOne))]
  const documented = bearing([field.name, ...field.synonyms].map(plainName))
  return documented.length > 0 ? documented : bearing(headingsOf(field.name))
}

/** The unit that each heading may name, and the headings by their plain names: `byName` without that unit. */
type PlainHeadings = {
  units: (string | null)[]
  byWhole: Map<string, number[]>
  byName: Map<string, number[]>
}

/** Every field looks at the headings of a file, and a file may have very many. */
const plainHeadings = new WeakMap<readonly string[], PlainHeadings>()

function plainHeadingsOf(columns: readonly string[]): PlainHeadings {
  const known = plainHeadings.get(columns)
  if (known !== undefined) return known
  const found: PlainHeadings = { units: [], byWhole: new Map(), byName: new Map() }
  for (const [at, column] of columns.entries()) {
    const { name, unit } = splitUnit(column)
    found.units.push(unit)
    if (column.length > LONGEST_HEADING) continue
    add(found.byWhole, plainName(column), at)
    if (unit !== null) add(found.byName, plainName(name), at)
  }
  plainHeadings.set(columns, found)
  return found
}

function add(to: Map<string, number[]>, name: string, at: number): void {
  const ats = to.get(name)
  if (ats === undefined) to.set(name, [at])
  else ats.push(at)
}

/**
 * Notes in the remarks how the columns fill the fields, the best candidate of each first, their units, and which
 * candidates do not count.
 */
export function noteColumns(
  remarks: Remarks,
  { fields, mapping }: Layout,
  columns: readonly string[],
  candidates: Candidates,
): void {
  const { used, guessed } = remarks.columns
  Object.assign(remarks.units, candidates.program?.units)
  const taken = new Set<string>()
  for (const [index, { name, units = {} }] of fields.entries()) {
    const [best, ...others] = candidates.of[index]!.map((at) => columns[at]!)
    if (best === undefined) continue
    taken.add(best)
    const unit = unitNamed(splitUnit(best).unit ?? '', units)
    if (unit !== undefined) remarks.units[name] = unit
    addColumn(mapping.has(name) || plainName(best) === plainName(name) ? used : guessed, name, best)
    if (others.length === 0) continue
    remarks.notes.add(
      `${name} was read from the column '${best}', not from ${others.join(', ')}; --map ${name}=COLUMN chooses`,
    )
  }
  for (const column of columns) if (!taken.has(column)) addIgnored(remarks, column)
}

/** Notes that a column, or a value of another name, fills no field. */
export function addIgnored({ columns: { ignored } }: Remarks, column: string): void {
  if (ignored.length < MAX_IGNORED && !ignored.includes(column)) ignored.push(column)
}

/** Columns that a note names. */
const MAX_NOTED = 10

/** Notes the ignored columns that look like speeds, distances or times, unless a known program wrote the table. */
export function noteUnused({ columns: { ignored }, notes, table }: Remarks): void {
  const found = ignored.filter(looksMeasured)
  if (found.length === 0 || programOf(table?.headings ?? []) !== undefined) return
  notes.add(
    `not read, although they look like speeds, distances or times: ${found.slice(0, MAX_NOTED).join(', ')}; --map FIELD=COLUMN reads one`,
  )
}

function addColumn(to: Record<string, string>, field: string, column: string): void {
  const before = to[field]?.split(', ') ?? []
  if (!before.includes(column)) to[field] = [...before, column].join(', ')
}

/**
 * Throws `ImportMisuse`, or `SeveralColumns`, if several columns may be meant by one field and none has the field's
 * own name.
 */
export function checkCandidates(
  { fields, mapping }: Layout,
  columns: readonly string[],
  candidates: Candidates,
  source: string,
): void {
  for (const [index, { name }] of fields.entries()) {
    const names = candidates.of[index]!.map((at) => columns[at]!)
    const own = names.filter((column) => plainName(column) === plainName(name))
    if (names.length < 2 || (own.length === 1 && !mapping.has(name))) continue
    if (mapping.has(name)) {
      throw new ImportMisuse(
        `'${source}' has several columns named '${mapping.get(name)}'; rename all but one`,
      )
    }
    throw new SeveralColumns(
      `'${source}' has several columns for ${name}: ${names.join(', ')}; choose one with --map ${name}=COLUMN`,
      { field: name, columns: names },
    )
  }
}

/** Throws `ImportMisuse` if a mapped column is not in the source. */
export function checkMapping(mapping: Mapping, columns: readonly string[], source: string): void {
  for (const [field, named] of mapping) {
    if (!columns.some((column) => sameName(column, named))) {
      throw new ImportMisuse(
        `${optionFor(field, named)}: '${source}' has no column '${named}'; it has ${columns.join(', ')}`,
      )
    }
  }
}

function indexesOf<Column>(
  columns: readonly Column[],
  fits: (column: Column) => boolean,
): number[] {
  return columns.flatMap((column, at) => (fits(column) ? [at] : []))
}

function sameName(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

/**
 * Parses `name` or `name=column`, separated by commas, into the columns of the fields of attributes. Throws
 * `ImportMisuse`.
 */
function parseAttributes(text: string): Map<string, string> {
  const mapping = new Map<string, string>()
  for (const each of text.split(',')) {
    const equals = each.indexOf('=')
    const name = each.slice(0, equals === -1 ? undefined : equals).trim()
    const column = equals === -1 ? name : each.slice(equals + 1).trim()
    if (!isDeviceName(name) || column === '') {
      throw new ImportMisuse(`--attribute: '${each}' must have the form name or name=column`)
    }
    if (mapping.has(attributeField(name))) {
      throw new ImportMisuse(`--attribute: '${name}' is named twice`)
    }
    mapping.set(attributeField(name), column)
  }
  return mapping
}

/** The fields of the attributes that a mapping names. */
export function attributeFieldsIn(mapping: ReadonlyMap<string, string>): string[] {
  return [...mapping.keys()].filter((name) => name.startsWith(ATTRIBUTE_PREFIX))
}

/** The option that names the column of a field. */
function optionFor(field: string, column: string): string {
  return field.startsWith(ATTRIBUTE_PREFIX)
    ? `--attribute ${field.slice(ATTRIBUTE_PREFIX.length)}=${column}`
    : `--map ${field}=${column}`
}
