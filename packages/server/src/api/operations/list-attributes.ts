import { createHash } from 'node:crypto'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import { ATTRIBUTE_FIELDS } from '../encode/listed-fields.ts'
import { exampleOf, jsonOf, rowOf } from '../encode/row-fields.ts'
import { rowsParts } from '../encode/rows-body.ts'
import { TABLE_FORMATS } from '../formats/formats.ts'
import { type RowKind, rowForm } from '../formats/row-form.ts'
import type { Operation } from '../operation.ts'
import { parameterSet } from '../parameters/parameter.ts'
import { repeatedParameter } from '../refusal.ts'

const [row, json] = [rowOf(ATTRIBUTE_FIELDS), jsonOf(ATTRIBUTE_FIELDS)]

const KIND: RowKind<AttributeEntry> = {
  columns: Object.keys(ATTRIBUTE_FIELDS),
  row: (entry) => row(entry, 'km'),
  json: (entry) => json(entry, 'km'),
}

/** `GET /attributes`: the catalogue of attributes. Charges nothing. */
export const listAttributes: Operation = {
  id: 'listAttributes',
  path: '/attributes',
  tag: 'Positions',
  summary: 'List attributes',
  description:
    'The attributes of your organization by `name`, ascending: the values that devices send in addition to the fields of a position, such as fuel or temperature. Every key can read them. Costs a request and no quota.',
  parameters: parameterSet({}),
  success: 'The attributes of the organization that the key shows.',
  result: { rows: 'Attribute', example: [exampleOf(ATTRIBUTE_FIELDS)] },
  formats: TABLE_FORMATS,
  badRequests: [repeatedParameter('format')],
  hasEntityTag: true,
  isPosition: false,
  openedBy: [],
  isPublic: false,
  prepare: ({ fleet, format }) => ({
    due: null,
    shown: [],
    async answer() {
      const entries = await fleet.attributes()
      const parts = await Array.fromAsync(rowsParts([entries], rowForm(format, KIND)))
      const body = Buffer.concat(parts)
      return { tag: tagOf(body), body }
    },
  }),
}

const TAG_CHARACTERS = 22

function tagOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARACTERS)
}
