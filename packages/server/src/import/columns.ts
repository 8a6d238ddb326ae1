import { ImportMisuse } from './misuse.ts'

/** A field that an import fills, and the usual names of its column. */
export type Field = { name: string; synonyms: readonly string[] }

/** The mapped columns by field. */
export type Mapping = ReadonlyMap<string, string>

/** Parses `field=column` pairs, separated by commas. Throws `ImportMisuse`. */
export function parseMapping(text: string, fields: readonly Field[]): Mapping {
  const mapping = new Map<string, string>()
  for (const pair of text.split(',')) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals === -1 ? undefined : equals).trim()
    const column = equals === -1 ? '' : pair.slice(equals + 1).trim()
    if (column === '') throw new ImportMisuse(`--map: '${pair}' is not of the form field=column`)
    if (!fields.some((field) => field.name === name)) {
      throw new ImportMisuse(
        `--map: there is no field '${name}'; there are ${fields.map((f) => f.name).join(', ')}`,
      )
    }
    if (mapping.has(name)) throw new ImportMisuse(`--map: the field '${name}' is named twice`)
    mapping.set(name, column)
  }
  return mapping
}

/** The columns that may fill a field, the best first. A mapped column fills its field only. */
export function candidatesOf(field: Field, columns: readonly string[], mapping: Mapping): number[] {
  const named = mapping.get(field.name)
  if (named !== undefined) {
    const exact = columns.indexOf(named)
    const at = exact === -1 ? columns.findIndex((column) => sameName(column, named)) : exact
    return at === -1 ? [] : [at]
  }
  const taken = [...mapping.values()]
  return [field.name, ...field.synonyms].flatMap((name) => {
    const at = columns.findIndex((column) => plainName(column) === plainName(name))
    return at === -1 || taken.some((column) => sameName(column, columns[at]!)) ? [] : [at]
  })
}

/** Throws `ImportMisuse` if a mapped column is not in the source. */
export function checkMapping(mapping: Mapping, columns: readonly string[], source: string): void {
  for (const [field, named] of mapping) {
    if (!columns.some((column) => sameName(column, named))) {
      throw new ImportMisuse(
        `--map ${field}=${named}: '${source}' has no column '${named}'; it has ${columns.join(', ')}`,
      )
    }
  }
}

function sameName(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

/**
 * `Device ID`, `deviceId` and `device_id` are one name. A dot separates a part from its whole, so it
 * stays.
 */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '')
}
