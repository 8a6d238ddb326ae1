import { createHash } from 'node:crypto'
import type { Json } from '../harness/fleetgate.ts'

export const FIELDS = [
  ...['id', 'time_device', 'time_server', 'latitude', 'longitude', 'altitude', 'angle', 'speed'],
]
export const COUNTER_FIELDS = ['id', 'time_device', 'exact']

/** The digest of rows as the specification describes it: a plain sum. */
export function plainDigest(rows: readonly Json[], fields: readonly string[]): string {
  const sum = rows.reduce((total, row) => total + hashOf(pick(row, fields)), 0n)
  return (sum % 2n ** 256n).toString(16).padStart(64, '0')
}

function hashOf(row: Json): bigint {
  return BigInt(`0x${createHash('sha256').update(canonical(row)).digest('hex')}`)
}

function pick(row: Json, fields: readonly string[]): Json {
  return Object.fromEntries(fields.map((name) => [name, row[name]]))
}

/** RFC 8785 for objects of numbers, texts and nulls. */
function canonical(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
  return `{${members.join()}}`
}
