/**
 * Writes the types of both APIs for their clients, and the columns of the client's tables, from what
 * `write-openapi.ts` wrote. With `--console` it writes only the console's, which the repository does not have; with
 * `--check` it only reports whether the others are up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

type Schema = {
  $ref?: string
  allOf?: Schema[]
  oneOf?: Schema[]
  type?: string | string[]
  const?: unknown
  format?: string
  enum?: unknown[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema
  prefixItems?: Schema[]
  minItems?: number
  maxItems?: number
}

/** For each file that the repository has: its description, and the function that writes it. */
const COMMITTED = [
  ['openapi.json', '../client/src/types.ts', typesOf],
  ['openapi.json', '../client/src/columns.ts', columnsOf],
] as const
const CONSOLE_TYPES = '../console/src/api/types.ts'
/** Names of the language. */
const NAMES: Record<string, string> = { Object: 'FleetObject', Error: 'ErrorBody' }
const WIDTH = 100
/** A structure whose members have columns of their own. */
const FLAT = 'vehicle_data'
const HEAD = '// Written by write-types.ts of the API’s description.\n'
/** A file of the server that the client, which is a package of its own, has too. */
const SHARED = [
  'src/base/domain/places/antimeridian-cut.ts',
  '../client/src/pull/files/cut.ts',
] as const

const isCheck = process.argv.includes('--check')
if (!isCheck) put(CONSOLE_TYPES, typesOf(schemasOf('admin-openapi.json')), 'admin-openapi.json')
if (!process.argv.includes('--console')) putCommitted()

function putCommitted(): void {
  for (const [description, path, write] of COMMITTED) {
    put(path, write(schemasOf(description)), description)
  }
  const [shared, copy] = SHARED
  const source = readFileSync(join(import.meta.dirname, shared), 'utf8')
  put(copy, `// A copy that write-types.ts makes of the server’s.\n\n${source}`, shared)
}

/** Writes a file, or checks that it has this text. */
function put(path: string, text: string, of: string): void {
  const file = join(import.meta.dirname, path)
  if (!isCheck) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${relative(process.cwd(), file)} is not that of ${of}: npm run openapi\n`)
    process.exitCode = 1
  }
}

type Schemas = Record<string, Schema>

function schemasOf(description: string): Schemas {
  const file = join(import.meta.dirname, description)
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as {
    components: { schemas: Schemas }
  }
  return components.schemas
}

function columnsOf(schemas: Schemas): string {
  // The client makes a table of each kind that changes put, apart from positions; of objects with where they are.
  const names = Object.keys(schemas).filter(
    (name) => `${name}Put` in schemas && name !== 'Position',
  )
  const tables = names.map((name) => {
    const columns = columnsIn(schemas, schemas[name === 'Object' ? 'ObjectDetail' : name]!)
    return `  ${name}: [\n${columns.join('')}  ],\n`
  })
  return `${HEAD}\n/** The columns of tables of rows. */\nexport const COLUMNS = {\n${tables.join('')}} as const\n`
}

/** Changes have no attributes of objects and records, which are optional. `within`: of the structure's own columns. */
function columnsIn(
  schemas: Schemas,
  { properties = {}, required = [] }: Schema,
  within = '',
): string[] {
  return required.flatMap((field) => {
    const schema = properties[field]!
    if (field === FLAT)
      return columnsIn(schemas, referredBy(schemas, schema), `, within: '${FLAT}'`)
    return `    { name: '${field}', type: '${columnTypeOf(referredBy(schemas, schema))}'${within} },\n`
  })
}

function referredBy(schemas: Schemas, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)!]!
}

/** A `ColumnType` of the client. */
function columnTypeOf({ type, format }: Schema): string {
  const [first] = [type].flat()
  if (format === 'date-time') return 'time'
  if (first === 'string') return 'text'
  return first === 'array' || first === 'object' ? 'json' : first!
}

function typesOf(schemas: Schemas): string {
  return [
    HEAD,
    ...Object.entries(schemas).map(([name, schema]) =>
      `${comment(schema, '')}export type ${nameOf(name)} = ${typeOf(schema, '')}\n`.replace(
        '= \n',
        '=\n',
      ),
    ),
  ].join('\n')
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref.split('/').at(-1)!)
  if (schema.allOf !== undefined)
    return schema.allOf.map((each) => typeOf(each, indent)).join(' & ')
  if (schema.oneOf !== undefined)
    return schema.oneOf.map((each) => `\n${indent}  | ${typeOf(each, indent)}`).join('')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return choiceOf(schema.enum.map(literal), indent)
  const types = [schema.type ?? []].flat()
  if (types.length === 0) throw new Error(`no type: ${JSON.stringify(schema)}`)
  return types.map((type) => oneTypeOf(type, schema, indent)).join(' | ')
}

/** On a line each, if they do not fit on one behind a name. */
function choiceOf(choices: string[], indent: string): string {
  const line = choices.join(' | ')
  const isLong = indent === '' && line.length > WIDTH * 0.7
  return isLong ? choices.map((each) => `\n${indent}  | ${each}`).join('') : line
}

function oneTypeOf(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return arrayOf(schema, indent)
    case 'object':
      if (schema.properties === undefined) {
        const { additionalProperties: value } = schema
        return `Record<string, ${value === undefined ? 'unknown' : typeOf(value, indent)}>`
      }
      return objectOf(schema, indent)
    default:
      throw new Error(`an unknown type: ${type}`)
  }
}

function arrayOf({ items, prefixItems, minItems, maxItems }: Schema, indent: string): string {
  if (prefixItems !== undefined)
    return `[${prefixItems.map((each) => typeOf(each, indent)).join(', ')}]`
  const item = typeOf(items!, indent)
  if (minItems !== undefined && minItems === maxItems) {
    return `[${Array.from({ length: minItems }, () => item).join(', ')}]`
  }
  return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`
}

function objectOf({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    return `${comment(schema, inner)}${inner}${name}${mark}: ${typeOf(schema, inner)}\n`
  })
  return `{\n${members.join('')}${indent}}`
}

function comment({ description }: Schema, indent: string): string {
  if (description === undefined) return ''
  const whole = `${indent}/** ${description} */\n`
  if (whole.length <= WIDTH) return whole
  const lines: string[] = []
  let line = `${indent} *`
  for (const word of description.split(/\s+/)) {
    if (line.length + word.length + 1 > WIDTH) {
      lines.push(line)
      line = `${indent} *`
    }
    line += ` ${word}`
  }
  return `${indent}/**\n${[...lines, line].join('\n')}\n${indent} */\n`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function nameOf(name: string): string {
  return NAMES[name] ?? name
}
