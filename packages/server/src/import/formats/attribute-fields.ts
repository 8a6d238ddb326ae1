import { isDeviceName } from '../../domain/attributes/device-name.ts'
import { ATTRIBUTE_PREFIX, attributeField } from '../../domain/import-formats.ts'
import { ImportMisuse } from '../row.ts'

/**
 * Parses `name` or `name=column`, separated by commas, into the columns of the fields of attributes. Throws
 * `ImportMisuse`.
 */
export function parseAttributes(text: string): Map<string, string> {
  const mapping = new Map<string, string>()
  for (const each of text.split(',')) {
    const equals = each.indexOf('=')
    const name = each.slice(0, equals === -1 ? undefined : equals).trim()
    const column = equals === -1 ? name : each.slice(equals + 1).trim()
    if (!isDeviceName(name) || column === '') {
      throw new ImportMisuse(`--attribute: '${each}' is not of the form name or name=column`)
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
export function optionFor(field: string, column: string): string {
  return field.startsWith(ATTRIBUTE_PREFIX)
    ? `--attribute ${field.slice(ATTRIBUTE_PREFIX.length)}=${column}`
    : `--map ${field}=${column}`
}
