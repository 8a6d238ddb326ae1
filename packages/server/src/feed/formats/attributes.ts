import { collected, type Given } from '../../domain/attributes/collect.ts'
import { excerpt } from '../../domain/common/plain-text.ts'
import { numbersIn, type SentNumber } from '../../domain/position/field-lists.ts'
import { FIELDS } from '../../domain/position/fields.ts'
import type { Packet } from '../packet.ts'
import { isAbsent, readIgnition, readNumbers } from './fields.ts'

/** The lost values of a packet that are noted: the first ones. */
const MAX_LOST = 20

/**
 * Reads all values but those of the `known` names into the attributes of a packet's fix. Values that are nested, too
 * long or too many are lost: the packet names them. Ignition, HDOP and satellites under another name become the fields
 * that they are, if the packet does not have them.
 */
export function readAttributes(
  packet: Packet,
  given: Iterable<Given>,
  known: ReadonlySet<string>,
): void {
  const others: Given[] = []
  for (const each of given) {
    const [name, value] = each
    if (known.has(name) || isAbsent(value)) continue
    const field = OTHER_NAMES.get(name.toLowerCase())
    if (field === undefined) others.push(each)
    else readField(packet, value, field)
  }
  if (others.length === 0) return
  packet.fix.attributes = collected(others, (name) => noteLost(packet, name))
}

function noteLost(packet: Packet, name: string): void {
  if (packet.lost === undefined) packet.lost = [excerpt(name)]
  else if (packet.lost.length < MAX_LOST) packet.lost.push(excerpt(name))
}

type OtherField = SentNumber | 'ignition'

/** Names of known fields in small letters, for devices that send them as they like. */
const OTHER_NAMES: ReadonlyMap<string, OtherField> = new Map([
  ...['ignition', 'ign', ...FIELDS.ignition.headings].map((name): [string, OtherField] => [
    name,
    'ignition',
  ]),
  ...numbersIn('native').flatMap((number) => {
    if (number.field !== 'gps_level' && number.field !== 'hdop') return []
    const names = [number.field, ...FIELDS[number.field].headings]
    return names.map((name): [string, OtherField] => [name, { ...number, unknownBelowZero: true }])
  }),
])

function readField(packet: Packet, value: unknown, field: OtherField): void {
  if (field === 'ignition') {
    if (packet.fix.ignition === null) readIgnition(packet, value, field)
  } else if (packet.fix[field.key] === null) {
    readNumbers(packet, { [field.name]: value }, [field])
  }
}
